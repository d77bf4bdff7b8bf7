/* A generation is what a reload replaces as a whole: the worlds and styles, and the settings that
 * may change while the server runs. It is immutable, so a request sees one state from its first
 * byte to its last.
 *
 * Publishing is a single store: whatever an event loop begins afterwards sees the new generation,
 * so no client can learn of a new world from one loop and be refused it by another. There is no
 * lock. A loop looks for a successor when a request begins, and counts its own requests of each
 * generation; a generation ends when every loop has moved past it and has answered all requests
 * that began in it. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_GENERATION_H
#define TERRANE_SERVER_HTTP_CONNECTION_GENERATION_H

#include "core/base/error.h"
#include "server/base/network_list.h"
#include "server/http/connection/timeouts.h"
#include "server/worlds/catalog.h"

struct tls_identity;

/* The limits of what one client may request. */
struct client_limits {
    unsigned requests; /* a second; 0 for no limit */
    /* nanoseconds a second of one core of the machine of tests/bench/README.md; 0 for no limit */
    uint64_t computing;
    int64_t burst; /* microseconds of both that a client may save up */
    bool loopback; /* whether clients on this machine are limited, too */
};

/* The limits on the number of connections, and their time limits. */
struct connection_limits {
    unsigned all;         /* over all loops */
    unsigned per_address; /* see peer.h; 0 for no limit */
    struct time_limits times;
};

/* Requests of one loop. */
struct generation_users {
    unsigned count;
} __attribute__((aligned(64))); /* no two loops share a cache line */

struct generation {
    struct catalog *catalog; /* owned, like all that follows */
    char *public_url;        /* without a slash at its end; or null */
    char **allowed_hosts;
    size_t allowed_host_count;
    struct network_list trusted_proxies;
    struct tls_identity *identity; /* for new TLS connections; or null */
    struct client_limits clients;
    struct connection_limits connections;
    uint64_t request_limit; /* the most nanoseconds that a request may take, of those */
    int64_t queue_timeout;  /* milliseconds that a request may wait for its turn */
    uint64_t chunk_samples; /* the most samples of one response */
    unsigned number;        /* the first is 1 */
    bool proxy_reported;    /* atomic: base_url_report_proxy() has written its line */

    /* generation.c's: */
    unsigned references;     /* atomic: the publisher's, and one of each loop that uses it */
    struct generation *next; /* atomic: the successor, or null */
    struct generation *next_retired;
    struct generation_users users[]; /* of each loop */
};

/* All generations of a server. */
struct generations {
    struct generation *current; /* the publisher's alone */
    struct generation *retired; /* atomic: to be freed */
    int event;                  /* an eventfd, borrowed: written when one retires; or -1 */
};

/* The generation that one loop has reached. Used on the loop's thread only. */
struct generation_view {
    struct generations *all;
    struct generation *current;
    unsigned loop; /* its index */
};

/* A generation without limits, for `loops` event loops, to be filled before it is published. Takes
 * the catalogue, in failure too. Null when memory is out. */
struct generation *generation_new(struct catalog *catalog, unsigned loops);
/* Only of one that was never published. Null is allowed. */
void generation_free(struct generation *generation);

/* The publisher's thread: makes `next` the current one, and numbers it. */
void generations_publish(struct generations *all, struct generation *next);
/* The publisher's thread: frees those that have retired. False if there are none. */
bool generations_collect(struct generations *all);
/* Frees all, when no loop runs any more and each view has ended. */
void generations_free(struct generations *all);

/* Before the loop starts; there must be a current generation, and no publishing meanwhile. */
void generation_view_begin(struct generation_view *view, struct generations *all, unsigned loop);
/* Moves on to the newest generation, so that an idle loop does not keep the old ones. */
void generation_view_advance(struct generation_view *view);
/* The newest generation, for one request, which ends with generation_leave(). */
struct generation *generation_enter(struct generation_view *view);
void generation_leave(struct generation_view *view, struct generation *generation);
/* Another reference to the generation of a request of this loop, for work that may outlive the
 * request; it ends with generation_leave(), too. */
void generation_retain(struct generation_view *view, struct generation *generation);
/* Called when the loop has no request left. A view that never began is allowed. */
void generation_view_end(struct generation_view *view);

#endif
