/* The tier that machines share: records in one or more memcached servers.
 *
 * A key is "terrane1" (the record layout's version), 8 hex digits of the build and the 32 of the
 * cache key's hash, with colons between. So two builds that share servers while a fleet is upgraded
 * do not overwrite each other's records, and any client of memcached can read them. A server that
 * fails or hangs gets no requests for a while (breaker.h), and its keys are unavailable meanwhile;
 * they do not move to another server, where they would evict good records and be left behind.
 * Records larger than MEMCACHED_VALUE_MAX are not sent. get() takes the timeout at most; put() and
 * invalidate() block, for the timeout at most, only while the server does not read. */
#ifndef TERRANE_SERVER_CACHE_SHARED_H
#define TERRANE_SERVER_CACHE_SHARED_H

#include "server/cache/shared_ring.h"
#include "server/cache/store.h"

enum { SHARED_KEY_TEXT = 64 };

struct shared_options {
    const char *const *urls; /* for server_list_add() */
    size_t url_count;        /* at least 1 */
    unsigned timeout;        /* milliseconds of an exchange, connecting included */
    struct hash128 build;    /* server_build_hash() */
    int64_t (*clock)(void);  /* milliseconds, only forward */
};

/* Null with ERROR_VALUE for a malformed URL. A server that does not work is no error. Waits for the
 * first probe of each server, for one timeout at most. */
struct store *shared_open(const struct shared_options *options, struct error *error);

void shared_key(struct hash128 build, const struct cache_key *key, char text[SHARED_KEY_TEXT]);

#endif
