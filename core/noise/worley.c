/* Cellular noise: S. Worley, "A Cellular Texture Basis Function" (SIGGRAPH 1996), with one feature
 * point in each cell, whose position in the cell is the cell's hash. The result is the distance to
 * the nearest point (f1), to the second nearest (f2), their difference, a value of the nearest
 * point's cell, or the way to that point along x or y. Fractals sum 2·f1 − 1, clamped to 1. The
 * distance to the border between points is found in worley_edge.c.
 *
 * The nearest points are nearly always in the cells next to the sample's own. Let s be the distance
 * from the sample to the nearest side of its own cell: only a point more than 1 + s away can have a
 * nearer one beyond those cells. Only then are the cells two away searched as well, which is
 * enough: in up to four dimensions the second nearest point is at most 2 + s away. So the result is
 * exact.
 *
 * Samples are processed NOISE_LANES at a time. The search visits one row of cells after the other
 * and keeps the nearest points of all lanes; if all lanes are in one cell, its neighbours are
 * hashed once. The third and fourth axes are the same for all samples of a request. */
#include "core/noise/basis.h"
#include "core/noise/cell_corners.h"
#include "core/noise/worley_edge.h"

/* The nearest points of NOISE_LANES samples: squared distances, the vectors from the sample to
 * both, and the hash of the nearest one. */
struct nearest {
    _Alignas(64) float first[NOISE_LANES], second[NOISE_LANES];
    _Alignas(64) float x[NOISE_LANES], y[NOISE_LANES], x2[NOISE_LANES], y2[NOISE_LANES];
    _Alignas(64) uint32_t hash[NOISE_LANES];
};

/* NOISE_LANES samples and a plane of cells: `key_y` by row, `z` and `w` from the samples to the
 * cells along the further axes. */
struct plane {
    const uint32_t *low_x, *low_y;
    const float *t_x, *t_y;
    const uint32_t *key_x; /* KERNEL_KEYS */
    uint32_t key_y[KERNEL_KEYS];
    float z, w;
};

/* Constants that each compiled kernel has: the dimensions, and which results it needs besides the
 * nearest distance. A gradient needs all others. */
struct variant {
    int dimensions;
    bool second, hash, vector, with_gradient;
};

/* One lane of `nearest`, and the position of its sample. */
struct lane {
    float first, second, x, y, x2, y2;
    uint32_t hash;
    float tx, ty;
};

/* The squared distance along the third and fourth axes; the point's position on them comes from a
 * second hash. */
TERRANE_INLINE float outer_distance_squared(int dimensions, uint32_t hash, float z, float w)
{
    uint32_t outer_hash = hash * 0x9E3779B1u;
    outer_hash ^= outer_hash >> 15;
    float dz = z + (float)(int32_t)(outer_hash >> 16) * 0x1p-16f;
    float square = dz * dz;
    if (dimensions == 4) {
        float dw = w + (float)(int32_t)(outer_hash & 0xFFFFu) * 0x1p-16f;
        square += dw * dw;
    }
    return square;
}

/* A cell: its distance from the sample's own cell, and its hash. */
struct cell_candidate {
    float dx, dy;
    uint32_t hash;
};

/* Compares the point of a cell with the nearest two so far. */
TERRANE_INLINE void visit_point(struct variant variant, const struct plane *plane,
                                struct cell_candidate cell, struct lane *best)
{
    const uint32_t hash = cell.hash;
    const float x = ((float)(int32_t)(hash >> 16) * 0x1p-16f + cell.dx) - best->tx;
    const float y = variant.dimensions == 1
                        ? 0.0f
                        : ((float)(int32_t)(hash & 0xFFFFu) * 0x1p-16f + cell.dy) - best->ty;
    float square = x * x + y * y;
    if (variant.dimensions > 2)
        square += outer_distance_squared(variant.dimensions, hash, plane->z, plane->w);
    const bool nearer = square < best->first;
    const float farther = nearer ? best->first : square;
    const bool next = farther < best->second;
    if (variant.with_gradient) {
        const float farther_x = nearer ? best->x : x, farther_y = nearer ? best->y : y;
        best->x2 = next ? farther_x : best->x2;
        best->y2 = next ? farther_y : best->y2;
    }
    if (variant.vector) {
        best->x = nearer ? x : best->x;
        best->y = nearer ? y : best->y;
    }
    if (variant.hash)
        best->hash = nearer ? hash : best->hash;
    if (variant.second)
        best->second = next ? farther : best->second;
    best->first = nearer ? square : best->first;
}

TERRANE_INLINE struct lane load_lane(struct variant variant, const struct plane *plane,
                                     const struct nearest *best, int i)
{
    struct lane lane = {.first = best->first[i]};
    if (variant.second)
        lane.second = best->second[i];
    lane.tx = plane->t_x[i];
    lane.ty = plane->t_y[i];
    if (variant.vector) {
        lane.x = best->x[i];
        lane.y = best->y[i];
    }
    if (variant.with_gradient) {
        lane.x2 = best->x2[i];
        lane.y2 = best->y2[i];
    }
    if (variant.hash)
        lane.hash = best->hash[i];
    return lane;
}

TERRANE_INLINE void store_lane(struct variant variant, const struct lane *lane, int i,
                               struct nearest *best)
{
    best->first[i] = lane->first;
    if (variant.second)
        best->second[i] = lane->second;
    if (variant.vector) {
        best->x[i] = lane->x;
        best->y[i] = lane->y;
    }
    if (variant.with_gradient) {
        best->x2[i] = lane->x2;
        best->y2[i] = lane->y2;
    }
    if (variant.hash)
        best->hash[i] = lane->hash;
}

/* Visits the cell `dx` columns from the sample's own, `x`, in the row with the hash `line_y`. */
TERRANE_INLINE void visit_cell(struct variant variant, const struct plane *plane, int dx, float dy,
                               uint32_t x, uint32_t line_y, struct lane *best)
{
    const uint32_t line_x = lattice_line_x(x + (uint32_t)dx, plane->key_x[KERNEL_KEY_OWN + dx]);
    visit_point(variant, plane,
                (struct cell_candidate){(float)dx, dy, lattice_hash(line_x, line_y)}, best);
}

/* Visits the row of cells `dy` from the samples' own, from `reach` cells west to `reach` east. */
TERRANE_INLINE void visit_cell_row(struct variant variant, const struct plane *plane, int dy,
                                   int reach, struct nearest *restrict best)
{
    const uint32_t key_y = plane->key_y[KERNEL_KEY_OWN + dy];
    const uint32_t *restrict low_x = plane->low_x, *restrict low_y = plane->low_y;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++) {
        struct lane lane = load_lane(variant, plane, best, i);
        const uint32_t line_y = lattice_line_y(low_y[i] + (uint32_t)dy, key_y);
        const uint32_t x = low_x[i];
        const float y = (float)dy;
        if (reach > 1) {
            visit_cell(variant, plane, -2, y, x, line_y, &lane);
            visit_cell(variant, plane, 2, y, x, line_y, &lane);
        }
        visit_cell(variant, plane, -1, y, x, line_y, &lane);
        visit_cell(variant, plane, 0, y, x, line_y, &lane);
        visit_cell(variant, plane, 1, y, x, line_y, &lane);
        store_lane(variant, &lane, i, best);
    }
}

/* visit_cell_row() for samples that are all in one cell, with a reach of 1: hashes are computed
 * once. */
TERRANE_INLINE void visit_cell_row_shared(struct variant variant, const struct plane *plane, int dy,
                                          struct nearest *restrict best)
{
    const uint32_t *key_x = plane->key_x + KERNEL_KEY_OWN;
    const uint32_t x = plane->low_x[0];
    const uint32_t line_y =
        lattice_line_y(plane->low_y[0] + (uint32_t)dy, plane->key_y[KERNEL_KEY_OWN + dy]);
    const uint32_t west = lattice_hash(lattice_line_x(x - 1, key_x[-1]), line_y);
    const uint32_t own = lattice_hash(lattice_line_x(x, key_x[0]), line_y);
    const uint32_t east = lattice_hash(lattice_line_x(x + 1, key_x[1]), line_y);
    const float y = (float)dy;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++) {
        struct lane lane = load_lane(variant, plane, best, i);
        visit_point(variant, plane, (struct cell_candidate){-1.0f, y, west}, &lane);
        visit_point(variant, plane, (struct cell_candidate){0.0f, y, own}, &lane);
        visit_point(variant, plane, (struct cell_candidate){1.0f, y, east}, &lane);
        store_lane(variant, &lane, i, best);
    }
}

/* Visits all cells up to `reach` away from NOISE_LANES samples from `start` on. */
TERRANE_INLINE void visit_neighbours(struct variant variant,
                                     const struct kernel_positions *positions, uint32_t start,
                                     int reach, struct nearest *restrict best)
{
    struct plane plane = {
        .low_x = positions->low[0] + start,
        .low_y = positions->low[1] + start,
        .t_x = positions->t[0] + start,
        .t_y = positions->t[1] + start,
        .key_x = positions->key[0],
    };
    const int reach_y = variant.dimensions > 1 ? reach : 0;
    const int reach_z = variant.dimensions > 2 ? reach : 0;
    const int reach_w = variant.dimensions > 3 ? reach : 0;
    const bool shared =
        reach == 1 && !lanes_outside_cell(plane.low_x, plane.low_y, plane.low_x[0], plane.low_y[0]);
    for (int i = 0; i < NOISE_LANES; i++)
        best->first[i] = best->second[i] = 1e9f;
    for (int dw = -reach_w; dw <= reach_w; dw++)
        for (int dz = -reach_z; dz <= reach_z; dz++) {
            uint32_t change = 0;
            if (variant.dimensions > 2) {
                const uint32_t z = positions->low[2][start] + (uint32_t)dz;
                uint32_t line_w = 0;
                plane.z = (float)dz - positions->t[2][start];
                if (variant.dimensions > 3) {
                    line_w = lattice_line_y(positions->low[3][start] + (uint32_t)dw,
                                            positions->key[3][KERNEL_KEY_OWN + dw]);
                    plane.w = (float)dw - positions->t[3][start];
                }
                change = lattice_plane(lattice_line_x(z, positions->key[2][KERNEL_KEY_OWN + dz]),
                                       line_w);
            }
            for (int k = 0; k < KERNEL_KEYS; k++)
                plane.key_y[k] = positions->key[1][k] ^ change;
            for (int dy = -reach_y; dy <= reach_y; dy++) {
                if (shared)
                    visit_cell_row_shared(variant, &plane, dy, best);
                else
                    visit_cell_row(variant, &plane, dy, reach, best);
            }
        }
}

/* Nonzero if a sample may have a nearer point beyond the cells next to its own. */
TERRANE_INLINE uint32_t needs_wider_search(struct variant variant,
                                           const struct kernel_positions *positions, uint32_t start,
                                           const float *restrict square)
{
    uint32_t wider = 0;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++)
        wider |= square[i] > 1.0f;
    if (!wider)
        return 0;
    wider = 0;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++) {
        float side = 0.5f;
        for (int axis = 0; axis < variant.dimensions; axis++) {
            const float t = positions->t[axis][start + (uint32_t)i];
            const float near = t < 0.5f ? t : 1.0f - t;
            side = near < side ? near : side;
        }
        wider |= square[i] > (1.0f + side) * (1.0f + side);
    }
    return wider;
}

/* The derivative of a distance along an axis on which the point is `d` away. */
TERRANE_INLINE float distance_derivative(float d, float distance)
{
    return distance > 0.0f ? -d / distance : 0.0f;
}

/* Constants that each compiled output has. */
struct output {
    enum noise_feature feature;
    bool centred, with_gradient;
};

TERRANE_INLINE struct gradient_sample feature_value(struct output output,
                                                    const struct nearest *best, int i)
{
    struct gradient_sample f1 = {.n = __builtin_sqrtf(best->first[i])};
    struct gradient_sample f2 = {.n = __builtin_sqrtf(best->second[i])};
    if (output.with_gradient) {
        f1.x = distance_derivative(best->x[i], f1.n);
        f1.y = distance_derivative(best->y[i], f1.n);
        f2.x = distance_derivative(best->x2[i], f2.n);
        f2.y = distance_derivative(best->y2[i], f2.n);
    }
    if (output.feature == NOISE_F2)
        return f2;
    if (output.feature == NOISE_F2_F1)
        return (struct gradient_sample){f2.n - f1.n, f2.x - f1.x, f2.y - f1.y};
    if (output.feature == NOISE_CELL)
        return (struct gradient_sample){
            .n = lattice_value(lattice_hash(best->hash[i], 0x9E3779B1u))};
    if (output.feature == NOISE_POINT_X)
        return (struct gradient_sample){.n = best->x[i], .x = -1.0f};
    if (output.feature == NOISE_POINT_Y)
        return (struct gradient_sample){.n = best->y[i], .y = -1.0f};
    if (!output.centred)
        return f1;
    const bool clamped = f1.n > 1.0f;
    return (struct gradient_sample){clamped ? 1.0f : 2.0f * f1.n - 1.0f,
                                    clamped ? 0.0f : 2.0f * f1.x, clamped ? 0.0f : 2.0f * f1.y};
}

/* Writes NOISE_LANES samples from `start` on. */
TERRANE_INLINE void write_samples(struct output output, const struct nearest *best,
                                  const struct kernel_out *own_out, uint32_t start)
{
    const float amplitude = own_out->amplitude;
    float *restrict n = own_out->n + start;
    float *restrict x = output.with_gradient ? own_out->x + start : NULL;
    float *restrict y = output.with_gradient ? own_out->y + start : NULL;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++) {
        const struct gradient_sample sample = feature_value(output, best, i);
        if (output.with_gradient) {
            n[i] = sample.n * amplitude;
            x[i] = sample.x * amplitude;
            y[i] = sample.y * amplitude;
        } else {
            n[i] += sample.n * amplitude;
        }
    }
}

TERRANE_INLINE void write_feature(const struct noise *noise, bool with_gradient,
                                  const struct nearest *best, const struct kernel_out *out,
                                  uint32_t start)
{
    switch (noise->settings.feature) {
    case NOISE_F1:
        if (noise->settings.fractal != NOISE_SINGLE)
            write_samples((struct output){NOISE_F1, true, with_gradient}, best, out, start);
        else
            write_samples((struct output){NOISE_F1, false, with_gradient}, best, out, start);
        break;
    case NOISE_F2:
        write_samples((struct output){NOISE_F2, false, with_gradient}, best, out, start);
        break;
    case NOISE_F2_F1:
        write_samples((struct output){NOISE_F2_F1, false, with_gradient}, best, out, start);
        break;
    case NOISE_CELL:
        write_samples((struct output){NOISE_CELL, false, with_gradient}, best, out, start);
        break;
    case NOISE_POINT_X:
        write_samples((struct output){NOISE_POINT_X, false, with_gradient}, best, out, start);
        break;
    case NOISE_POINT_Y:
        write_samples((struct output){NOISE_POINT_Y, false, with_gradient}, best, out, start);
        break;
    case NOISE_EDGE: /* worley_edge.c */
        break;
    }
}

TERRANE_INLINE void add_worley(struct variant variant, const struct noise *noise,
                               const struct kernel_positions *positions,
                               const struct kernel_out *out)
{
    struct nearest best = {0};
    const bool second =
        noise->settings.feature == NOISE_F2 || noise->settings.feature == NOISE_F2_F1;
    for (uint32_t start = 0; start < positions->count; start += NOISE_LANES) {
        visit_neighbours(variant, positions, start, 1, &best);
        if (needs_wider_search(variant, positions, start, second ? best.second : best.first))
            visit_neighbours(variant, positions, start, 2, &best);
        write_feature(noise, variant.with_gradient, &best, out, start);
    }
}

#define ADD_WORLEY(name, ...)                                                                      \
    TERRANE_CLONES                                                                                 \
    static void name(const struct noise *noise, const struct kernel_positions *positions,          \
                     const struct kernel_out *out)                                                 \
    {                                                                                              \
        add_worley((struct variant){__VA_ARGS__}, noise, positions, out);                          \
    }
#define ADD_DIMENSIONS(name, n)                                                                    \
    ADD_WORLEY(name##_first, .dimensions = n)                                                      \
    ADD_WORLEY(name##_second, .dimensions = n, .second = true)                                     \
    ADD_WORLEY(name##_hash, .dimensions = n, .hash = true)                                         \
    ADD_WORLEY(name##_vector, .dimensions = n, .vector = true)                                     \
    ADD_WORLEY(name##_gradient, n, true, true, true, true)
ADD_DIMENSIONS(add1, 1)
ADD_DIMENSIONS(add2, 2)
ADD_DIMENSIONS(add3, 3)
ADD_DIMENSIONS(add4, 4)

/* What a kernel gives, in the order of the kernels of a number of dimensions. */
enum result { RESULT_FIRST, RESULT_SECOND, RESULT_HASH, RESULT_VECTOR, RESULT_GRADIENT, RESULTS };

static void add_features(const struct noise *noise, const struct kernel_positions *positions,
                         const struct kernel_out *out)
{
    static void (*const adders[][RESULTS])(const struct noise *, const struct kernel_positions *,
                                           const struct kernel_out *) = {
        {add1_first, add1_second, add1_hash, add1_vector, add1_gradient},
        {add2_first, add2_second, add2_hash, add2_vector, add2_gradient},
        {add3_first, add3_second, add3_hash, add3_vector, add3_gradient},
        {add4_first, add4_second, add4_hash, add4_vector, add4_gradient},
    };
    static const enum result wanted[] = {
        [NOISE_F1] = RESULT_FIRST,       [NOISE_F2] = RESULT_SECOND,
        [NOISE_F2_F1] = RESULT_SECOND,   [NOISE_CELL] = RESULT_HASH,
        [NOISE_POINT_X] = RESULT_VECTOR, [NOISE_POINT_Y] = RESULT_VECTOR,
    };
    if (noise->settings.feature == NOISE_EDGE) {
        worley_edge_add(positions, out);
        return;
    }
    const enum result result = out->x ? RESULT_GRADIENT : wanted[noise->settings.feature];
    adders[noise->dimensions - 1][result](noise, positions, out);
}

/* By feature and dimensions, measured as the statistics. */
static const float feature_means[][LATTICE_AXES + 1] = {
    [NOISE_F1] = {0.0f, 0.292f, 0.430f, 0.520f, 0.590f},
    [NOISE_F2] = {0.0f, 0.750f, 0.699f, 0.717f, 0.749f},
    [NOISE_F2_F1] = {0.0f, 0.459f, 0.269f, 0.196f, 0.159f},
    [NOISE_CELL] = {0.0f},
    [NOISE_POINT_X] = {0.0f},
    [NOISE_POINT_Y] = {0.0f},
    [NOISE_EDGE] = {0.0f, 0.0f, 0.166f},
};

/* The statistics are of 2·f1 − 1, which fractals sum. */
const struct basis worley_basis = {
    .interpolation = NOISE_QUINTIC, /* unused */
    .feature_means = feature_means,
    .variants =
        {{0},
         {2, {1.0f, -0.417f, 0.500f, 0.333f}, {0.0f, 0.0f, 1.5f, 2.1f}, .add = add_features},
         {5, {1.0f, -0.141f, 0.333f, 0.499f}, {0.0f, 0.0f, 2.9f, 4.4f}, .add = add_features},
         {15, {1.0f, 0.041f, 0.282f, 0.556f}, {0.0f, 0.0f, 8.1f, 14.4f}, .add = add_features},
         {60, {1.0f, 0.180f, 0.297f, 0.536f}, {0.0f, 0.0f, 27.0f, 50.0f}, .add = add_features}},
};
