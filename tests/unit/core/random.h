/* Random numbers for tests: xorshift64* (Vigna 2016), so that a failure can be repeated. */
#ifndef TERRANE_TESTS_RANDOM_H
#define TERRANE_TESTS_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

/* A whole number from low to high. */
static inline int64_t random_whole(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(random_bits(state) % ((uint64_t)(high - low) + 1));
}

/* −1 … 1. */
static inline double random_unit(uint64_t *state)
{
    return (double)(int64_t)random_bits(state) * 0x1p-63;
}

#endif
