/* A tier behind the memory cache: keeps records by key, on a disk or on other machines.
 *
 * A record is bytes that record.h has sealed with the key and a checksum; whoever reads one opens
 * it with the key that was asked for, so a tier may forget, fail or answer rubbish, and no wrong
 * byte is ever served. Getting may block for as long as the tier's own timeout says, so it happens
 * on threads of its own, never on an event loop or a render thread. All methods may be called by
 * many threads. */
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
    STORE_FAILED, /* the tier does not work at the moment; as good as a miss */
};

struct store_statistics {
    uint64_t hits, misses, failures; /* of get, since the start */
    uint64_t writes, write_failures;
    uint64_t evictions;
    uint64_t damaged; /* records that were there and could not be opened */
    uint64_t bytes;   /* held; 0 if the tier cannot say */
};

struct store;

struct store_methods {
    const char *name; /* as X-Terrane-Cache says it: "disk", "shared" */
    /* True, and counted as a failure, if get() would fail at once: then nobody waits for a thread
     * to ask. Waits for nothing, so event loops may call it. */
    bool (*is_unavailable)(struct store *store, const struct cache_key *key);
    /* Appends the record to `out` on a hit. */
    enum store_result (*get)(struct store *store, const struct cache_key *key, struct buffer *out);
    /* Keeps a copy, in place of an older one. Nothing is said of a failure but in the statistics:
     * the answer is served all the same. */
    void (*put)(struct store *store, const struct cache_key *key, const uint8_t *record,
                size_t length);
    /* The record that get() gave for the key could not be opened: the tier forgets it. */
    void (*invalidate)(struct store *store, const struct cache_key *key);
    struct store_statistics (*statistics)(struct store *store);
    /* Ends the tier, writing what waits to be written. */
    void (*free)(struct store *store);
};

/* The first member of each tier's own struct. */
struct store {
    const struct store_methods *methods;
};

#endif
