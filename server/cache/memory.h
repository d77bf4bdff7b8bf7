/* The memory tier: responses by key, with least-recently-used eviction at a capacity in bytes.
 *
 * Values are reference-counted, so one that is being sent outlives its eviction. The cache is split
 * into shards, each with a lock that is held for a few pointer writes only, also while its table
 * grows; values are released outside the lock. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_CACHE_MEMORY_H
#define TERRANE_SERVER_CACHE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "server/cache/key.h"

/* The first member of every struct that can be cached. */
struct cache_value {
    unsigned references; /* atomic */
    size_t size;         /* bytes of memory that it occupies, allocation overhead included */
    void (*destroy)(struct cache_value *value); /* at the last release */
};

/* The caller holds the one reference. */
void cache_value_init(struct cache_value *value, size_t size,
                      void (*destroy)(struct cache_value *value));
void cache_value_retain(struct cache_value *value);
void cache_value_release(struct cache_value *value); /* null is allowed */

/* Bytes that malloc() occupies for a block of `size` bytes. */
size_t allocated_size(size_t size);

struct memory_cache;

struct memory_statistics {
    size_t bytes; /* sizes of all entries, with the cache's overhead for each */
    size_t entries;
    uint64_t evictions; /* since the start */
};

/* `capacity` in bytes, 0 keeps nothing. Null when memory is out. */
struct memory_cache *memory_cache_new(size_t capacity);
void memory_cache_free(struct memory_cache *cache); /* null is allowed */

/* Changes the capacity and evicts what exceeds it, a few entries per lock. The number of shards
 * stays. Not for two threads at the same time. */
void memory_cache_resize(struct memory_cache *cache, size_t capacity);

/* `charges` (atomic) are bytes in other places that count against the capacity: the cache shrinks
 * by as much, but to no less than half. The next put into each shard evicts what exceeds it.
 * Before other threads use the cache. */
void memory_cache_share_capacity(struct memory_cache *cache, const size_t *charges);

/* The value with a reference for the caller, or null. The entry becomes the most recently used. */
struct cache_value *memory_cache_get(struct memory_cache *cache, const struct cache_key *key);
/* Stores the value, with a reference of the cache's own, in place of an older one of that key. A
 * value larger than a shard is not stored; nor is any when memory is out. */
void memory_cache_put(struct memory_cache *cache, const struct cache_key *key,
                      struct cache_value *value);
struct memory_statistics memory_cache_statistics(struct memory_cache *cache);

#endif
