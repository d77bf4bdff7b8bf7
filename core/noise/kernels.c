/* The vectorised loops of the noises. Each is plain C over arrays; the two ways to a sample (a row
 * of columns between two lattice rows, and arbitrary sites) share lattice.h and keep one order of
 * operations, which is what makes them agree to the last bit. */
#include "core/noise/kernels.h"
#include "core/noise/corners.h"

TERRANE_INLINE void fade_row(enum noise_interpolation interpolation, uint32_t count,
                             const float *restrict t, float *restrict fade)
{
    for (uint32_t i = 0; i < count; i++)
        fade[i] = fade_of(interpolation, t[i]);
}

TERRANE_CLONES
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *t,
                 float *fade)
{
    switch (interpolation) {
    case NOISE_LINEAR:
        fade_row(NOISE_LINEAR, count, t, fade);
        break;
    case NOISE_COSINE:
        fade_row(NOISE_COSINE, count, t, fade);
        break;
    case NOISE_CUBIC:
        fade_row(NOISE_CUBIC, count, t, fade);
        break;
    case NOISE_QUINTIC:
        fade_row(NOISE_QUINTIC, count, t, fade);
        break;
    case NOISE_NONE:
        fade_row(NOISE_NONE, count, t, fade);
        break;
    }
}

TERRANE_CLONES
void kernel_weigh(uint32_t count, const float *restrict t, const float *restrict fade,
                  float amplitude, const struct kernel_weights *out)
{
    float *restrict left = out->left, *restrict right = out->right;
    float *restrict left_t = out->left_t, *restrict right_t = out->right_t;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = (1.0f - fade[i]) * amplitude;
        right[i] = fade[i] * amplitude;
        left_t[i] = t[i] * left[i];
        right_t[i] = (t[i] - 1.0f) * right[i];
    }
}

TERRANE_CLONES
static void lattice_row_perlin(uint32_t count, const struct kernel_columns *columns,
                               uint32_t line_y, float *restrict a, float *restrict b)
{
    const uint32_t *restrict line_left = columns->line_left;
    const uint32_t *restrict line_right = columns->line_right;
    const struct kernel_weights weights = columns->weights;
    for (uint32_t i = 0; i < count; i++) {
        float left_x, left_y, right_x, right_y;
        lattice_gradient(lattice_hash(line_left[i], line_y), &left_x, &left_y);
        lattice_gradient(lattice_hash(line_right[i], line_y), &right_x, &right_y);
        a[i] = left_x * weights.left_t[i] + right_x * weights.right_t[i];
        b[i] = left_y * weights.left[i] + right_y * weights.right[i];
    }
}

TERRANE_CLONES
static void lattice_row_value(uint32_t count, const struct kernel_columns *columns, uint32_t line_y,
                              float *restrict a, float *restrict b)
{
    const uint32_t *restrict line_left = columns->line_left;
    const uint32_t *restrict line_right = columns->line_right;
    const struct kernel_weights weights = columns->weights;
    for (uint32_t i = 0; i < count; i++) {
        a[i] = lattice_value(lattice_hash(line_left[i], line_y)) * weights.left[i] +
               lattice_value(lattice_hash(line_right[i], line_y)) * weights.right[i];
        b[i] = 0.0f;
    }
}

void kernel_lattice_row(enum noise_basis basis, uint32_t count,
                        const struct kernel_columns *columns, uint32_t line_y, float *a, float *b)
{
    if (basis == NOISE_PERLIN)
        lattice_row_perlin(count, columns, line_y, a, b);
    else
        lattice_row_value(count, columns, line_y, a, b);
}

TERRANE_CLONES
void kernel_join_rows(uint32_t count, const struct kernel_pair *pair)
{
    const float *restrict a0 = pair->a0, *restrict b0 = pair->b0;
    const float *restrict a1 = pair->a1, *restrict b1 = pair->b1;
    float *restrict k2 = pair->k2, *restrict k3 = pair->k3;
    for (uint32_t i = 0; i < count; i++) {
        k2[i] = (a1[i] - b1[i]) - a0[i];
        k3[i] = b1[i] - b0[i];
    }
}

TERRANE_INLINE void add_rows(uint32_t count, uint32_t rows, const struct kernel_pair *pair,
                             const struct kernel_rows *at, float *restrict out)
{
    const float *restrict a0 = pair->a0, *restrict b0 = pair->b0;
    const float *restrict k2 = pair->k2, *restrict k3 = pair->k3;
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

TERRANE_CLONES
void kernel_fold(uint32_t count, const struct kernel_fold *fold, const float *restrict n,
                 float *restrict out)
{
    const struct kernel_fold k = *fold;
    for (uint32_t i = 0; i < count; i++) {
        float folded = k.gain * __builtin_fabsf(n[i]) + k.bias;
        out[i] += (k.mean + k.detail * (folded - k.mean)) * k.share;
    }
}

TERRANE_CLONES
void kernel_ridge_rest(uint32_t count, const struct kernel_ridge *ridge, const float *shares,
                       uint32_t octaves, float *restrict weight, float *restrict out)
{
    const struct kernel_ridge k = *ridge;
    for (uint32_t octave = 0; octave < octaves; octave++) {
        const float share = shares[octave];
        for (uint32_t i = 0; i < count; i++) {
            float signal = k.mean * weight[i];
            float next = signal * k.feedback;
            out[i] += signal * share;
            next = next < 0.0f ? 0.0f : next;
            weight[i] = next > 1.0f ? 1.0f : next;
        }
    }
}

TERRANE_CLONES
void kernel_ridge(uint32_t count, const struct kernel_ridge *ridge, const float *restrict n,
                  float *restrict weight, float *restrict out)
{
    const struct kernel_ridge k = *ridge;
    for (uint32_t i = 0; i < count; i++) {
        float edge = 1.0f - __builtin_fabsf(n[i]);
        float signal = (k.mean + k.detail * (edge * edge - k.mean)) * weight[i];
        float next = signal * k.feedback;
        out[i] += signal * k.share;
        next = next < 0.0f ? 0.0f : next;
        weight[i] = next > 1.0f ? 1.0f : next;
    }
}
