/* The loops over a row that fold an octave, damp it and add it to the sum (see fractal.c).
 *
 *   billow, turbulence   gain·|n| + bias
 *   ridged               (1 − |n|)²·weight; the octave's result times `feedback`, clamped to 0 … 1,
 *                        is the next octave's weight (F. K. Musgrave's ridged multifractal in Ebert
 *                        et al., "Texturing and Modeling", 3rd ed., chapter 16)
 *   damped               part / (1 + damping·|Σ gradient|²), after I. Quilez, "Value noise
 *                        derivatives" (2008)
 *
 * With level of detail d, a folded octave f is mean + d·(f − mean). Each loop is compiled for every
 * folding, so none branches on it. */
#include "core/base/lanes.h"
#include "core/noise/kernels.h"

/* An octave's part of the sum; the part's derivative by the octave's noise, without the share; and
 * the weight of the next octave. */
struct folded {
    float part, derivative, weight;
};

TERRANE_INLINE struct folded fold_plain(const struct kernel_fold *k, float n)
{
    const float rest = k->share * (1.0f - k->detail) * k->mean;
    return (struct folded){rest + n * (k->share * k->detail), k->detail, 1.0f};
}

TERRANE_INLINE struct folded fold_absolute(const struct kernel_fold *k, float n)
{
    const float folded = k->gain * __builtin_fabsf(n) + k->bias, steep = k->gain * k->detail;
    return (struct folded){(k->mean + k->detail * (folded - k->mean)) * k->share,
                           n < 0.0f ? -steep : steep, 1.0f};
}

TERRANE_INLINE struct folded fold_ridge(const struct kernel_fold *k, float n, float weight)
{
    const float edge = 1.0f - __builtin_fabsf(n), steep = 2.0f * k->detail * (edge * weight);
    const float signal = (k->mean + k->detail * (edge * edge - k->mean)) * weight;
    return (struct folded){signal * k->share, n < 0.0f ? steep : -steep,
                           clamp_unit(signal * k->feedback)};
}

/* Folds sample i, and replaces its weight. */
TERRANE_INLINE struct folded fold_sample(enum kernel_folding folding, const struct kernel_fold *k,
                                         float n, float *restrict weight, uint32_t i)
{
    if (folding == KERNEL_PLAIN)
        return fold_plain(k, n);
    if (folding == KERNEL_ABSOLUTE)
        return fold_absolute(k, n);
    const struct folded folded = fold_ridge(k, n, weight[i]);
    weight[i] = folded.weight;
    return folded;
}

/* `call`(folding, …) with a constant folding. */
#define FOR_EACH_FOLDING(choice, call, ...)                                                        \
    do {                                                                                           \
        switch (choice) {                                                                          \
        case KERNEL_PLAIN:                                                                         \
            call(KERNEL_PLAIN, __VA_ARGS__);                                                       \
            break;                                                                                 \
        case KERNEL_ABSOLUTE:                                                                      \
            call(KERNEL_ABSOLUTE, __VA_ARGS__);                                                    \
            break;                                                                                 \
        case KERNEL_RIDGE:                                                                         \
            call(KERNEL_RIDGE, __VA_ARGS__);                                                       \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

TERRANE_INLINE void add_folded(enum kernel_folding folding, uint32_t count,
                               const struct kernel_fold *fold, float *restrict n,
                               float *restrict weight, float *restrict out)
{
    const struct kernel_fold k = *fold;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        out[i] += fold_sample(folding, &k, n[i], weight, i).part;
        n[i] = 0.0f;
    }
}

TERRANE_CLONES
void kernel_add_folded(uint32_t count, const struct kernel_fold *fold, float *n, float *weight,
                       float *out)
{
    FOR_EACH_FOLDING(fold->folding, add_folded, count, fold, n, weight, out);
}

TERRANE_INLINE void begin_folded(enum kernel_folding folding, uint32_t count,
                                 const struct kernel_fold *fold, float *restrict n,
                                 float *restrict weight, float *restrict out)
{
    const struct kernel_fold k = *fold;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const float own = n[i];
        weight[i] = 1.0f;
        out[i] = 0.0f + fold_sample(folding, &k, own, weight, i).part;
        n[i] = 0.0f;
    }
}

TERRANE_CLONES
void kernel_begin_folded(uint32_t count, const struct kernel_fold *fold, float *n, float *weight,
                         float *out)
{
    FOR_EACH_FOLDING(fold->folding, begin_folded, count, fold, n, weight, out);
}

TERRANE_CLONES
void kernel_ridge_faded(uint32_t count, const struct kernel_fold *fold, const float *shares,
                        uint32_t octaves, float *restrict weight, float *restrict out)
{
    const struct kernel_fold k = *fold;
    for (uint32_t octave = 0; octave < octaves; octave++) {
        const float share = shares[octave];
        TERRANE_INDEPENDENT
        for (uint32_t i = 0; i < count; i++) {
            const float signal = k.mean * weight[i];
            out[i] += signal * share;
            weight[i] = clamp_unit(signal * k.feedback);
        }
    }
}

/* The gradient of sample i in the directions of the first octave: with rotate_octaves each octave's
 * lattice is turned against them. */
struct direction {
    float x, y;
};

TERRANE_INLINE struct direction rotated(const struct kernel_gradient_sum *sum, float x, float y)
{
    return (struct direction){x * sum->cosine + y * sum->sine, y * sum->cosine - x * sum->sine};
}

TERRANE_INLINE float squared_length(float x, float y)
{
    return x * x + y * y;
}

TERRANE_INLINE void add_damped(enum kernel_folding folding, uint32_t count,
                               const struct kernel_fold *fold, float damping,
                               const struct kernel_gradient_sum *all)
{
    const struct kernel_fold k = *fold;
    const struct kernel_gradient_sum sum = *all;
    const float *restrict n = sum.octave->n, *restrict x = sum.octave->x,
                          *restrict y = sum.octave->y;
    float *restrict sum_x = sum.x, *restrict sum_y = sum.y, *restrict out = sum.out;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct folded folded = fold_sample(folding, &k, n[i], sum.weight, i);
        const struct direction gradient = rotated(&sum, x[i], y[i]);
        sum_x[i] += gradient.x * folded.derivative;
        sum_y[i] += gradient.y * folded.derivative;
        out[i] += folded.part / (1.0f + damping * squared_length(sum_x[i], sum_y[i]));
    }
}

TERRANE_CLONES
void kernel_add_damped(uint32_t count, const struct kernel_fold *fold, float damping,
                       const struct kernel_gradient_sum *sum)
{
    FOR_EACH_FOLDING(fold->folding, add_damped, count, fold, damping, sum);
}

TERRANE_CLONES void kernel_damp(uint32_t count, float damping,
                                const struct kernel_gradient_sum *sum, const float *restrict part)
{
    const float *restrict x = sum->x, *restrict y = sum->y;
    float *restrict out = sum->out;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        out[i] += part[i] / (1.0f + damping * squared_length(x[i], y[i]));
}

TERRANE_INLINE void add_with_gradient(enum kernel_folding folding, uint32_t count,
                                      const struct kernel_fold *fold, float cells_per_metre,
                                      const struct kernel_gradient_sum *all)
{
    const struct kernel_fold k = *fold;
    const struct kernel_gradient_sum sum = *all;
    const float *restrict n = sum.octave->n, *restrict x = sum.octave->x,
                          *restrict y = sum.octave->y;
    float *restrict sum_x = sum.x, *restrict sum_y = sum.y, *restrict out = sum.out;
    const float scale = k.share * cells_per_metre;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct folded folded = fold_sample(folding, &k, n[i], sum.weight, i);
        const struct direction gradient = rotated(&sum, x[i], y[i]);
        const float steep = folded.derivative * scale;
        sum_x[i] += gradient.x * steep;
        sum_y[i] += gradient.y * steep;
        out[i] += folded.part;
    }
}

TERRANE_CLONES
void kernel_add_with_gradient(uint32_t count, const struct kernel_fold *fold, float cells_per_metre,
                              const struct kernel_gradient_sum *sum)
{
    FOR_EACH_FOLDING(fold->folding, add_with_gradient, count, fold, cells_per_metre, sum);
}

TERRANE_CLONES
void kernel_zero_distance(uint32_t count, const struct kernel_gradient_sum *sum, float limit)
{
    const float *restrict x = sum->x, *restrict y = sum->y;
    float *restrict out = sum->out;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const float steep = __builtin_sqrtf(squared_length(x[i], y[i]));
        const float size = __builtin_fabsf(out[i]);
        const float distance = size < limit * steep ? size / steep : limit;
        out[i] = out[i] < 0.0f ? -distance : distance;
    }
}
