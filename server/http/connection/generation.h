/* What a reload replaces as a whole: the worlds and styles, and the settings that may change while
 * the server runs. A generation is immutable, so a request sees one state from its first byte to
 * its last.
 *
 * Publishing one is a single store: whatever an event loop begins afterwards sees the new one, so
 * no client can learn of a new world from one loop and be refused it by another. There is no lock.
 * A loop looks at the old generation's successor when a request begins, and counts its own requests
 * in each generation, and what it does for them, in a number of its own; a generation ends when
 * every loop has passed it and has answered all that began in it. Then it is put aside, and the
 * thread that publishes frees it, as that takes longer than a loop should be away. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_GENERATION_H
#define TERRANE_SERVER_HTTP_CONNECTION_GENERATION_H

#include "core/base/error.h"
#include "server/base/network_list.h"
#include "server/http/connection/timeouts.h"
#include "server/worlds/catalog.h"

struct http_options;
struct tls_identity;

/* What one client may ask for. */
struct client_limits {
    unsigned requests; /* a second; 0 for any number */
    uint64_t cost;     /* millions a second, see server/render/cost.h; 0 for any */
    int64_t burst;     /* microseconds that it may have saved up */
    bool loopback;     /* whether this machine's own are limited, too */
};

/* What connections may be there, and for how long. */
struct connection_limits {
    unsigned all;         /* at most, over all loops */
    unsigned per_address; /* see peer.h; 0 for no such limit */
    struct connection_time_limits times;
};

/* Requests of one loop. */
struct generation_users {
    unsigned count;
} __attribute__((aligned(64))); /* no two loops' in one cache line */

struct generation {
    struct catalog *catalog; /* owned, like all that follows */
    char *public_url;        /* without a slash at its end; or null */
    char **allowed_hosts;
    size_t allowed_host_count;
    struct network_list trusted_proxies;
    struct tls_identity *identity; /* for those who come over TLS; or null */
    struct client_limits clients;
    struct connection_limits connections;
    uint64_t request_cost;  /* of a request, at most: see server/render/cost.h */
    int64_t queue_timeout;  /* milliseconds that a request waits for its turn */
    uint64_t chunk_samples; /* of an answer, at most */
    unsigned number;        /* 1 is the first */

    unsigned references;     /* atomic: the publisher's, and of each loop that is not through */
    struct generation *next; /* atomic: the successor, or null */
    struct generation *next_retired; /* of those put aside */
    struct generation_users users[];
};

/* All generations of a server. */
struct generations {
    struct generation *current; /* the publisher's alone */
    struct generation *retired; /* atomic: those to be freed */
    int event;                  /* an eventfd, borrowed: written when there are some; or -1 */
};

/* How far one loop has come; its thread's alone. */
struct generation_view {
    struct generations *all;
    struct generation *current;
    unsigned loop; /* its number */
};

/* Checks and copies what of the options a generation holds, for so many loops. Takes the catalog,
 * in failure too. Null with what is wrong. */
struct generation *generation_new(const struct http_options *options, unsigned loops,
                                  struct error *error);
/* Only of one that was never published. Null is allowed. */
void generation_free(struct generation *generation);

/* The publisher's thread: makes `next` the current one, and numbers it. */
void generations_publish(struct generations *all, struct generation *next);
/* The publisher's thread: frees those put aside. */
void generations_collect(struct generations *all);
/* Frees all, when no loop runs any more and each view was ended. */
void generations_free(struct generations *all);

/* Before its loop starts; there must be a current generation, and no publishing meanwhile. */
void generation_view_begin(struct generation_view *view, struct generations *all, unsigned loop);
/* Passes on to the newest generation, so that the old ones are not kept by an idle loop. */
void generation_view_advance(struct generation_view *view);
/* The newest generation, for one request. */
struct generation *generation_enter(struct generation_view *view);
void generation_leave(struct generation_view *view, struct generation *generation);
/* Once more the generation that a request of this loop has: for work on its worlds that may outlive
 * it. To be left as well. */
void generation_retain(struct generation_view *view, struct generation *generation);
/* When the loop has no request left. A view that was never begun is allowed. */
void generation_view_end(struct generation_view *view);

#endif
