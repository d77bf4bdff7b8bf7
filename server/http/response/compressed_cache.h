/* Compressed documents, by the hash of their content and the coding: a small table of one loop, so
 * that a document is not compressed for each request. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_COMPRESSED_CACHE_H
#define TERRANE_SERVER_HTTP_RESPONSE_COMPRESSED_CACHE_H

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "server/render/coding.h"

struct compressed_cache;
/* The bytes that it stores are added to `*account` (atomic). Null when memory is out. */
struct compressed_cache *compressed_cache_new(size_t *account);
void compressed_cache_free(struct compressed_cache *cache); /* null is allowed */

/* Compresses the body, which has that hash, in a coding that is not identity. False, and an empty
 * body, when memory is out or was when the body was made. */
bool compressed_cache_encode(struct compressed_cache *cache, struct hash128 hash,
                             enum coding coding, struct buffer *body);

#endif
