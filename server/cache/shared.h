/* The tier that machines share: records in one or more memcached servers.
 *
 * A key is "terrane1" (the record's version), 8 hex digits of the build and the 32 of the cache
 * key's hash, with colons between; so two builds that share servers while a fleet is upgraded do
 * not overwrite each other's records, and any client of memcached can look at them. A server that
 * fails or hangs is left alone for a while (breaker.h) and its keys are declined meanwhile; they do
 * not move to another server, where they would push out what is good and be left behind. Records
 * larger than MEMCACHED_VALUE_MAX are not sent. get() takes about the timeout at most, a little
 * more if the server answers bit by bit; put() and invalidate() wait only when the server does not
 * take what is sent. */
#ifndef TERRANE_SERVER_CACHE_SHARED_H
#define TERRANE_SERVER_CACHE_SHARED_H

#include "server/cache/breaker.h"
#include "server/cache/shared_ring.h"
#include "server/cache/store.h"

enum { SHARED_KEY_TEXT = 64 };

struct shared_options {
    const char *const *urls; /* for server_list_add() */
    size_t url_count;        /* at least 1 */
    unsigned timeout;        /* milliseconds that a server may take to answer */
    struct hash128 build;    /* of what makes tiles here */
    int64_t (*clock)(void);  /* milliseconds, only forward */
};

/* Null on failure: an address that is none. A server that does not work is none; the first probes
 * are waited for as long as they may take, if no name server has to be asked. */
struct store *shared_open(const struct shared_options *options, struct error *error);

void shared_key(struct hash128 build, const struct cache_key *key, char text[SHARED_KEY_TEXT]);

/* Of the index-th server of the settings. */
enum breaker_state shared_breaker_state(struct store *store, size_t index);

#endif
