/* The gzip format (RFC 1952), for responses with Content-Encoding: gzip and for vector tiles. The
 * bytes of libdeflate depend on the input and the level alone, not on the machine; the header has
 * no time, no name and no system. */
#ifndef TERRANE_ENCODE_GZIP_H
#define TERRANE_ENCODE_GZIP_H

#include "core/base/buffer.h"
#include "core/base/error.h"

enum {
    GZIP_LEVEL_MAX = 12,   /* levels 1 … 12 */
    GZIP_LEVEL_SERVE = 4,  /* fast: while a client waits */
    GZIP_LEVEL_EXPORT = 9, /* small */
};

/* The scratch memory of one thread: up to a megabyte, depending on the level used last. */
struct gzip_encoder;
struct gzip_encoder *gzip_encoder_new(void);          /* null when memory is out */
void gzip_encoder_free(struct gzip_encoder *encoder); /* null is allowed */

/* Appends a whole gzip member to `out`; false with ERROR_MEMORY, and `out` as it was. */
bool gzip_compress(struct gzip_encoder *encoder, int level, const struct buffer *bytes,
                   struct buffer *out, struct error *error);

/* Appends what a whole gzip member holds, `most` bytes at most; false with ERROR_SYNTAX if it is
 * damaged, ERROR_LIMIT if it holds more, or ERROR_MEMORY, and `out` as it was. */
bool gzip_decompress(const void *bytes, size_t length, size_t most, struct buffer *out,
                     struct error *error);

/* The checksum of gzip and PNG: CRC-32 with polynomial 0x04C11DB7, reflected. */
uint32_t gzip_crc32(const void *bytes, size_t length);

#endif
