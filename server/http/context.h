/* What all parts of a running server share. Immutable after the start but for the atomics and what
 * has a lock of its own. */
#ifndef TERRANE_SERVER_HTTP_CONTEXT_H
#define TERRANE_SERVER_HTTP_CONTEXT_H

#include <microhttpd.h>
#include <stdint.h>

#include "server/cache/flight.h"
#include "server/cache/memory.h"
#include "server/cache/tiers.h"
#include "server/catalog.h"
#include "server/http/buckets.h"
#include "server/http/loop.h"
#include "server/http/proxies.h"
#include "server/http/workers.h"

struct assets;
struct metrics;
struct access_log;

/* What one client may ask for. */
struct client_limits {
    unsigned requests; /* a second; 0 for any number */
    uint64_t cost;     /* millions a second, see server/cost.h; 0 for any */
    int64_t burst;     /* microseconds that it may have saved up */
    bool loopback;     /* whether this machine's own are limited, too */
};

struct http_server {
    struct catalog *catalog;
    struct memory_cache *cache;
    struct tiers *tiers; /* behind it */
    struct flights *flights;
    struct workers *workers;
    struct assets *assets;
    struct access_log *access_log; /* or null */
    struct metrics *metrics;       /* of the loops, then of the render threads */
    char *public_url;              /* without a slash at its end; or null */
    char **allowed_hosts;
    size_t allowed_host_count;
    struct proxies trusted_proxies;
    struct client_limits clients;
    struct buckets *buckets;          /* null if clients are not limited */
    uint64_t request_cost;            /* of a request, at most: see server/cost.h */
    int64_t patience;                 /* milliseconds that a request waits for its turn */
    uint64_t chunk_samples;           /* of an answer, at most */
    unsigned connections;             /* at most */
    unsigned connections_per_address; /* at most; 0 for no limit */
    unsigned connections_open;        /* atomic */
    struct peer_counts *peers;        /* null without a limit by address */
    unsigned timeout;                 /* seconds */
    struct reaper_limits limits;
    char *tls_cert, *tls_key; /* PEM texts, or null */
    struct listen_place places[LISTEN_PLACES_MAX];
    unsigned place_count;
    bool stopping;    /* atomic */
    int64_t deadline; /* of the stop, by clock_milliseconds(); set before `stopping` */
    unsigned loop_count;
    struct loop loops[];
};

bool server_is_stopping(const struct http_server *server);

#endif
