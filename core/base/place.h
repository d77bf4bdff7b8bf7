/* Positions. A coordinate is an int64 in units of 2⁻¹⁶ m; +x is east, +y is south, z is up.
 * It is never a float or a double before its lattice cell is known. */
#ifndef TERRANE_BASE_PLACE_H
#define TERRANE_BASE_PLACE_H

#include "core/base/error.h"
#include "core/base/number.h"

enum { PLACE_BITS = 16 };                      /* fractional bits */
#define PLACE_METRE ((int64_t)1 << PLACE_BITS) /* one metre */
#define PLACE_LIMIT ((int64_t)1 << 56)         /* ±2⁴⁰ m, inclusive */

struct place {
    int64_t x, y;
};

/* Metres as decimal text, exactly: rounded to the nearest 2⁻¹⁶ m, ties to even. False with a
 * message (code ERROR_SYNTAX or ERROR_LIMIT) if it is no strict decimal or beyond ±2⁴⁰ m. */
bool place_parse(const char *text, size_t length, int64_t *coordinate, struct error *error);

/* The exact decimal value in metres (at most 16 digits behind the point), terminated. */
size_t place_format(int64_t coordinate, char out[NUMBER_TEXT]);

/* The nearest 2⁻¹⁶ m (or s) to finite metres within ±2⁴¹. */
static inline int64_t place_from_metres(double metres)
{
    return (int64_t)__builtin_floor(metres * (double)PLACE_METRE + 0.5);
}

/* a ÷ b rounded down, for b > 0: the index of the interval of length b that holds a. */
static inline int64_t place_floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Metres as a double: exact up to 2³⁷ m, nearest beyond. */
double place_metres(int64_t coordinate);

#endif
