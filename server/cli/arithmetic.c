/* Measures how fast the machine multiplies and adds floats in a loop that the compiler vectorises
 * like the noise kernels, for the same instruction sets. The figure is what a kernel could reach at
 * best. */
#include "server/cli/arithmetic.h"

#include "core/base/simd.h"
#include "server/base/clock.h"

enum {
    /* Elements of each of four streams. All fit into the first-level cache, and no two are 4 KB
     * apart, which would make loads wait for unrelated stores (4K aliasing). */
    STREAM = 528,
    COUNT = 4 * STREAM,
    PASSES = 1000,
    OPERATIONS = 4, /* an element and pass */
};

/* Elements are independent, so that the processor can overlap them. With four streams the overhead
 * of the loop is small beside the arithmetic. */
TERRANE_CLONES
static void multiply_and_add(float *values, float factor, float term)
{
    float *restrict a = values, *restrict b = values + STREAM;
    float *restrict c = values + 2 * STREAM, *restrict d = values + 3 * STREAM;
    for (int i = 0; i < STREAM; i++) {
        a[i] = (a[i] * factor + term) * factor + term;
        b[i] = (b[i] * factor + term) * factor + term;
        c[i] = (c[i] * factor + term) * factor + term;
        d[i] = (d[i] * factor + term) * factor + term;
    }
}

double arithmetic_measure(void)
{
    _Alignas(64) float values[COUNT] = {0};
    double start = clock_seconds();
    for (int pass = 0; pass < PASSES; pass++)
        multiply_and_add(values, 0.5f, 1.0f);
    double time = clock_seconds() - start;
    /* All values have converged to 2. Reading one keeps the compiler from removing the loop. */
    return values[COUNT / 2] != 2.0f ? 0.0 : time * 1e9 / ((double)OPERATIONS * COUNT * PASSES);
}

const char *arithmetic_instructions(void)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    return __builtin_cpu_supports("avx512f") ? "AVX-512"
           : __builtin_cpu_supports("avx2")  ? "AVX2"
                                             : "SSE2";
#elif defined(__AVX512F__)
    return "AVX-512";
#elif defined(__AVX2__)
    return "AVX2";
#else
    return "baseline";
#endif
}
