/* The border between two points is the line that is equally far from both. A sample's distance to
 * it is ((p + q) / 2) · (q − p) / |q − p|, where p and q are the vectors from the sample to its
 * nearest point and to another one (I. Quilez, "Voronoi borders", 2012); the least over all q is
 * the distance to the border of the whole region.
 *
 * All cells up to two away are searched. A point beyond them is at least 2 away, and its border at
 * least half of what it is farther away than p; a border so far away has no other in front of it
 * only where cells up to two away have no point between: the search of cells three away finds no
 * nearer one at any of 80,000 random places. */
#include "core/noise/worley_edge.h"

#include "core/noise/cell_corners.h"

enum { REACH = 2, SIDE = 2 * REACH + 1, POINTS = SIDE * SIDE };

/* The vectors from NOISE_LANES samples to the points around them. */
struct points {
    _Alignas(64) float x[POINTS][NOISE_LANES], y[POINTS][NOISE_LANES];
};

TERRANE_INLINE void find_points(const struct kernel_positions *positions, uint32_t start,
                                struct points *restrict points)
{
    const uint32_t *restrict low_x = positions->low[0] + start;
    const uint32_t *restrict low_y = positions->low[1] + start;
    const float *restrict t_x = positions->t[0] + start, *restrict t_y = positions->t[1] + start;
    for (int k = 0; k < POINTS; k++) {
        const int dx = k % SIDE - REACH, dy = k / SIDE - REACH;
        const uint32_t key_x = positions->key[0][KERNEL_KEY_OWN + dx];
        const uint32_t key_y = positions->key[1][KERNEL_KEY_OWN + dy];
        TERRANE_NO_UNROLL
        for (int i = 0; i < NOISE_LANES; i++) {
            const uint32_t hash = lattice_hash(lattice_line_x(low_x[i] + (uint32_t)dx, key_x),
                                               lattice_line_y(low_y[i] + (uint32_t)dy, key_y));
            points->x[k][i] = ((float)(int32_t)(hash >> 16) * 0x1p-16f + (float)dx) - t_x[i];
            points->y[k][i] = ((float)(int32_t)(hash & 0xFFFFu) * 0x1p-16f + (float)dy) - t_y[i];
        }
    }
}

/* What is nearest so far, of NOISE_LANES samples: the point, and then the border with the vector
 * across it, of length 1. */
struct border {
    _Alignas(64) float square[NOISE_LANES], x[NOISE_LANES], y[NOISE_LANES];
    _Alignas(64) float distance[NOISE_LANES], across_x[NOISE_LANES], across_y[NOISE_LANES];
};

TERRANE_INLINE void find_border(const struct points *restrict points,
                                struct border *restrict border)
{
    for (int i = 0; i < NOISE_LANES; i++) {
        border->square[i] = border->distance[i] = 1e9f;
        border->x[i] = border->y[i] = border->across_x[i] = border->across_y[i] = 0.0f;
    }
    for (int k = 0; k < POINTS; k++) {
        TERRANE_NO_UNROLL
        for (int i = 0; i < NOISE_LANES; i++) {
            const float x = points->x[k][i], y = points->y[k][i], square = x * x + y * y;
            const bool nearer = square < border->square[i];
            border->x[i] = nearer ? x : border->x[i];
            border->y[i] = nearer ? y : border->y[i];
            border->square[i] = nearer ? square : border->square[i];
        }
    }
    for (int k = 0; k < POINTS; k++) {
        TERRANE_NO_UNROLL
        for (int i = 0; i < NOISE_LANES; i++) {
            const float x = points->x[k][i], y = points->y[k][i];
            const float east = x - border->x[i], south = y - border->y[i];
            const float apart = __builtin_sqrtf(east * east + south * south);
            const float middle = (x + border->x[i]) * east + (y + border->y[i]) * south;
            const float distance = apart > 0.0f ? 0.5f * middle / apart : 1e9f;
            const bool nearer = distance < border->distance[i];
            border->across_x[i] = nearer ? east / apart : border->across_x[i];
            border->across_y[i] = nearer ? south / apart : border->across_y[i];
            border->distance[i] = nearer ? distance : border->distance[i];
        }
    }
}

TERRANE_CLONES
void worley_edge_add(const struct kernel_positions *positions, const struct kernel_out *out)
{
    struct points points;
    struct border border;
    for (uint32_t start = 0; start < positions->count; start += NOISE_LANES) {
        find_points(positions, start, &points);
        find_border(&points, &border);
        for (uint32_t i = 0; i < NOISE_LANES; i++) {
            if (out->x) {
                out->n[start + i] = border.distance[i] * out->amplitude;
                out->x[start + i] = -border.across_x[i] * out->amplitude;
                out->y[start + i] = -border.across_y[i] * out->amplitude;
            } else {
                out->n[start + i] += border.distance[i] * out->amplitude;
            }
        }
    }
}
