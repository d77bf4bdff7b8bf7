/* The loops over rows of a grid that lie between the same two lattice rows, and the fades.
 *
 * With fades sx and sy and the positions tx, ty in the cell, the noise is bilinear in the fades and
 * linear in ty, so a sample is the polynomial ((a0 + b0·ty) + k2·sy) + k3·(ty·sy) with coefficients
 * by column: a0, b0 from the upper lattice row, a1, b1 from the lower (basis kernels, lattice_row()
 * in kernels_cell.h), k2 and k3 from both. The coefficients are computed once for each cell row; a
 * sample then costs seven operations.
 *
 * corners_interpolate() in cell_corners.h is the same sum for one cell, in the same order of
 * operations. This makes both paths agree to the last bit. */
#include "core/noise/cell_corners.h"
#include "core/noise/kernels.h"

TERRANE_INLINE void fade_row(enum noise_interpolation interpolation, uint32_t count,
                             const float *restrict t, float *restrict fade,
                             float *restrict derivative)
{
    if (!derivative) {
        for (uint32_t i = 0; i < count; i++)
            fade[i] = fade_of(interpolation, t[i]);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        fade[i] = fade_of(interpolation, t[i]);
        derivative[i] = fade_derivative(interpolation, t[i]);
    }
}

#define FADE_CASE(interpolation)                                                                   \
    case interpolation:                                                                            \
        fade_row(interpolation, count, t, fade, derivative);                                       \
        break;

TERRANE_CLONES
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *t,
                 float *fade, float *derivative)
{
    switch (interpolation) {
        FADE_CASE(NOISE_LINEAR)
        FADE_CASE(NOISE_COSINE)
        FADE_CASE(NOISE_CUBIC)
        FADE_CASE(NOISE_QUINTIC)
        FADE_CASE(NOISE_NONE)
    }
}

TERRANE_CLONES
void kernel_column_weights(uint32_t count, const float *restrict t, const float *restrict fade,
                           float amplitude, const struct kernel_weights *out)
{
    const struct kernel_weights to = *out;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct column_weights weights = column_weights_of(t[i], fade[i], amplitude);
        to.left[i] = weights.left;
        to.right[i] = weights.right;
        to.left_t[i] = weights.left_t;
        to.right_t[i] = weights.right_t;
    }
}

TERRANE_CLONES
void kernel_column_slopes(uint32_t count, const float *restrict t,
                          const float *restrict fade_derivative, float amplitude,
                          const struct kernel_weights *weights, const struct kernel_slopes *out)
{
    const struct kernel_weights from = *weights;
    const struct kernel_slopes to = *out;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct column_weights own = column_weights_at(&from, i);
        const struct column_slopes slopes =
            column_slopes_of(&own, t[i], fade_derivative[i], amplitude);
        to.right[i] = slopes.right;
        to.left_t[i] = slopes.left_t;
        to.right_t[i] = slopes.right_t;
    }
}

TERRANE_CLONES
void kernel_pair_coefficients(uint32_t count, const struct kernel_pair *pair)
{
    const float *restrict a0 = pair->a0, *restrict b0 = pair->b0;
    const float *restrict a1 = pair->a1, *restrict b1 = pair->b1;
    float *restrict k2 = pair->k2, *restrict k3 = pair->k3;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        k2[i] = (a1[i] - b1[i]) - a0[i];
        k3[i] = b1[i] - b0[i];
    }
}

/* Adds 1, 2 or 4 rows at a time: the coefficients are loaded once for all of them. */
TERRANE_INLINE void add_rows(uint32_t count, uint32_t rows, const struct kernel_pair *pair,
                             const struct kernel_rows *at, float *restrict out)
{
    const float *restrict a0 = pair->a0, *restrict b0 = pair->b0;
    const float *restrict k2 = pair->k2, *restrict k3 = pair->k3;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const float a = a0[i], b = b0[i], c = k2[i], d = k3[i];
#pragma GCC unroll 4
        for (uint32_t r = 0; r < rows; r++)
            out[i + r * at->stride] +=
                ((a + b * at->t[r]) + c * at->s[r]) + d * (at->t[r] * at->s[r]);
    }
}

TERRANE_CLONES
void kernel_add_rows(uint32_t count, uint32_t rows, const struct kernel_pair *pair,
                     const struct kernel_rows *rows_at, float *restrict out)
{
    struct kernel_rows at = *rows_at;
    for (; rows >= 4; rows -= 4, at.t += 4, at.s += 4, out += 4 * at.stride)
        add_rows(count, 4, pair, &at, out);
    if (rows >= 2) {
        add_rows(count, 2, pair, &at, out);
        rows -= 2, at.t += 2, at.s += 2, out += 2 * at.stride;
    }
    if (rows)
        add_rows(count, 1, pair, &at, out);
}

TERRANE_INLINE struct cell_polynomial polynomial_of(const struct kernel_pair *pair, uint32_t i)
{
    return (struct cell_polynomial){pair->a0[i], pair->b0[i], pair->k2[i], pair->k3[i]};
}

TERRANE_CLONES
void kernel_row_gradient(uint32_t count, const struct kernel_pair pair[2],
                         const struct kernel_height *height, const struct kernel_out *out)
{
    const struct kernel_pair noise = pair[0], along_x = pair[1];
    const struct kernel_height at = *height;
    float *restrict n = out->n, *restrict x = out->x, *restrict y = out->y;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct cell_polynomial own = polynomial_of(&noise, i);
        n[i] = cell_polynomial_at(own, at.t, at.s);
        x[i] = cell_polynomial_at(polynomial_of(&along_x, i), at.t, at.s);
        y[i] = cell_polynomial_slope(own, at.t, at.s, at.slope);
    }
}
