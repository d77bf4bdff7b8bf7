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

/* The weights of the lattice lines to the left and right of a position, multiplied by the
 * amplitude: of values and constants, and of the gradients' parts along x. */
struct column_weights {
    float left, right;     /* (1 − s)·a, s·a */
    float left_t, right_t; /* t·(1 − s)·a, (t − 1)·s·a */
};

TERRANE_INLINE struct column_weights column_weights_at(const struct kernel_weights *weights,
                                                       uint32_t i)
{
    return (struct column_weights){weights->left[i], weights->right[i], weights->left_t[i],
                                   weights->right_t[i]};
}

TERRANE_INLINE struct column_weights column_weights_of(float t, float s, float amplitude)
{
    const float left = (1.0f - s) * amplitude, right = s * amplitude;
    return (struct column_weights){left, right, t * left, (t - 1.0f) * right};
}

/* The derivatives of the weights by t: of `right`, whose negative is that of `left`, and of both
 * parts along x. */
struct column_slopes {
    float right, left_t, right_t;
};

/* `slope` is the derivative of s. */
TERRANE_INLINE struct column_slopes column_slopes_of(const struct column_weights *weights, float t,
                                                     float slope, float amplitude)
{
    const float right = slope * amplitude;
    return (struct column_slopes){right, weights->left - t * right,
                                  weights->right + (t - 1.0f) * right};
}

/* The part of a lattice row in the noise: a + b·ty, ty being the distance from it along y. */
struct row_terms {
    float a, b;
};

TERRANE_INLINE struct row_terms row_terms_of(struct corner_rule rule, struct corner left,
                                             struct corner right,
                                             const struct column_weights *weights)
{
    struct row_terms terms;
    if (rule.is_value)
        return (struct row_terms){left.x * weights->left + right.x * weights->right, 0.0f};
    terms.a = left.x * weights->left_t + right.x * weights->right_t;
    if (rule.has_constant)
        terms.a += left.c * weights->left + right.c * weights->right;
    terms.b = left.y * weights->left + right.y * weights->right;
    return terms;
}

/* The derivatives of the terms by x. */
TERRANE_INLINE struct row_terms row_slopes_of(struct corner_rule rule, struct corner left,
                                              struct corner right,
                                              const struct column_slopes *slopes)
{
    struct row_terms terms;
    if (rule.is_value)
        return (struct row_terms){(right.x - left.x) * slopes->right, 0.0f};
    terms.a = left.x * slopes->left_t + right.x * slopes->right_t;
    if (rule.has_constant)
        terms.a += (right.c - left.c) * slopes->right;
    terms.b = (right.y - left.y) * slopes->right;
    return terms;
}

/* The noise in a column of a cell, from the rows above and below, as the polynomial
 * ((a + b·ty) + k2·sy) + k3·(ty·sy). From row_slopes_of() it is the noise's derivative by x. */
struct cell_polynomial {
    float a, b, k2, k3;
};

TERRANE_INLINE struct cell_polynomial cell_polynomial_of(struct row_terms above,
                                                         struct row_terms below)
{
    return (struct cell_polynomial){above.a, above.b, (below.a - below.b) - above.a,
                                    below.b - above.b};
}

TERRANE_INLINE float cell_polynomial_at(struct cell_polynomial p, float ty, float sy)
{
    return ((p.a + p.b * ty) + p.k2 * sy) + p.k3 * (ty * sy);
}

/* The polynomial's derivative by ty; `slope` is that of sy. */
TERRANE_INLINE float cell_polynomial_slope(struct cell_polynomial p, float ty, float sy,
                                           float slope)
{
    return (p.b + p.k3 * sy) + (p.k2 + p.k3 * ty) * slope;
}

/* The upper (0) or lower (1) two corners of a cell. */
TERRANE_INLINE struct corner left_corner(const struct corners *g, int row)
{
    return (struct corner){g->x[2 * row], g->y[2 * row], g->c[2 * row]};
}

TERRANE_INLINE struct corner right_corner(const struct corners *g, int row)
{
    return (struct corner){g->x[2 * row + 1], g->y[2 * row + 1], g->c[2 * row + 1]};
}

TERRANE_INLINE struct cell_polynomial corners_polynomial(struct corner_rule rule,
                                                         const struct corners *g,
                                                         const struct column_weights *weights)
{
    return cell_polynomial_of(row_terms_of(rule, left_corner(g, 0), right_corner(g, 0), weights),
                              row_terms_of(rule, left_corner(g, 1), right_corner(g, 1), weights));
}

/* The noise at a position, times `amplitude`. Rows evaluate the same expressions in the same order:
 * kernel_column_weights(), lattice_row(), kernel_pair_coefficients(), kernel_add_rows(). */
TERRANE_INLINE float corners_interpolate(struct corner_rule rule, struct corners g, float amplitude,
                                         struct cell_position at)
{
    const struct column_weights weights = column_weights_of(at.tx, at.sx, amplitude);
    return cell_polynomial_at(corners_polynomial(rule, &g, &weights), at.ty, at.sy);
}

/* corners_interpolate() with derivatives; derivatives.sx and derivatives.sy are those of the fades.
 * Rows do the same by kernel_row_gradient(). */
TERRANE_INLINE struct gradient_sample corners_gradient(struct corner_rule rule, struct corners g,
                                                       float amplitude, struct cell_position at,
                                                       struct cell_position derivatives)
{
    const struct column_weights weights = column_weights_of(at.tx, at.sx, amplitude);
    const struct column_slopes slopes =
        column_slopes_of(&weights, at.tx, derivatives.sx, amplitude);
    const struct cell_polynomial noise = corners_polynomial(rule, &g, &weights);
    const struct cell_polynomial along_x =
        cell_polynomial_of(row_slopes_of(rule, left_corner(&g, 0), right_corner(&g, 0), &slopes),
                           row_slopes_of(rule, left_corner(&g, 1), right_corner(&g, 1), &slopes));
    return (struct gradient_sample){
        cell_polynomial_at(noise, at.ty, at.sy),
        cell_polynomial_at(along_x, at.ty, at.sy),
        cell_polynomial_slope(noise, at.ty, at.sy, derivatives.sy),
    };
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
