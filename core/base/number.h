/* Numbers from and to text, the same in every locale and on every machine. */
#ifndef TERRANE_BASE_NUMBER_H
#define TERRANE_BASE_NUMBER_H

#include "core/base/error.h"

enum { NUMBER_TEXT = 32 }; /* bytes that hold every number written here, the zero included */

/* The length of the strict decimal number at the start of `text`: [-]digits[.digits][e[±]digits],
 * no leading zeros but "0", no "+", hex, inf or nan; 0 if there is none. JSON's own grammar. */
size_t number_scan(const char *text, size_t length);

/* The whole of `text` as a number. The 19 leading digits count. False without touching *value if
 * it is not a strict decimal or not finite. */
bool number_parse(const char *text, size_t length, double *value);

/* A whole decimal number in min … max; no exponent, no fraction, no leading zeros, no "-0": every
 * number has one text. */
bool number_parse_integer(const char *text, size_t length, int64_t min, int64_t max,
                          int64_t *value);
/* Likewise 0 … 2⁶⁴−1. */
bool number_parse_unsigned(const char *text, size_t length, uint64_t *value);

/* The shortest of 1 to 9 (1 to 17) significant digits that reads back to the same float (double),
 * as JSON writes it: no exponent between 1e-5 and 1e15. Not finite is written as 0. Returns the
 * length, `out` is terminated. */
size_t number_format_float(float value, char out[NUMBER_TEXT]);
size_t number_format_double(double value, char out[NUMBER_TEXT]);

#endif
