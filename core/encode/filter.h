/* PNG's row filters (PNG specification, chapter 9): each byte less a prediction from its
 * neighbours, which compresses better than the byte itself. The compiler vectorises the loops. */
#ifndef TERRANE_ENCODE_FILTER_H
#define TERRANE_ENCODE_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum filter { /* the numbers that stand in the file */
              FILTER_NONE = 0,
              FILTER_SUB = 1,     /* the byte to the left */
              FILTER_UP = 2,      /* above */
              FILTER_AVERAGE = 3, /* the mean of both */
              FILTER_PAETH =
                  4, /* left, above or upper left: the nearest to left + above − upper left */
};

struct filter_rows {
    const uint8_t *row, *above; /* `above` of the first row is a row of zeros */
    size_t length;              /* bytes in a row */
    size_t step; /* from a byte to the one it is compared with on the left: 1 … 8 */
};

/* Writes the filter's number and the filtered row: length + 1 bytes, apart from the rows. */
void filter_row(enum filter filter, const struct filter_rows *rows, uint8_t *restrict out);

#endif
