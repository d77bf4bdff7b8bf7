/* What vectorised loops over short runs of floats share. */
#ifndef TERRANE_BASE_LANES_H
#define TERRANE_BASE_LANES_H

#include "core/base/simd.h"

enum { LANES = 16 }; /* values in a run */

TERRANE_INLINE float lesser(float a, float b)
{
    return a < b ? a : b;
}

TERRANE_INLINE float greater(float a, float b)
{
    return a > b ? a : b;
}

/* The least and the greatest of LANES values, by halving. */
TERRANE_INLINE void lanes_bound(const float *restrict v, float *low, float *high)
{
    float low8[8], high8[8], low4[4], high4[4];
    TERRANE_LANES
    for (int i = 0; i < 8; i++) {
        low8[i] = lesser(v[i], v[i + 8]);
        high8[i] = greater(v[i], v[i + 8]);
    }
    TERRANE_LANES
    for (int i = 0; i < 4; i++) {
        low4[i] = lesser(low8[i], low8[i + 4]);
        high4[i] = greater(high8[i], high8[i + 4]);
    }
    *low = lesser(lesser(low4[0], low4[1]), lesser(low4[2], low4[3]));
    *high = greater(greater(high4[0], high4[1]), greater(high4[2], high4[3]));
}

#endif
