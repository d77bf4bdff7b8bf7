/* What a cell's corners contribute to a place in it, and the fades: inline, for the kernels. */
#ifndef TERRANE_NOISE_CORNERS_H
#define TERRANE_NOISE_CORNERS_H

#include "core/noise/kernels.h"

TERRANE_INLINE float fade_cosine(float t)
{
    /* (1 − cos πt) / 2 = (1 + sin π(t − ½)) / 2, a minimax polynomial with error 4e-9. */
    float u = t - 0.5f;
    float q = u * u;
    float sine = ((((0.07722026f * q - 0.59804525f) * q + 2.55003139f) * q - 5.16770688f) * q +
                  3.14159258f) *
                 u;
    return 0.5f + 0.5f * sine;
}

TERRANE_INLINE float fade_of(enum noise_interpolation interpolation, float t)
{
    switch (interpolation) {
    case NOISE_LINEAR:
        return t;
    case NOISE_COSINE:
        return fade_cosine(t);
    case NOISE_CUBIC:
        return t * t * (3.0f - 2.0f * t);
    case NOISE_NONE:
        return 0.0f;
    case NOISE_QUINTIC:
        break;
    }
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

/* A displacement in cells. */
TERRANE_INLINE float cells_of(float metres, float cells_per_metre)
{
    float cells = metres * cells_per_metre;
    cells = cells < -KERNEL_CELLS_MAX ? -KERNEL_CELLS_MAX : cells;
    return cells > KERNEL_CELLS_MAX ? KERNEL_CELLS_MAX : cells;
}

/* The contribution of the four corners of a cell: for gradients (x, y), for values (x, unused). */
struct corners {
    float x00, y00, x10, y10, x01, y01, x11, y11;
};

TERRANE_INLINE struct corners corners_at(enum noise_basis basis, const uint32_t key_x[2],
                                         const uint32_t key_y[2], uint32_t low_x, uint32_t low_y)
{
    struct corners g = {0};
    uint32_t x0 = lattice_line_x(low_x, key_x[0]);
    uint32_t x1 = lattice_line_x(low_x + 1, key_x[1]);
    uint32_t y0 = lattice_line_y(low_y, key_y[0]);
    uint32_t y1 = lattice_line_y(low_y + 1, key_y[1]);
    if (basis == NOISE_PERLIN) {
        lattice_gradient(lattice_hash(x0, y0), &g.x00, &g.y00);
        lattice_gradient(lattice_hash(x1, y0), &g.x10, &g.y10);
        lattice_gradient(lattice_hash(x0, y1), &g.x01, &g.y01);
        lattice_gradient(lattice_hash(x1, y1), &g.x11, &g.y11);
    } else {
        g.x00 = lattice_value(lattice_hash(x0, y0));
        g.x10 = lattice_value(lattice_hash(x1, y0));
        g.x01 = lattice_value(lattice_hash(x0, y1));
        g.x11 = lattice_value(lattice_hash(x1, y1));
    }
    return g;
}

/* corners_at() for one cell: its four corners are the lanes. */
TERRANE_INLINE struct corners corners_of_cell(enum noise_basis basis, const uint32_t key_x[2],
                                              const uint32_t key_y[2], uint32_t low_x,
                                              uint32_t low_y)
{
    uint32_t x[2], y[2], hash[4];
    float east[4], south[4];
    for (uint32_t i = 0; i < 2; i++) {
        x[i] = lattice_line_x(low_x + i, key_x[i]);
        y[i] = lattice_line_y(low_y + i, key_y[i]);
    }
    const uint32_t line_x[4] = {x[0], x[1], x[0], x[1]}, line_y[4] = {y[0], y[0], y[1], y[1]};
    TERRANE_LANES
    for (int i = 0; i < 4; i++)
        hash[i] = lattice_hash(line_x[i], line_y[i]);
    TERRANE_LANES
    for (int i = 0; i < 4; i++) {
        if (basis == NOISE_PERLIN) {
            lattice_gradient(hash[i], &east[i], &south[i]);
        } else {
            east[i] = lattice_value(hash[i]);
            south[i] = 0.0f;
        }
    }
    return (struct corners){east[0], south[0], east[1], south[1],
                            east[2], south[2], east[3], south[3]};
}

/* A place in a cell and its fades. */
struct spot {
    float tx, sx, ty, sy;
};

/* The same expressions as kernel_weigh, kernel_lattice_row, kernel_join_rows and kernel_add_rows.
 */
TERRANE_INLINE float corners_mix(enum noise_basis basis, struct corners g, float amplitude,
                                 struct spot at)
{
    float left = (1.0f - at.sx) * amplitude;
    float right = at.sx * amplitude;
    float a0, b0, a1, b1;
    if (basis == NOISE_PERLIN) {
        float left_t = at.tx * left;
        float right_t = (at.tx - 1.0f) * right;
        a0 = g.x00 * left_t + g.x10 * right_t;
        b0 = g.y00 * left + g.y10 * right;
        a1 = g.x01 * left_t + g.x11 * right_t;
        b1 = g.y01 * left + g.y11 * right;
    } else {
        a0 = g.x00 * left + g.x10 * right;
        a1 = g.x01 * left + g.x11 * right;
        b0 = b1 = 0.0f;
    }
    float k2 = (a1 - b1) - a0;
    float k3 = b1 - b0;
    return ((a0 + b0 * at.ty) + k2 * at.sy) + k3 * (at.ty * at.sy);
}

#endif
