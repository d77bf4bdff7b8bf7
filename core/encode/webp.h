/* WebP, by libwebp. Numbers, areas of flat colour and grey gradients are lossless: a reader gets
 * the exact colours. Pictures are lossy: a tenth of their PNG's size, at a quality whose loss
 * hardly shows: 36 dB and more in brightness. The format halves the resolution of colours, so where
 * these change from pixel to pixel, as in reliefs of whole continents, it is down to 27 dB in all,
 * at any quality.
 *
 * The settings of each content and effort are those that `make bench` with ENCODE=1 shows to be
 * worth their time. While somebody waits, flat areas are a tenth smaller than as PNG, but numbers
 * and greys longer (1.07 and 1.27 times), as what makes them smaller takes ten milliseconds a tile;
 * exports take these (0.81 and 0.94 of the exported PNG).
 *
 * The bytes depend on the image, the effort and libwebp's version alone, while there is memory. One
 * thread does the work; calls share nothing, so any number of threads may encode at once.
 */
#ifndef TERRANE_ENCODE_WEBP_H
#define TERRANE_ENCODE_WEBP_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/image.h"

enum {
    WEBP_VERSION = 1,      /* changes when the bytes for the same pixels do: part of every ETag */
    WEBP_SIDE_MAX = 16383, /* pixels; the format has 14 bits for it */
};

enum webp_effort {
    WEBP_SERVE,  /* a tile while somebody waits */
    WEBP_EXPORT, /* smaller, in four to nine times the time */
};

/* Whether the pixels of such an image come back exactly. */
bool webp_is_lossless(enum image_content content);

/* Appends a whole WebP file to `out`: opaque, no metadata. Grey and palettes become colours, as the
 * format has nothing else. Without the memory for what only saves bytes, a lossless file is longer
 * but as exact. False, with nothing appended, when memory is out (ERROR_MEMORY), a side is 0 or
 * beyond WEBP_SIDE_MAX (ERROR_LIMIT), the image is IMAGE_GREY16 or an index has no colour
 * (ERROR_VALUE). */
bool webp_encode(const struct image *image, enum webp_effort effort, struct buffer *out,
                 struct error *error);

#endif
