/* The machine's own limit: how fast it multiplies and adds floats in a loop that the compiler
 * vectorises just as it does the noise kernels, for the same instruction sets. */
#include "core/noise/simd.h"
#include "tests/bench/measure.h"

enum {
    COUNT = 1024, /* 4 KB, in the nearest cache */
    PAIRS = 4,    /* enough for each load and store to cost nothing beside them */
    PASSES = 2000,
};

/* Elements are independent, so the processor works on as many at once as it can. */
TERRANE_CLONES
static void multiply_and_add(float *restrict values, float factor, float term)
{
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < COUNT; i++) {
            float v = values[i];
            v = v * factor + term;
            v = v * factor + term;
            v = v * factor + term;
            v = v * factor + term;
            values[i] = v;
        }
}

double arithmetic_measure(void)
{
    _Alignas(64) float values[COUNT] = {0};
    double start = measure_now();
    multiply_and_add(values, 0.5f, 1.0f);
    double time = measure_now() - start;
    /* All have come to 2; a loop that is looked at afterwards cannot be left out. */
    if (values[COUNT / 2] != 2.0f)
        measure_stop("arithmetic", "a sum is wrong");
    return time * 1e9 / (2.0 * PAIRS * COUNT * PASSES);
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
