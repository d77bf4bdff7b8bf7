/* What all parts of a running server share. Immutable after the start but for the atomics and what
 * has a lock of its own. */
#ifndef TERRANE_SERVER_HTTP_SERVER_STATE_H
#define TERRANE_SERVER_HTTP_SERVER_STATE_H

#include <microhttpd.h>
#include <stdint.h>

#include "server/cache/memory.h"
#include "server/cache/single_flight.h"
#include "server/cache/tiers.h"
#include "server/http/connection/drain.h"
#include "server/http/connection/event_loop.h"
#include "server/http/connection/generation.h"
#include "server/http/jobs/memory_budget.h"
#include "server/http/jobs/token_buckets.h"
#include "server/http/jobs/workers.h"
#include "server/http/server.h"

struct static_files;
struct metrics;
struct access_log;

struct http_server {
    struct generations generations; /* worlds, styles, and settings that a reload changes */
    struct memory_cache *cache;
    struct tiers *tiers; /* behind it */
    struct single_flight_table *single_flights;
    struct workers *workers;
    struct static_files *static_files;
    struct access_log *access_log; /* or null */
    struct metrics *metrics;       /* of the loops, then of the render threads */
    struct token_buckets *buckets;
    struct memory_budget response_budget; /* those that no cache holds, being made and sent */
    struct memory_budget tiles;           /* bytes of all others, cached or being sent; no limit */
    unsigned connections_open;            /* atomic */
    unsigned eviction_requests;           /* atomic: how often a loop has asked others for room */
    uint64_t connections_refused;         /* atomic: closed for their address's limit */
    uint64_t accept_failures;             /* atomic: how often there was no descriptor for one */
    struct peer_counts *peers; /* of those that came while there was a limit by address */
    struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX];
    unsigned endpoint_count;
    bool secure; /* TLS is spoken on some of them */
    struct drain drain;
    int event; /* wakes the thread that minds the server */
    unsigned loop_count;
    struct event_loop loops[];
};

#endif
