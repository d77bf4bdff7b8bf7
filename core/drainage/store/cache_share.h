/* A cache of streams and land that samplers share: the part of it that callers see. */
#ifndef TERRANE_DRAINAGE_STORE_CACHE_SHARE_H
#define TERRANE_DRAINAGE_STORE_CACHE_SHARE_H

#include <stddef.h>

struct drainage_cache;

/* A cache of `bytes`, with one reference: the caller's. Null when memory is out. */
struct drainage_cache *drainage_cache_new(size_t bytes);
struct drainage_cache *drainage_cache_retain(struct drainage_cache *cache);
void drainage_cache_release(struct drainage_cache *cache); /* null is allowed */
/* The bytes that it holds now, with what it gave up but somebody still uses. */
size_t drainage_cache_bytes(const struct drainage_cache *cache);

#endif
