/* The loops that sum octaves. */
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
void kernel_ridge_rest(uint32_t count, const struct kernel_ridge *ridge, const float *shares,
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

/* An octave's gradient, turned back into the first octave's directions. */
TERRANE_INLINE float turned_x(const struct kernel_gradients *g, uint32_t i)
{
    return g->x[i] * g->cosine + g->y[i] * g->sine;
}

TERRANE_INLINE float turned_y(const struct kernel_gradients *g, uint32_t i)
{
    return g->y[i] * g->cosine - g->x[i] * g->sine;
}

TERRANE_CLONES
void kernel_hold(uint32_t count, const struct kernel_hold *hold,
                 const struct kernel_gradients *octave, const float *restrict factor)
{
    const struct kernel_hold k = *hold;
    const struct kernel_gradients g = *octave;
    float *restrict sum_x = k.sum_x, *restrict sum_y = k.sum_y, *restrict held = k.held;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        sum_x[i] += turned_x(&g, i) * factor[i];
        sum_y[i] += turned_y(&g, i) * factor[i];
        held[i] = 1.0f / (1.0f + k.damping * (sum_x[i] * sum_x[i] + sum_y[i] * sum_y[i]));
    }
}

TERRANE_CLONES
void kernel_add_held(uint32_t count, const float *restrict held, const float *restrict part,
                     float *restrict out)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        out[i] += part[i] * held[i];
}

TERRANE_CLONES
void kernel_sum(uint32_t count, float amplitude, const float *restrict n, float *restrict out)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        out[i] += n[i] * amplitude;
}

TERRANE_CLONES
void kernel_total(uint32_t count, const struct kernel_gradients *octave,
                  const struct kernel_total *total)
{
    const struct kernel_gradients g = *octave;
    const float *restrict factor = total->factor, *restrict held = total->held;
    float *restrict x = total->x, *restrict y = total->y;
    const float scale = total->scale;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const float steep = (factor[i] * held[i]) * scale;
        x[i] += turned_x(&g, i) * steep;
        y[i] += turned_y(&g, i) * steep;
    }
}

TERRANE_CLONES
void kernel_fold_slope(uint32_t count, const struct kernel_fold *fold, const float *restrict n,
                       float *restrict factor)
{
    const float steep = fold->gain * fold->detail;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        factor[i] = n[i] < 0.0f ? -steep : steep;
}

TERRANE_CLONES
void kernel_ridge_slope(uint32_t count, const struct kernel_ridge *ridge, const float *restrict n,
                        const float *restrict weight, float *restrict factor)
{
    const float steep = 2.0f * ridge->detail;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        float edge = (1.0f - __builtin_fabsf(n[i])) * weight[i];
        factor[i] = n[i] < 0.0f ? steep * edge : -(steep * edge);
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
