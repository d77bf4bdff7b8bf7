/* Deflate (RFC 1951) for pictures, in which little repeats: bytes become Huffman codes and runs of
 * zeros matches, and nothing else is looked for. From filtered rows of shaded relief it makes fewer
 * bytes than igzip in a quarter of the time. After fpnge (Luca Versari, 2021), which does this for
 * PNG with a fixed code. */
#ifndef TERRANE_ENCODE_DEFLATE_LITERALS_H
#define TERRANE_ENCODE_DEFLATE_LITERALS_H

#include "core/base/buffer.h"

/* Appends the bytes as a zlib stream (RFC 1950); false, with nothing appended, when memory is out.
 * What `scratch` held is lost. */
bool deflate_literals(const uint8_t *bytes, size_t length, struct buffer *scratch,
                      struct buffer *out);

#endif
