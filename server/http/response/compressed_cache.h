/* Documents in their codings, each compressed once: a small table of one loop, by the hash of their
 * content. What takes the place of another in it is compressed anew when it is asked for again. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_COMPRESSED_CACHE_H
#define TERRANE_SERVER_HTTP_RESPONSE_COMPRESSED_CACHE_H

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "server/render/coding.h"

struct compressed_cache;
struct compressed_cache *compressed_cache_new(void);                   /* null when memory is out */
void compressed_cache_free(struct compressed_cache *compressed_cache); /* null is allowed */

/* Replaces the body, which has that hash, by what it is in a coding that is not identity. False,
 * and an empty body, when memory is out. */
bool compressed_cache_encode(struct compressed_cache *compressed_cache, struct hash128 hash,
                             enum coding coding, struct buffer *body);

#endif
