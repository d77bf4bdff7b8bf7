/* The loops over a row that fold an octave, damp it and add it to the sum (see fractal.c).
 *
 *   billow, turbulence   gain·|n| + bias
 *   ridged               (1 − |n|)²·weight; the octave's result times `feedback`, clamped to 0 … 1,
 *                        is the next octave's weight (F. K. Musgrave's ridged multifractal in Ebert
 *                        et al., "Texturing and Modeling", 3rd ed., chapter 16)
 *   damped               part / (1 + damping·|Σ gradient|²), after I. Quilez, "Value noise
 *                        derivatives" (2008)
 *
 * With level of detail d, a folded octave f is mean + d·(f − mean). */
#include "core/noise/kernels.h"

TERRANE_CLONES
void kernel_fold(uint32_t count, const struct kernel_fold *fold, const float *restrict n,
                 float *restrict out)
{
    const struct kernel_fold k = *fold;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        float folded = k.gain * __builtin_fabsf(n[i]) + k.bias;
        out[i] += (k.mean + k.detail * (folded - k.mean)) * k.share;
    }
}

TERRANE_CLONES
void kernel_ridge_faded(uint32_t count, const struct kernel_ridge *ridge, const float *shares,
                        uint32_t octaves, float *restrict weight, float *restrict out)
{
    const struct kernel_ridge k = *ridge;
    for (uint32_t octave = 0; octave < octaves; octave++) {
        const float share = shares[octave];
        TERRANE_INDEPENDENT
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
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        float edge = 1.0f - __builtin_fabsf(n[i]);
        float signal = (k.mean + k.detail * (edge * edge - k.mean)) * weight[i];
        float next = signal * k.feedback;
        out[i] += signal * k.share;
        next = next < 0.0f ? 0.0f : next;
        weight[i] = next > 1.0f ? 1.0f : next;
    }
}

/* The octave's gradient in the directions of the first octave: with rotate_octaves each octave's
 * lattice is turned against them. */
TERRANE_INLINE float rotated_x(const struct kernel_gradients *g, uint32_t i)
{
    return g->x[i] * g->cosine + g->y[i] * g->sine;
}

TERRANE_INLINE float rotated_y(const struct kernel_gradients *g, uint32_t i)
{
    return g->y[i] * g->cosine - g->x[i] * g->sine;
}

TERRANE_CLONES
void kernel_damping(uint32_t count, const struct kernel_damping *terms,
                    const struct kernel_gradients *octave, const float *restrict fold_derivative)
{
    const struct kernel_damping k = *terms;
    const struct kernel_gradients g = *octave;
    float *restrict sum_x = k.sum_x, *restrict sum_y = k.sum_y,
                    *restrict damping_weight = k.damping_weight;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        sum_x[i] += rotated_x(&g, i) * fold_derivative[i];
        sum_y[i] += rotated_y(&g, i) * fold_derivative[i];
        damping_weight[i] = 1.0f / (1.0f + k.damping * (sum_x[i] * sum_x[i] + sum_y[i] * sum_y[i]));
    }
}

TERRANE_CLONES
void kernel_add_damped(uint32_t count, const float *restrict damping_weight,
                       const float *restrict octave_part, float *restrict out)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        out[i] += octave_part[i] * damping_weight[i];
}

TERRANE_CLONES
void kernel_add_scaled(uint32_t count, float amplitude, const float *restrict n,
                       float *restrict out)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        out[i] += n[i] * amplitude;
}

TERRANE_CLONES
void kernel_result_gradient(uint32_t count, const struct kernel_gradients *octave,
                            const struct kernel_result_gradient *result_gradient)
{
    const struct kernel_gradients g = *octave;
    const float *restrict fold_derivative = result_gradient->fold_derivative,
                          *restrict damping_weight = result_gradient->damping_weight;
    float *restrict x = result_gradient->x, *restrict y = result_gradient->y;
    const float scale = result_gradient->scale;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const float steep = (fold_derivative[i] * damping_weight[i]) * scale;
        x[i] += rotated_x(&g, i) * steep;
        y[i] += rotated_y(&g, i) * steep;
    }
}

TERRANE_CLONES
void kernel_fold_derivative(uint32_t count, const struct kernel_fold *fold, const float *restrict n,
                            float *restrict fold_derivative)
{
    const float steep = fold->gain * fold->detail;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        fold_derivative[i] = n[i] < 0.0f ? -steep : steep;
}

TERRANE_CLONES
void kernel_ridge_derivative(uint32_t count, const struct kernel_ridge *ridge,
                             const float *restrict n, const float *restrict weight,
                             float *restrict fold_derivative)
{
    const float steep = 2.0f * ridge->detail;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        float edge = (1.0f - __builtin_fabsf(n[i])) * weight[i];
        fold_derivative[i] = n[i] < 0.0f ? steep * edge : -(steep * edge);
    }
}

TERRANE_CLONES
void kernel_zero_distance(uint32_t count, const float *restrict total_x,
                          const float *restrict total_y, float limit, float *restrict out)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        float steep = __builtin_sqrtf(total_x[i] * total_x[i] + total_y[i] * total_y[i]);
        float size = __builtin_fabsf(out[i]);
        out[i] = size < limit * steep ? size / steep : limit;
    }
}
