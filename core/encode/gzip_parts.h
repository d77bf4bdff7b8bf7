/* One gzip member (RFC 1952) in parts that are compressed each for itself, by several threads if
 * need be, and sent as they come: the head, any number of parts, the end. */
#ifndef TERRANE_ENCODE_GZIP_PARTS_H
#define TERRANE_ENCODE_GZIP_PARTS_H

#include "core/base/buffer.h"
#include "core/base/error.h"

/* What the end must know of the parts: begins zeroed. */
struct gzip_trailer {
    uint32_t checksum;
    uint64_t length;
};

void gzip_parts_write_header(struct buffer *out);
/* Appends the bytes, compressed by ISA-L's level 1, and adds them to the sum; false with
 * ERROR_MEMORY. */
bool gzip_parts_add(const struct buffer *bytes, struct gzip_trailer *sum, struct buffer *out,
                    struct error *error);
/* The sum of parts, and of those behind them. */
void gzip_trailer_combine(struct gzip_trailer *sum, const struct gzip_trailer *following);
void gzip_parts_write_trailer(const struct gzip_trailer *sum, struct buffer *out);

#endif
