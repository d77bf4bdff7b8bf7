/* Numbers from and to text, the same in every locale and on every machine. */
#ifndef TERRANE_BASE_NUMBER_H
#define TERRANE_BASE_NUMBER_H

#include "core/base/error.h"

enum { NUMBER_TEXT = 32 }; /* bytes that hold every number written here, the zero included */

/* The length of the decimal number at the start of `text`: [-]digits[.digits][e[±]digits],
 * no leading zeros but "0", no "+", hex, inf or nan; 0 if there is none. JSON's own grammar. */
size_t number_scan(const char *text, size_t length);

/* Reads all of `text` as a number, to the nearest double by its 19 leading digits. False without
 * touching *value if it is not such a decimal number or too large for a double. */
bool number_parse(const char *text, size_t length, double *value);

/* Reads a whole decimal number in min … max. No exponent, no fraction, no leading zeros, no "-0":
 * each number has exactly one text. */
bool number_parse_integer(const char *text, size_t length, int64_t min, int64_t max,
                          int64_t *value);
/* number_parse_integer() for 0 … 2⁶⁴−1. */
bool number_parse_unsigned(const char *text, size_t length, uint64_t *value);

/* Writes the shortest decimal, of 1 to 9 (1 to 17) significant digits, that reads back to the same
 * float (double); with an exponent below 1e-5 and from 1e15 on. Values that are not finite are
 * written as 0. Returns the length; `out` is terminated. */
size_t number_format_float(float value, char out[NUMBER_TEXT]);
size_t number_format_double(double value, char out[NUMBER_TEXT]);

#endif
