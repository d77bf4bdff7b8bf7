/* The exact arithmetic of number.h and place.h: decimal text in parts, and whole numbers scaled by
 * powers of two and ten without rounding. */
#ifndef TERRANE_BASE_DECIMAL_H
#define TERRANE_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ±0.d₁d₂d₃… × 10^point, where d₁ is the first digit that is not 0. */
struct decimal {
    bool negative;
    const char
        *digits;   /* from d₁ to the last one written, a "." may be between; null if all are 0 */
    size_t length; /* bytes of `digits` */
    int64_t point; /* within ±2⁴⁰; exponents beyond are cut there */
};

/* Reads all of `text`; false if it is not a decimal number as number_scan() defines it. */
bool decimal_read(const char *text, size_t length, struct decimal *decimal);

/* value = (top + fraction) · 2^exponent with top in 2⁶³ … 2⁶⁴−1 and fraction in 0 … 1. */
struct scaled {
    uint64_t top;
    int exponent;
    bool inexact; /* the fraction is not 0 */
};

/* mantissa · 2^two · 10^ten, exactly; mantissa > 0 and |ten| ≤ DECIMAL_POWER_OF_TEN_MAX. */
enum { DECIMAL_POWER_OF_TEN_MAX = 400 };
struct scaled decimal_scale(uint64_t mantissa, int power_of_two, int power_of_ten);

/* The bits of the IEEE 754 binary64 nearest to the value, ties to even; infinity beyond. */
uint64_t decimal_round_double(struct scaled value);

#endif
