/* The interface of a tier behind the memory cache, which stores records by key on a disk or on
 * other machines.
 *
 * A record is sealed with its key and a checksum (record.h), and is opened with the requested key.
 * So a tier may forget, fail or return anything at all, and no wrong byte is served. get() may
 * block for as long as the tier's timeout, so it is called on threads of its own, never on an event
 * loop or a render thread. All methods may be called by many threads. */
#ifndef TERRANE_SERVER_CACHE_STORE_H
#define TERRANE_SERVER_CACHE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/cache/key.h"

enum store_result {
    STORE_HIT,
    STORE_MISS,
    STORE_FAILED, /* the tier does not work at the moment; handled like a miss */
};

/* Each member is atomic in a store. */
struct store_statistics {
    uint64_t hits, misses, failures; /* of get(), since the start */
    uint64_t writes, write_failures;
    uint64_t evictions;
    uint64_t damaged; /* records that were found and could not be opened */
    uint64_t bytes;   /* stored; 0 if the tier does not know */
};

struct store;

struct store_methods {
    const char *name; /* the value of X-Terrane-Cache: "disk", "shared" */
    /* True, and counted as a failure, if get() would fail at once; then no request is queued for a
     * fetch thread. Never blocks, so event loops may call it. */
    bool (*is_unavailable)(struct store *store, const struct cache_key *key);
    /* Appends the record to `out` on a hit. */
    enum store_result (*get)(struct store *store, const struct cache_key *key, struct buffer *out);
    /* Stores a copy, in place of an older one. A failure is only counted: the response is served
     * from memory either way. */
    void (*put)(struct store *store, const struct cache_key *key, const uint8_t *record,
                size_t length);
    /* Deletes the record of the key, which get() returned and record_open() refused. */
    void (*invalidate)(struct store *store, const struct cache_key *key);
    /* From now on no call waits for another machine: those that wait fail at once. Null if none
     * does. */
    void (*cancel)(struct store *store);
    /* Writes what is queued and frees the tier. */
    void (*free)(struct store *store);
};

/* The first member of each tier's own struct. */
struct store {
    const struct store_methods *methods;
    unsigned timeout; /* milliseconds: how long a request may wait for get() */
    struct store_statistics counts;
};

#define store_count(store, member, amount)                                                         \
    __atomic_fetch_add(&(store)->counts.member, (amount), __ATOMIC_RELAXED)

static inline struct store_statistics store_statistics(const struct store *store)
{
    return (struct store_statistics){
        .hits = __atomic_load_n(&store->counts.hits, __ATOMIC_RELAXED),
        .misses = __atomic_load_n(&store->counts.misses, __ATOMIC_RELAXED),
        .failures = __atomic_load_n(&store->counts.failures, __ATOMIC_RELAXED),
        .writes = __atomic_load_n(&store->counts.writes, __ATOMIC_RELAXED),
        .write_failures = __atomic_load_n(&store->counts.write_failures, __ATOMIC_RELAXED),
        .evictions = __atomic_load_n(&store->counts.evictions, __ATOMIC_RELAXED),
        .damaged = __atomic_load_n(&store->counts.damaged, __ATOMIC_RELAXED),
        .bytes = __atomic_load_n(&store->counts.bytes, __ATOMIC_RELAXED),
    };
}

#endif
