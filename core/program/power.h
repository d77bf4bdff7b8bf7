/* Logarithms and powers of floats, in double: rounded to float once, at the end.
 *
 * A float is 2ⁿ·m with m in √½ … √2, and log₂ m is 2/ln 2 · artanh s with s = (m − 1) / (m + 1). Of
 * the series of artanh (s + s³/3 + s⁵/5 …) the first eight terms are taken: |s| is below 0.1716, so
 * what is left out is below 4·10⁻¹⁴ of the sum. A power is 2 to its logarithm, by eleven terms of
 * the exponential series for a remainder of at most ½ ln 2: 3·10⁻¹³. The errors before rounding are
 * therefore below a ten-thousandth of half the distance of floats, so nearly all results are the
 * nearest float. Only + − × ÷ of doubles and operations on bits are used, for the same bits
 * everywhere, and all of it is free of branches, for vectors. */
#ifndef TERRANE_PROGRAM_POWER_H
#define TERRANE_PROGRAM_POWER_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "core/base/simd.h"

#define POWER_LN2 0.693147180559945309417
#define POWER_SQRT_HALF_BITS 0x3F3504F3 /* of √½ as a float */
#define POWER_ROUND 0x1.8p52 /* added to a double below 2⁵¹, leaves its whole number */

/* WebAssembly has no wide vectors to gain from inlining, and its module is to be small. */
#ifdef __wasm__
#define POWER_FUNCTION static __attribute__((noinline, unused))
#else
#define POWER_FUNCTION TERRANE_INLINE
#endif

/* v = 2^exponent · m; v > 0, or the result means nothing. Returns artanh s for m. */
POWER_FUNCTION double power_split(float v, double *exponent)
{
    const float normal = v < FLT_MIN ? v * 0x1p24f : v;
    uint32_t bits;
    memcpy(&bits, &normal, sizeof bits);
    const int32_t whole = (int32_t)(bits - POWER_SQRT_HALF_BITS) >> 23;
    bits -= (uint32_t)whole << 23;
    float m;
    memcpy(&m, &bits, sizeof m);
    *exponent = (double)(v < FLT_MIN ? whole - 24 : whole);
    const double s = ((double)m - 1.0) / ((double)m + 1.0);
    const double q = s * s;
    double sum = 1.0 / 15.0;
    sum = sum * q + 1.0 / 13.0;
    sum = sum * q + 1.0 / 11.0;
    sum = sum * q + 1.0 / 9.0;
    sum = sum * q + 1.0 / 7.0;
    sum = sum * q + 1.0 / 5.0;
    sum = sum * q + 1.0 / 3.0;
    return s + s * q * sum;
}

/* The natural logarithm; 0 where v is not above 0. */
POWER_FUNCTION float power_log(float v)
{
    double exponent;
    const double artanh = power_split(v, &exponent);
    return v > 0.0f ? (float)(exponent * POWER_LN2 + 2.0 * artanh) : 0.0f;
}

/* 2 to the power of y, from −127 to 128 within the floats; 0 below, infinite above. */
POWER_FUNCTION float power_exp2(double y)
{
    const double limited = y < -200.0 ? -200.0 : y > 200.0 ? 200.0 : y;
    const double rounded = limited + POWER_ROUND;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits + 1023) << 52; /* 2 to the power of the whole number in the last bits */
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    const double r = (limited - (rounded - POWER_ROUND)) * POWER_LN2;
    double sum = 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r * r + r + 1.0;
    return limited < -126.0 ? 0.0f : (float)(sum * scale);
}

/* v to the power of e, as pow() of C defines it, with 0 in place of everything that is not a finite
 * number: of a negative v only whole powers are, and 0 has no negative ones. Below the normal
 * floats the result is 0. */
POWER_FUNCTION float power(float v, float e)
{
    double exponent;
    const double artanh = power_split(__builtin_fabsf(v), &exponent);
    const float size = power_exp2((double)e * (exponent + artanh * (2.0 / POWER_LN2)));
    const float half = e * 0.5f;
    const float of_zero = e == 0.0f ? 1.0f : 0.0f;
    const float signed_size = __builtin_floorf(half) != half ? -size : size;
    const float of_negative = __builtin_floorf(e) == e ? signed_size : 0.0f;
    const float value = v > 0.0f ? size : v < 0.0f ? of_negative : of_zero;
    return __builtin_fabsf(value) <= FLT_MAX ? value + 0.0f : 0.0f; /* -0 becomes +0 */
}

#endif
