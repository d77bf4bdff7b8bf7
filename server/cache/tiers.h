/* The tiers behind the memory cache, nearest first, and the threads that call them.
 *
 * A tier is a store (store.h). To add a kind of tier, write its store in server/cache and append it
 * where the server starts (open_tiers() in server/http/server.c), behind those that are nearer:
 *
 *     if (options->cache_disk && !tiers_add(tiers, disk_open(&disk, error)))
 *         return false;
 *     if (options->cache_shared_count > 0 && !tiers_add(tiers, shared_open(&shared, error)))
 *         return false;
 *
 * Everything else is done here. A record is opened with the key and the build; one that does not
 * open is invalidated, and the next tier is queried. A hit is put into the nearer tiers, a rendered
 * tile into all. get() is called on fetch threads of ordinary priority, put() on the one writer
 * thread, invalidate() on fetch threads. So each may take as long as its own timeout, but a slow
 * put() delays the puts of the other tiers.
 *
 * Looking in the tiers must never cost much more than rendering: where every tier is unavailable
 * (store.h) no fetch begins, and a fetch has a deadline, counted from tiers_fetch(): it waits for a
 * thread at most TIERS_QUEUE_TIMEOUT_MS, or the longest timeout of a tier if that is less, and is
 * over after that longest timeout more, even if a tier still hangs.
 *
 * All functions may be called by many threads, except those that build, start and free. */
#ifndef TERRANE_SERVER_CACHE_TIERS_H
#define TERRANE_SERVER_CACHE_TIERS_H

#include "core/base/buffer.h"
#include "server/cache/record.h"
#include "server/cache/store.h"

enum {
    TIERS_MAX = 4,
    TIERS_FETCH_THREADS = 4,         /* threads; each may wait for a disk or a network */
    TIERS_FETCH_QUEUE_MAX = 1024,    /* fetches that may wait for a thread */
    TIERS_QUEUE_TIMEOUT_MS = 250,    /* at most; while a fetch waits longer, none is accepted */
    TIERS_PUT_QUEUE_BYTES = 4 << 20, /* records that may wait to be put; none is larger */
};

struct tiers;

/* No tier yet, and no thread. `build` is server_build_hash(). Null when memory is out. */
struct tiers *tiers_new(struct hash128 build);
/* Appends a tier and takes its ownership. False if it is null (it could not be opened), or if there
 * are too many; then it is freed. Before tiers_start() only. */
bool tiers_add(struct tiers *tiers, struct store *store);
/* Starts the threads, if there is a tier. */
bool tiers_start(struct tiers *tiers, struct error *error);
/* From now on nothing waits for another machine: all fetches are done, without a record, and none
 * is accepted; a put that would have to wait is given up. */
void tiers_cancel(struct tiers *tiers);
/* Cancels, puts what is queued, ends the threads and frees the tiers. No fetch may be queued or
 * running. Null is allowed. */
void tiers_free(struct tiers *tiers);

size_t tiers_count(const struct tiers *tiers);
/* The index-th tier, for its name and statistics. */
struct store *tiers_at(const struct tiers *tiers, size_t index);

/* A lookup in the tiers: a member of the caller's struct, not to be touched until `done` is called.
 */
struct tier_fetch {
    struct tier_fetch *next;
    int64_t queued_at; /* milliseconds; set by tiers_fetch(), like `first` */
    size_t first;      /* the nearest available tier */
    struct cache_key key;
    /* Called once, on a thread of the tiers. `record` is valid and of this key, and borrowed for
     * the call; `tier` is the name of the tier that had it. Both are null if no tier has it, or if
     * the fetch took too long. */
    void (*done)(struct tier_fetch *fetch, const struct record *record, const char *tier);
};

/* False, and `done` will not be called, if no tier is available, or if the queue is full or slow.
 * Never blocks. */
bool tiers_fetch(struct tiers *tiers, struct tier_fetch *fetch);

/* A record on its way into the tiers. */
struct tier_record {
    struct tier_record *next;
    struct cache_key key;
    size_t tiers; /* how many of the nearest tiers it is put into */
    struct buffer sealed;
};

/* Seals a copy, with `build` and `key` filled in. Takes no lock, so render threads may call it.
 * Null if there is no tier or the record is too large for the queue, or if memory is out for the
 * struct. */
struct tier_record *tiers_seal(const struct tiers *tiers, const struct cache_key *key,
                               const struct record *record);
/* Queues a record for the writer thread and takes its ownership; frees it if the queue is full or
 * memory was out for a part of it. Null is allowed. Takes a lock, so render threads, which have a
 * low priority, must not call it. */
void tiers_put(struct tiers *tiers, struct tier_record *record);
void tier_record_free(struct tier_record *record); /* null is allowed */

#endif
