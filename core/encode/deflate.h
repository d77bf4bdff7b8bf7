/* Compression to a zlib stream (RFC 1950) by two libraries: ISA-L's igzip is many times faster than
 * zlib, libdeflate gets smaller than zlib. Any zlib decompresses both. */
#ifndef TERRANE_ENCODE_DEFLATE_H
#define TERRANE_ENCODE_DEFLATE_H

#include "core/base/buffer.h"

enum {
    DEFLATE_FAST_MAX = 3,   /* levels 0 … 3 */
    DEFLATE_SMALL_MAX = 12, /* levels 1 … 12 */
};

/* The scratch memory of one thread: about 0.25 MB, and more after the first deflate_small(). */
struct deflater;
struct deflater *deflater_new(void); /* null when memory is out */
void deflater_free(struct deflater *deflater);

/* Append the compressed bytes; false, with some of them appended, when memory is out. At most
 * 2³¹ − 1 bytes. */
bool deflate_fast(struct deflater *deflater, int level, const uint8_t *bytes, size_t length,
                  struct buffer *out);
bool deflate_small(struct deflater *deflater, int level, const uint8_t *bytes, size_t length,
                   struct buffer *out);

#endif
