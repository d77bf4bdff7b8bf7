/* One source for every instruction set: a function marked TERRANE_CLONES is compiled for AVX-512,
 * AVX2 and the baseline, and the loader picks one. No intrinsics; the scalar meaning of the C is
 * the truth, and -ffp-contract=off keeps all clones to the same bits.
 *
 * Sanitizers run before the loader's choice could be made, so their builds have the baseline only;
 * clang 14 has no target_clones, so its builds use the instruction set the compiler was told. */
#ifndef TERRANE_BASE_SIMD_H
#define TERRANE_BASE_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) &&    \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(TERRANE_BASELINE)
#define TERRANE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define TERRANE_HAS_CLONES 1
/* For loops on single words: shifts whose distance is any register (BMI2). */
#define TERRANE_BIT_CLONES __attribute__((target_clones("bmi2", "default")))
#else
#define TERRANE_CLONES
#define TERRANE_BIT_CLONES
#endif

/* Before a loop of a few lanes: vectorise it, do not unroll it into scalars first. */
#if defined(__GNUC__) && !defined(__clang__)
#define TERRANE_NO_UNROLL _Pragma("GCC unroll 1")
#else
#define TERRANE_NO_UNROLL
#endif

/* Before a loop of few instructions that is not vectorised: takes 8 rounds at once. */
#if defined(__clang__)
#define TERRANE_UNROLL _Pragma("clang loop unroll_count(8)")
#elif defined(__GNUC__)
#define TERRANE_UNROLL _Pragma("GCC unroll 8")
#else
#define TERRANE_UNROLL
#endif

/* Before a loop whose stores are not read by later rounds, however the pointers came about. clang
 * takes its "assume_safety" for small arrays within the loop, too, and at -O1 it gave one array to
 * all lanes; it may look for itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define TERRANE_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(__clang__)
#define TERRANE_INDEPENDENT _Pragma("clang loop vectorize(enable)")
#else
#define TERRANE_INDEPENDENT
#endif

/* Both: before a loop of a few lanes whose rounds are independent. */
#if defined(__clang__)
#define TERRANE_INDEPENDENT_NO_UNROLL                                                              \
    _Pragma("clang loop vectorize(enable) interleave(disable) unroll(disable)")
#else
#define TERRANE_INDEPENDENT_NO_UNROLL TERRANE_INDEPENDENT TERRANE_NO_UNROLL
#endif

#define TERRANE_INLINE static inline __attribute__((always_inline))

#endif
