/* PNG (ISO/IEC 15948). The rows are filtered in loops that the compiler vectorises and deflated by
 * deflate_literals.h or ISA-L's igzip (for serving), or by libdeflate (for exports: smaller and
 * slower).
 *
 * Filter, compressor and level are chosen by the image's content; the figures behind the choice are
 * printed by `make bench`. Output depends on the image and the effort alone. */
#ifndef TERRANE_ENCODE_PNG_H
#define TERRANE_ENCODE_PNG_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/image.h"

enum {
    PNG_VERSION = 3,      /* changes when the bytes for the same pixels do: part of every ETag */
    PNG_SIDE_MAX = 65535, /* pixels, of png_encode() */
};

enum png_effort {
    PNG_SERVE,  /* fast: for tiles that a client waits for */
    PNG_EXPORT, /* small: for files. A seventh more than the smallest, in half the time of a tile */
};

/* The scratch memory of one thread. */
struct png_encoder;
struct png_encoder *png_encoder_new(void);          /* null when memory is out */
void png_encoder_free(struct png_encoder *encoder); /* null is allowed */

/* Appends a whole PNG file to `out`: opaque but for IMAGE_RGBA8, no gamma and no colour chunks, no
 * time, no text. The file has those colours of a palette that occur if these are 16 at most (then
 * 4, 2 or 1 bits a pixel), else all. False, with nothing appended, when memory is out, an index has
 * no colour, or the image is empty, wider or higher than PNG_SIDE_MAX, or has more than 2 GiB. */
bool png_encode(struct png_encoder *encoder, const struct image *image, enum png_effort effort,
                struct buffer *out, struct error *error);

#endif
