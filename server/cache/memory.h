/* Answers kept in memory: the least recently used go when their bytes exceed the capacity.
 *
 * Values are counted references, so one that is being sent outlives its eviction. The cache is
 * split into shards, each with a lock of its own that is held for a few pointer moves only, also
 * while a table grows; values are released outside it. All functions may be called by many threads.
 */
#ifndef TERRANE_SERVER_CACHE_MEMORY_H
#define TERRANE_SERVER_CACHE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "server/cache/key.h"

/* The head of everything that can be cached: the first member of a struct of the caller's. */
struct cache_value {
    unsigned references; /* atomic */
    size_t cost;         /* bytes of memory it holds, allocations' overhead included */
    void (*destroy)(struct cache_value *value); /* at the last release */
};

/* One reference, the caller's. */
void cache_value_init(struct cache_value *value, size_t cost,
                      void (*destroy)(struct cache_value *value));
void cache_value_retain(struct cache_value *value);
void cache_value_release(struct cache_value *value); /* null is allowed */

/* What the allocator takes for a block of that size; for counting costs. */
size_t allocated_size(size_t size);

struct memory_cache;

struct memory_statistics {
    size_t bytes; /* costs of all entries, with the cache's own overhead for each */
    size_t entries;
    uint64_t evictions; /* since the start */
};

/* `capacity` in bytes, 0 keeps nothing. Null when memory is out. */
struct memory_cache *memory_cache_new(size_t capacity);
void memory_cache_free(struct memory_cache *cache); /* null is allowed */

/* Another capacity; what is over it goes, a little at a time. The number of shards stays. For one
 * thread at a time. */
void memory_cache_resize(struct memory_cache *cache, size_t capacity);

/* Bytes that it may hold, a little less than was asked for. */
size_t memory_cache_capacity(const struct memory_cache *cache);

/* The value with a reference for the caller, or null. It becomes the most recently used. */
struct cache_value *memory_cache_get(struct memory_cache *cache, const struct cache_key *key);
/* Keeps the value, with a reference of its own, in place of an older one of that key. Nothing is
 * kept if it is larger than a shard or if memory is out. */
void memory_cache_put(struct memory_cache *cache, const struct cache_key *key,
                      struct cache_value *value);
struct memory_statistics memory_cache_statistics(struct memory_cache *cache);

#endif
