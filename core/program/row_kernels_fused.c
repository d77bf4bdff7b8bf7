/* The loops of operations that cannot overflow: sums, products and clamps, alone or two of them
 * fused into one pass over the rows.
 *
 * A pass loads its operands, computes and stores. Loads and stores take the time, not the
 * computation, so two operations in one pass take about that of one. A first operation on a, b and
 * k[0] gives v; a second one on v, c and k[1] gives the result. Each has its own rounding, as in
 * passes of their own, so fusing changes no bit. All combinations of the two lists are compiled.
 *
 * As the bounds exclude overflow, there is no check for infinities. A product may be −0, which
 * every result turns into +0: by adding 0.0f, except where the second operation does so itself. */
#include "core/base/simd.h"
#include "core/program/row_kernels.h"

#define FIRST_ROWS(X, second, result)                                                              \
    X(FUSED_ADD, second, a[i] + b[i], result)                                                      \
    X(FUSED_ADD_NUMBER, second, a[i] + k0, result)                                                 \
    X(FUSED_SUBTRACT, second, a[i] - b[i], result)                                                 \
    X(FUSED_FROM_NUMBER, second, k0 - a[i], result)                                                \
    X(FUSED_MULTIPLY, second, a[i] * b[i], result)                                                 \
    X(FUSED_SCALE, second, a[i] * k0, result)                                                      \
    X(FUSED_AT_LEAST, second, k0 > a[i] ? k0 : a[i], result)                                       \
    X(FUSED_AT_MOST, second, k0 < a[i] ? k0 : a[i], result)

#define ALL_ROWS(X)                                                                                \
    FIRST_ROWS(X, THEN_NOTHING, v + 0.0f)                                                          \
    FIRST_ROWS(X, THEN_ADD, v + c[i])                                                              \
    FIRST_ROWS(X, THEN_ADD_SCALED, v + c[i] * k1 + 0.0f)                                           \
    FIRST_ROWS(X, THEN_ADD_NUMBER, v + k1)                                                         \
    FIRST_ROWS(X, THEN_SUBTRACT, v - c[i] + 0.0f)                                                  \
    FIRST_ROWS(X, THEN_SUBTRACT_FROM, c[i] - v)                                                    \
    FIRST_ROWS(X, THEN_FROM_NUMBER, k1 - v)                                                        \
    FIRST_ROWS(X, THEN_MULTIPLY, v *c[i] + 0.0f)                                                   \
    FIRST_ROWS(X, THEN_SCALE, v *k1 + 0.0f)                                                        \
    FIRST_ROWS(X, THEN_AT_LEAST, k1 > v + 0.0f ? k1 : v + 0.0f)                                    \
    FIRST_ROWS(X, THEN_AT_MOST, k1 < v + 0.0f ? k1 : v + 0.0f)                                     \
    FIRST_ROWS(X, THEN_GREATER, c[i] > v + 0.0f ? c[i] : v + 0.0f)                                 \
    FIRST_ROWS(X, THEN_LESSER, c[i] < v + 0.0f ? c[i] : v + 0.0f)

typedef void fused_loop(size_t count, const float *restrict a, const float *restrict b,
                        const float *restrict c, const float k[2], float *restrict out);

#define LOOP(first, second, value, result)                                                         \
    TERRANE_CLONES static void run_##first##_##second(                                             \
        size_t count, const float *restrict a, const float *restrict b, const float *restrict c,   \
        const float k[2], float *restrict out)                                                     \
    {                                                                                              \
        const float k0 = k[0], k1 = k[1];                                                          \
        (void)b, (void)c, (void)k0, (void)k1;                                                      \
        for (size_t i = 0; i < count; i++) {                                                       \
            const float v = value;                                                                 \
            out[i] = result;                                                                       \
        }                                                                                          \
    }
ALL_ROWS(LOOP)

#define ENTRY(first, second, value, result) [second][first] = run_##first##_##second,
static fused_loop *const fused_loops[FUSED_SECONDS][FUSED_FIRSTS] = {ALL_ROWS(ENTRY)};

void run_fused(const struct program *program, const struct operation *operation, size_t count,
               const float *const operands[3], float *out)
{
    (void)program;
    fused_loop *const loop = fused_loops[operation->fused.second][operation->fused.first];
    loop(count, operands[0], operands[1], operands[2], operation->k, out);
}
