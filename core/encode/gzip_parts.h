/* One gzip member (RFC 1952) in parts that are compressed separately, by several threads if need
 * be, and sent one after another: the header, any number of parts, the trailer. */
#ifndef TERRANE_ENCODE_GZIP_PARTS_H
#define TERRANE_ENCODE_GZIP_PARTS_H

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Checksum and length of the parts so far, for the trailer. Zeroed at first. */
struct gzip_trailer {
    uint32_t checksum;
    uint64_t length;
};

void gzip_parts_write_header(struct buffer *out);
/* Appends the bytes, compressed by ISA-L's level 1, and adds them to the sum; false with
 * ERROR_MEMORY. */
bool gzip_parts_add(const struct buffer *bytes, struct gzip_trailer *sum, struct buffer *out,
                    struct error *error);
/* Adds the sum of the parts that follow. */
void gzip_trailer_combine(struct gzip_trailer *sum, const struct gzip_trailer *following);
void gzip_parts_write_trailer(const struct gzip_trailer *sum, struct buffer *out);

#endif
