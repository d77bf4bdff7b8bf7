/* Tiles as text for a terminal: a picture in 24-bit colour, or heights in plain ASCII characters.
 *
 * A character is taken to be twice as high as wide, so a square comes out as `columns` characters
 * by columns / 2 lines. Every line ends in a newline. The same input gives the same text on every
 * machine. */
#ifndef TERRANE_ENCODE_TERMINAL_H
#define TERRANE_ENCODE_TERMINAL_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/image.h"

enum {
    TERMINAL_VERSION = 1,  /* changes when the text for the same input does: part of every ETag */
    TERMINAL_COLUMNS = 80, /* the default */
    TERMINAL_COLUMNS_MIN = 8,
    TERMINAL_COLUMNS_MAX = 200,
    TERMINAL_LINES_MAX = 1000,
};

/* Appends UTF-8 with escape sequences: each character is an upper half block (U+2580) whose
 * foreground is the pixel above and whose background the one below. A colour is only set where it
 * changes, and every line ends with the terminal's own colours.
 *
 * A pixel of the text is the mean of the image over its area, weighed by how much of each pixel
 * lies in it, of the colours' squares: nearly the light that a screen sends out, so that fine
 * patterns keep their brightness. False, with nothing appended, when memory is out (ERROR_MEMORY),
 * the columns are out of range, the text would have more than TERMINAL_LINES_MAX lines or the image
 * is empty (ERROR_LIMIT), or it is IMAGE_GREY16 (ERROR_VALUE). Indices beyond a palette are
 * black. */
bool terminal_write_picture(const struct image *image, uint32_t columns, struct buffer *out,
                            struct error *error);

struct terminal_heights {
    const float *heights; /* metres, row-major, north to south; not owned */
    uint32_t columns, rows;
    float spacing; /* metres between samples, > 0 */
    bool sea;      /* samples below 0 are water; false for layers other than the height */
};

/* Appends ASCII. A character stands for land or water, whichever has more of its area, by the mean
 * height of that. Water is waves, ~, the closer the shallower: everywhere down to 50 m, in every
 * second place down to 500 m, here and there beyond. Land rises through
 *   . : - = + * % @ ^
 * from the lowest of the text to the highest, by the root of the height, and is lit from the
 * north-west: a slope that faces the light has a denser character than its height calls for, one
 * that turns away a thinner one, by at most two. False as above. */
bool terminal_write_heights(const struct terminal_heights *heights, uint32_t columns,
                            struct buffer *out, struct error *error);

#endif
