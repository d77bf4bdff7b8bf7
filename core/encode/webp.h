/* WebP, by libwebp. Numbers, areas of flat colour and grey gradients are lossless: a reader gets
 * the exact colours. Pictures are lossy: half the size of their PNG, at a quality where the loss
 * is not seen.
 *
 * The settings of each content and effort are the ones that `make bench` with ENCODE=1 shows to be
 * worth their time. The bytes depend on the image, the effort and libwebp's version alone. One
 * thread does the work; calls share nothing, so any number of threads may encode at once. */
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
    WEBP_EXPORT, /* smaller, in ten times the time */
};

/* Whether the pixels of such an image come back exactly. */
bool webp_is_lossless(enum image_content content);

/* Appends a whole WebP file to `out`: opaque, no metadata. Grey and palettes become colours, as the
 * format has nothing else. False, with nothing appended, when memory is out (ERROR_MEMORY), a side
 * is 0 or beyond WEBP_SIDE_MAX (ERROR_LIMIT), the image is IMAGE_GREY16 or an index has no colour
 * (ERROR_VALUE). */
bool webp_encode(const struct image *image, enum webp_effort effort, struct buffer *out,
                 struct error *error);

#endif
