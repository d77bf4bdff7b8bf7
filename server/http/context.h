/* What all parts of a running server share. Immutable after the start but for the atomics and what
 * has a lock of its own. */
#ifndef TERRANE_SERVER_HTTP_CONTEXT_H
#define TERRANE_SERVER_HTTP_CONTEXT_H

#include <microhttpd.h>
#include <stdint.h>

#include "server/cache/flight.h"
#include "server/cache/memory.h"
#include "server/cache/tiers.h"
#include "server/http/buckets.h"
#include "server/http/drain.h"
#include "server/http/generation.h"
#include "server/http/loop.h"
#include "server/http/reserve.h"
#include "server/http/server.h"
#include "server/http/workers.h"

struct assets;
struct metrics;
struct access_log;

struct http_server {
    struct generations generations; /* worlds, styles, and settings that a reload changes */
    struct memory_cache *cache;
    struct tiers *tiers; /* behind it */
    struct flights *flights;
    struct workers *workers;
    struct assets *assets;
    struct access_log *access_log; /* or null */
    struct metrics *metrics;       /* of the loops, then of the render threads */
    struct buckets *buckets;
    struct reserve answers;       /* those that no cache holds, being made and sent */
    struct reserve tiles;         /* bytes of all others, cached or being sent; no limit */
    unsigned connections_open;    /* atomic */
    unsigned crowds;              /* atomic: how often a loop has asked others for room */
    uint64_t connections_refused; /* atomic: closed for their address's limit */
    uint64_t connections_starved; /* atomic: how often there was no descriptor for one */
    struct peer_counts *peers;    /* of those that came while there was a limit by address */
    struct listen_place places[LISTEN_PLACES_MAX];
    unsigned place_count;
    bool secure;  /* TLS is spoken on some of them */
    bool accepts; /* atomic */
    struct drain drain;
    int event; /* wakes the thread that minds the server */
    unsigned loop_count;
    struct loop loops[];
};

#endif
