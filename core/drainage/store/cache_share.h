/* A cache of streams and land that samplers share: the part of it that callers see. */
#ifndef TERRANE_DRAINAGE_STORE_CACHE_SHARE_H
#define TERRANE_DRAINAGE_STORE_CACHE_SHARE_H

#include <stddef.h>

struct drainage_cache;

/* A cache of `bytes`, with one reference: the caller's. Null when memory is out. */
struct drainage_cache *drainage_cache_new(size_t bytes);
/* Another reference to it, which is returned. */
struct drainage_cache *drainage_cache_retain(struct drainage_cache *cache);
void drainage_cache_release(struct drainage_cache *cache); /* null is allowed */
/* The bytes that it holds now, also those of its table, of items that are still being made, and of
 * items that it gave up but threads still use. */
size_t drainage_cache_bytes(const struct drainage_cache *cache);

#endif
