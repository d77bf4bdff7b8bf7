/* The machine's own limit: how fast it multiplies and adds floats in a loop that the compiler
 * vectorises just as it does the noise kernels, for the same instruction sets. */
#include "server/cli/arithmetic.h"

#include <time.h>

#include "core/base/simd.h"

enum {
    /* Elements of each of four streams. All are in the nearest cache, and none is 4 KB from
     * another, which would make loads wait for stores that have nothing to do with them. */
    STREAM = 528,
    COUNT = 4 * STREAM,
    PASSES = 1000,
    OPERATIONS = 4, /* an element and pass */
};

/* Elements are independent, so the processor works on as many at once as it can. Four streams, so
 * that beside the sums and products a round of the loop is nothing. */
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

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double arithmetic_measure(void)
{
    _Alignas(64) float values[COUNT] = {0};
    double start = seconds();
    for (int pass = 0; pass < PASSES; pass++)
        multiply_and_add(values, 0.5f, 1.0f);
    double time = seconds() - start;
    /* All have come to 2; a loop that is looked at afterwards cannot be left out. */
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
