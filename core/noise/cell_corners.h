/* The corners of a lattice cell, the fades, and the interpolation between the corners: inline, for
 * the kernels of all paths. The float expressions here define the noise; kernels that evaluate them
 * for whole rows keep their order of operations.
 *
 * A cell has four corners in the plane, numbered 0 to 3: north-west, north-east, south-west,
 * south-east. A lattice of three or four dimensions has two or four such planes around a sample
 * (see slice.h), which are merged into four corners before interpolation. Internal to this folder.
 */
#ifndef TERRANE_NOISE_CELL_CORNERS_H
#define TERRANE_NOISE_CELL_CORNERS_H

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
    /* 6t⁵ − 15t⁴ + 10t³ about its middle, where nothing cancels. */
    float u = t - 0.5f;
    float q = u * u;
    return 0.5f + u * ((6.0f * q - 5.0f) * q + 1.875f);
}

/* The derivative of fade_of(). */
TERRANE_INLINE float fade_derivative(enum noise_interpolation interpolation, float t)
{
    float u = t - 0.5f, q = u * u;
    switch (interpolation) {
    case NOISE_LINEAR:
        return 1.0f;
    case NOISE_COSINE:
        return 0.5f *
               ((((9.0f * 0.07722026f * q - 7.0f * 0.59804525f) * q + 5.0f * 2.55003139f) * q -
                 3.0f * 5.16770688f) *
                    q +
                3.14159258f);
    case NOISE_CUBIC:
        return 6.0f * t * (1.0f - t);
    case NOISE_NONE:
        return 0.0f;
    case NOISE_QUINTIC:
        break;
    }
    return 30.0f * (t * t) * ((t - 1.0f) * (t - 1.0f));
}

/* Limits a displacement in cells to what leaves bits for the fraction. */
TERRANE_INLINE float cells_clamp(float cells)
{
    cells = cells < -KERNEL_CELLS_MAX ? -KERNEL_CELLS_MAX : cells;
    return cells > KERNEL_CELLS_MAX ? KERNEL_CELLS_MAX : cells;
}

TERRANE_INLINE float cells_of(float metres, float cells_per_metre)
{
    return cells_clamp(metres * cells_per_metre);
}

/* The contribution of a lattice point to the noise at a position (x, y) cells from it: x·dx + y·dy
 * + c for gradients, where c is nonzero only in slices of lattices with more than two axes; for
 * values, `x` alone is the value. */
struct corner {
    float x, y, c;
};

/* The rule by which a basis makes the corners of cells. It is a constant of the basis' file, so
 * each kernel that is compiled for it has `corner` inlined and the branches resolved. */
struct corner_rule {
    /* The point where two lattice lines cross in a plane of the slice. Lines are hashes of their
     * cells, or with `unkeyed` the cells' low halves. */
    struct corner (*corner)(uint32_t line_x, uint32_t line_y, const struct slice *slice, int plane);
    int planes;        /* of the slice: 1, 2 or 4 in up to two, three and four dimensions */
    bool is_value;     /* corners are values, not gradients */
    bool has_constant; /* corners have a part c */
    bool unkeyed;      /* as in the struct basis */
    bool has_window; /* corners may come from a kernel_window; in two dimensions alone, and not with
                        `unkeyed`, as the lines of a window have keys */
};

TERRANE_INLINE uint32_t corner_line_x(struct corner_rule rule, uint32_t cell_low, uint32_t key)
{
    return rule.unkeyed ? cell_low : lattice_line_x(cell_low, key);
}

TERRANE_INLINE uint32_t corner_line_y(struct corner_rule rule, uint32_t cell_low, uint32_t key,
                                      const struct slice *slice, int plane)
{
    if (rule.unkeyed)
        return cell_low;
    return lattice_line_y(cell_low, rule.planes == 1 ? key : key ^ slice->key[plane]);
}

/* The point where the lines cross, summed over the planes by their weights. */
TERRANE_INLINE struct corner corner_at(struct corner_rule rule, uint32_t line_x,
                                       const uint32_t line_y[SLICE_PLANES_MAX],
                                       const struct slice *slice)
{
    struct corner sum = rule.corner(line_x, line_y[0], slice, 0);
    if (rule.planes == 1)
        return sum;
    sum = (struct corner){sum.x * slice->weight[0], sum.y * slice->weight[0],
                          sum.c * slice->weight[0]};
#pragma GCC unroll 4
    for (int plane = 1; plane < rule.planes; plane++) {
        const struct corner next = rule.corner(line_x, line_y[plane], slice, plane);
        sum.x += slice->weight[plane] * next.x;
        sum.y += slice->weight[plane] * next.y;
        sum.c += slice->weight[plane] * next.c;
    }
    return sum;
}

/* The four corners of a cell. */
struct corners {
    float x[4], y[4], c[4];
};

/* A cell, and the keys of its lines and of the next ones. */
struct cell {
    const uint32_t *key_x, *key_y; /* two of each */
    uint32_t low_x, low_y;
};

/* The corners of one cell: the loop is written so that the four corners become the lanes of a
 * vector. */
TERRANE_INLINE struct corners corners_of_cell(struct corner_rule rule, const struct slice *slice,
                                              const struct cell *cell)
{
    struct corners g;
    uint32_t line_x[4], line_y[4][SLICE_PLANES_MAX];
    for (uint32_t i = 0; i < 4; i++) {
        line_x[i] = corner_line_x(rule, cell->low_x + (i & 1), cell->key_x[i & 1]);
        for (int plane = 0; plane < rule.planes; plane++)
            line_y[i][plane] =
                corner_line_y(rule, cell->low_y + (i >> 1), cell->key_y[i >> 1], slice, plane);
    }
    TERRANE_NO_UNROLL
    for (int i = 0; i < 4; i++) {
        const struct corner corner = corner_at(rule, line_x[i], line_y[i], slice);
        g.x[i] = corner.x;
        g.y[i] = corner.y;
        g.c[i] = corner.c;
    }
    return g;
}

/* A position in a cell, 0 … 1 along x and y, and the fades of both. */
struct cell_position {
    float tx, sx, ty, sy;
};

/* The noise at a position, times `amplitude`. Rows evaluate the same expressions in the same order:
 * kernel_column_weights(), lattice_row(), kernel_pair_coefficients(), kernel_add_rows(). */
TERRANE_INLINE float corners_interpolate(struct corner_rule rule, struct corners g, float amplitude,
                                         struct cell_position at)
{
    float left = (1.0f - at.sx) * amplitude;
    float right = at.sx * amplitude;
    float a0, b0, a1, b1;
    if (rule.is_value) {
        a0 = g.x[0] * left + g.x[1] * right;
        a1 = g.x[2] * left + g.x[3] * right;
        b0 = b1 = 0.0f;
    } else {
        float left_t = at.tx * left;
        float right_t = (at.tx - 1.0f) * right;
        a0 = g.x[0] * left_t + g.x[1] * right_t;
        a1 = g.x[2] * left_t + g.x[3] * right_t;
        if (rule.has_constant) {
            a0 += g.c[0] * left + g.c[1] * right;
            a1 += g.c[2] * left + g.c[3] * right;
        }
        b0 = g.y[0] * left + g.y[1] * right;
        b1 = g.y[2] * left + g.y[3] * right;
    }
    float k2 = (a1 - b1) - a0;
    float k3 = b1 - b0;
    return ((a0 + b0 * at.ty) + k2 * at.sy) + k3 * (at.ty * at.sy);
}

/* The noise at a position, and its derivatives by cells along x and y. */
struct gradient_sample {
    float n, x, y;
};

/* corners_interpolate() with derivatives; fades.sx and fades.sy are the derivatives of the
 * fades. */
TERRANE_INLINE struct gradient_sample corners_gradient(struct corner_rule rule, struct corners g,
                                                       float amplitude, struct cell_position at,
                                                       struct cell_position fades)
{
    struct gradient_sample sample;
    for (int i = 0; i < 4; i++) {
        g.c[i] = rule.is_value ? g.x[i] : rule.has_constant ? g.c[i] : 0.0f;
        g.x[i] = rule.is_value ? 0.0f : g.x[i];
        g.y[i] = rule.is_value ? 0.0f : g.y[i];
    }
    const float left = 1.0f - at.sx, right = at.sx, up = 1.0f - at.sy, down = at.sy;
    const float west = at.tx, east = at.tx - 1.0f, north = at.ty, south = at.ty - 1.0f;
    const float w0 = g.x[0] * west + g.c[0], e0 = g.x[1] * east + g.c[1];
    const float w1 = g.x[2] * west + g.c[2], e1 = g.x[3] * east + g.c[3];
    const float a0 = w0 * left + e0 * right, a1 = w1 * left + e1 * right;
    const float b0 = g.y[0] * left + g.y[1] * right, b1 = g.y[2] * left + g.y[3] * right;
    const float top = a0 + b0 * north, bottom = a1 + b1 * south;
    const float top_x =
        (g.x[0] * left + g.x[1] * right) + fades.sx * ((e0 - w0) + (g.y[1] - g.y[0]) * north);
    const float bottom_x =
        (g.x[2] * left + g.x[3] * right) + fades.sx * ((e1 - w1) + (g.y[3] - g.y[2]) * south);
    sample.n = amplitude * (top * up + bottom * down);
    sample.x = amplitude * (top_x * up + bottom_x * down);
    sample.y = amplitude * ((b0 * up + b1 * down) + fades.sy * (bottom - top));
    return sample;
}

/* Nonzero unless NOISE_LANES samples are all in the cell (x, y). */
TERRANE_INLINE uint32_t lanes_outside_cell(const uint32_t *restrict low_x,
                                           const uint32_t *restrict low_y, uint32_t x, uint32_t y)
{
    uint32_t difference = 0;
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++)
        difference |= (low_x[i] ^ x) | (low_y[i] ^ y);
    return difference;
}

#endif
