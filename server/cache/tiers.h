/* The tiers behind the memory cache, nearest first, and the threads that talk to them.
 *
 * A tier is a store (store.h). To add a kind of tier, write its store in server/cache and append it
 * where the server starts (open_tiers() in server/http/server.c), behind those that are nearer:
 *
 *     if (options->cache_disk && !tiers_add(tiers, disk_open(&disk, error)))
 *         return false;
 *     if (options->cache_shared && !tiers_add(tiers, shared_open(&shared, error)))
 *         return false;
 *
 * Nothing else needs to know of it: X-Terrane-Cache says its name; what it returns is opened here
 * with the key and the build (a record that does not open is `invalidate`, and the next tier is
 * asked); a hit is put into the nearer tiers, a render into all. Its get() is called on fetch
 * threads of ordinary priority, put() and invalidate() on the one keeping thread and on fetch
 * threads; so each may take as long as its own timeout, but a slow put() holds up the other tiers'
 * puts.
 *
 * Asking must never cost much more than rendering: where every tier declines (store.h) nothing is
 * asked, and when tiers are slow nobody waits for a thread longer than TIERS_QUEUE_TIMEOUT_MS.
 *
 * All functions may be called by many threads, but for those of the start and the end. */
#ifndef TERRANE_SERVER_CACHE_TIERS_H
#define TERRANE_SERVER_CACHE_TIERS_H

#include "core/base/buffer.h"
#include "server/cache/record.h"
#include "server/cache/store.h"

enum {
    TIERS_MAX = 4,
    TIERS_FETCH_THREADS = 4,         /* threads; each may wait for a disk or a network */
    TIERS_FETCH_QUEUE_MAX = 1024,    /* that may wait for a thread */
    TIERS_QUEUE_TIMEOUT_MS = 250,    /* that one may; while one has, no more are taken */
    TIERS_PUT_QUEUE_BYTES = 4 << 20, /* bytes of records that may wait to be put; none is larger */
};

struct tiers;

/* None yet, and no thread. `build` is of what makes tiles here. Null when memory is out. */
struct tiers *tiers_new(struct hash128 build);
/* Appends a tier, which becomes the tiers' own. False if it is null (it could not be opened), or
 * if there are too many: then it has been freed. Before tiers_start() only. */
bool tiers_add(struct tiers *tiers, struct store *store);
/* Starts the threads, if there is a tier at all. */
bool tiers_start(struct tiers *tiers, struct error *error);
/* Puts what waits, ends the threads and the tiers. No fetch may be under way. Null is allowed. */
void tiers_free(struct tiers *tiers);

size_t tiers_count(const struct tiers *tiers);
/* The index-th tier, for its name and statistics. */
struct store *tiers_at(const struct tiers *tiers, size_t index);

/* A question to the tiers: a member of a struct of the caller's, not to be touched until `done`. */
struct tier_fetch {
    struct tier_fetch *next;
    int64_t queued_at; /* milliseconds; filled in here, like `first` */
    size_t first;      /* the nearest tier that does not decline */
    struct cache_key key;
    /* On a fetch thread, once. `record` is this key's and whole, borrowed for the call, and `tier`
     * the name of where it was; both null if nobody has it, or it waited too long to be asked. */
    void (*done)(struct tier_fetch *fetch, const struct record *record, const char *tier);
};

/* False if there is no tier that does not decline, or if too much waits, or for too long: nothing
 * happened. Waits for nothing. */
bool tiers_fetch(struct tiers *tiers, struct tier_fetch *fetch);

/* A record on its way into the tiers. */
struct tier_record {
    struct tier_record *next;
    struct cache_key key;
    size_t tiers; /* it goes into the first so many */
    struct buffer sealed;
};

/* Seals a copy, in no lock, so any thread may: its `build` and `key` are filled in here. Null if
 * there is no tier, memory is out, or it is too large to be kept. */
struct tier_record *tiers_seal(const struct tiers *tiers, const struct cache_key *key,
                               const struct record *record);
/* Has it put into the tiers some time, or drops it if too much waits. It becomes the tiers'. Null
 * is allowed. Not for render threads: it takes a lock. */
void tiers_put(struct tiers *tiers, struct tier_record *record);
void tier_record_free(struct tier_record *record); /* null is allowed */

#endif
