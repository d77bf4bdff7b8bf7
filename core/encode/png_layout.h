/* The layout of an image in a PNG file: colour type, depth, and the palette that its pixels need.
 */
#ifndef TERRANE_ENCODE_PNG_LAYOUT_H
#define TERRANE_ENCODE_PNG_LAYOUT_H

#include "core/base/error.h"
#include "core/tile/image.h"

enum { PNG_COLOURS_MAX = 256 };

struct png_layout {
    uint8_t colour_type; /* as in the file: 0 grey, 2 RGB, 3 palette, 6 RGBA */
    uint8_t depth;       /* bits of a channel: 1, 2, 4, 8, 16 */
    size_t row_bytes;    /* in the file, without the filter's number */
    size_t step;         /* bytes from a pixel to the next, at least 1: the filters' distance */
    /* Palette images: the colours in the file, and the new index of each old one. Half the bits
     * make a file smaller by a sixth. */
    unsigned colours;
    uint8_t palette[PNG_COLOURS_MAX * 3];
    uint8_t new_index[PNG_COLOURS_MAX];
};

/* False if a PNG cannot hold the image. */
bool png_layout_find(struct png_layout *layout, const struct image *image, struct error *error);

/* The bytes of a row before filtering: `pixels` itself, or `packed` (row_bytes long) if indices are
 * packed. */
const uint8_t *png_layout_row(const struct png_layout *layout, const uint8_t *pixels,
                              uint32_t width, uint8_t *packed);

#endif
