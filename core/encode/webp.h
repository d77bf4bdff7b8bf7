/* WebP, by libwebp. Numbers, areas of flat colour and grey gradients are lossless: a reader gets
 * the exact colours. Pictures are lossy: a tenth of the size of their PNG, at a quality whose loss
 * is hardly visible (36 dB and more in brightness). The format halves the resolution of colours, so
 * where colours change from pixel to pixel, as in reliefs of whole continents, the total falls to
 * 27 dB at any quality.
 *
 * `make bench` with ENCODE=1 prints the figures behind the settings; tests/bench/README.md has
 * them. For serving, flat areas are a tenth smaller than as PNG, but numbers and greys are larger
 * (1.07 and 1.27 times): smaller ones would take ten milliseconds a tile. Exports take that time
 * (0.81 and 0.94 of the exported PNG).
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
    WEBP_SERVE,  /* fast: for tiles that a client waits for */
    WEBP_EXPORT, /* smaller, in four to nine times the time */
};

/* Appends a whole WebP file to `out`: opaque, no metadata. Grey and palettes become colours, as the
 * format has nothing else. Without the memory for what only saves bytes, a lossless file is longer
 * but as exact. False, with nothing appended, when memory is out (ERROR_MEMORY), a side is 0 or
 * beyond WEBP_SIDE_MAX (ERROR_LIMIT), the image is IMAGE_GREY16 or an index has no colour
 * (ERROR_VALUE). */
bool webp_encode(const struct image *image, enum webp_effort effort, struct buffer *out,
                 struct error *error);

#endif
