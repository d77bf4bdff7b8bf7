/* Helpers for vectorised loops over short runs of floats. */
#ifndef TERRANE_BASE_LANES_H
#define TERRANE_BASE_LANES_H

#include "core/base/simd.h"

enum { LANES = 16 }; /* values in a run */

TERRANE_INLINE float min_float(float a, float b)
{
    return a < b ? a : b;
}

TERRANE_INLINE float max_float(float a, float b)
{
    return a > b ? a : b;
}

/* 0 and 1, but not to the compiler: gcc 12 makes four instructions of a clamp in a loop, two of
 * them selections, if it knows the bounds, and two if it does not. */
extern const float lanes_zero, lanes_one;

TERRANE_INLINE float not_below_zero(float v)
{
    return max_float(v, lanes_zero);
}

TERRANE_INLINE float clamp_unit(float v)
{
    return min_float(not_below_zero(v), lanes_one);
}

/* The least and the greatest of LANES values, by halving. */
TERRANE_INLINE void lanes_min_max(const float *restrict v, float *low, float *high)
{
    float low8[8], high8[8], low4[4], high4[4];
    TERRANE_NO_UNROLL
    for (int i = 0; i < 8; i++) {
        low8[i] = min_float(v[i], v[i + 8]);
        high8[i] = max_float(v[i], v[i + 8]);
    }
    TERRANE_NO_UNROLL
    for (int i = 0; i < 4; i++) {
        low4[i] = min_float(low8[i], low8[i + 4]);
        high4[i] = max_float(high8[i], high8[i + 4]);
    }
    *low = min_float(min_float(low4[0], low4[1]), min_float(low4[2], low4[3]));
    *high = max_float(max_float(high4[0], high4[1]), max_float(high4[2], high4[3]));
}

#endif
