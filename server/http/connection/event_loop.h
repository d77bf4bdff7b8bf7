/* One event loop: a libmicrohttpd daemon in external epoll mode, and a second one for TLS where an
 * endpoint speaks it, run by one thread that also accepts connections for them (accept.h).
 *
 * All that concerns a connection happens on its loop's thread; other threads only post completions.
 * A loop knows connections, not requests: what a request means is behind struct event_loop_handlers
 * (server/http/dispatch.c). */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_EVENT_LOOP_H
#define TERRANE_SERVER_HTTP_CONNECTION_EVENT_LOOP_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/http/connection/drain.h"
#include "server/http/connection/generation.h"
#include "server/http/connection/listen.h"
#include "server/http/connection/timeouts.h"

struct error;
struct event_loop;
struct event_loops;
struct http_server;
struct loop_requests;
struct metrics_counts;

/* The functions that handle requests. All but cancel_jobs() are called on the loop's thread. */
struct event_loop_handlers {
    /* libmicrohttpd's callbacks; `loop` is a struct event_loop. begin() returns the request, which
     * handle() and completed() find in *request. */
    void *(*begin)(void *loop, const char *raw_target, struct MHD_Connection *mhd_connection);
    enum MHD_Result (*handle)(void *loop, struct MHD_Connection *mhd_connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request);
    void (*completed)(void *loop, struct MHD_Connection *mhd_connection, void **request,
                      enum MHD_RequestTerminationCode reason);
    /* A line of the library's log, once the loop runs. */
    void (*library_log)(struct event_loop *loop, const char *text, const char *format);

    /* Milliseconds, at most `max`, until expire() has something to do. */
    int64_t (*timeout)(const struct event_loop *loop, int64_t max);
    /* Ends what has waited too long, and wakes what waits for the server. Called once in each turn,
     * before the library runs. */
    void (*expire)(struct event_loop *loop);
    /* The library has requested many turns in a row in which nothing came. */
    void (*stalled)(struct event_loop *loop);
    /* The client of a watched socket has ended its sending or, if `gone`, cannot receive either. */
    void (*disconnected)(void *watcher, bool gone);
    /* A drain has reached its deadline: jobs that have not begun must end at once. */
    void (*cancel_jobs)(struct event_loops *group);
};

/* Something that is to happen on a loop's thread: the first member of a struct of the poster's. */
struct completion {
    struct completion *next;
    void (*callback)(struct completion *completion);
};

/* One of the endpoints that a loop accepts from. */
struct listener {
    struct listen_endpoint *endpoint; /* null when the loop has left it */
    int socket;
    bool watched;
};

struct event_loop {
    struct event_loops *group;
    unsigned index; /* in group->loops */
    struct MHD_Daemon *daemon;
    struct MHD_Daemon *secure; /* null if no endpoint speaks TLS */
    char startup_error[128];   /* the library's first log line while the daemons start */
    struct listener listeners[LISTEN_ENDPOINTS_MAX];
    int epoll, event;
    pthread_t thread;
    bool started;
    bool running; /* atomic: other loops may wake it */

    /* The clock, read once for each turn: clock_microseconds(), and the same in milliseconds. */
    int64_t now_microseconds, now;

    /* accept.c's. */
    struct timeouts timeouts;
    struct connection *connection_being_added; /* handed to the library at this moment; or null */
    int64_t paused_until;                      /* nothing is accepted before; 0 if not paused */
    int64_t descriptors_exhausted_since;       /* 0 if there are file descriptors */
    int64_t limit_logged_at;         /* when the log last reported the connection limit; or 0 */
    unsigned eviction_requests_seen; /* of group->eviction_requests */

    struct generation_view view;
    struct completion *posted_completions; /* atomic: the newest of those that wait */
    bool drained;                          /* atomic: nothing is being answered (drain.c) */
    unsigned futile_turns;                 /* in a row: the library wanted a turn, nothing came */

    /* A drain ends when these are 0. */
    unsigned connections;         /* open, with TLS and without */
    unsigned active;              /* requests from their request line to their last byte */
    unsigned suspended;           /* of those, waiting for a completion */
    unsigned pending_completions; /* of work that no request of this loop may be waiting for */

    struct metrics_counts *counts;
    struct loop_requests *requests; /* the handlers' (server/http/jobs/http_request.h) */
};

/* The state that the loops of a server share. It is constant once the loops run, but for the
 * atomics, the counts of peers and `drain`. */
struct event_loops {
    const struct event_loop_handlers *handlers;
    struct http_server *server; /* for the handlers */
    struct event_loop *loops;
    unsigned count;
    struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX];
    unsigned endpoint_count;
    bool secure;                  /* one of the endpoints speaks TLS */
    unsigned connections_open;    /* atomic */
    unsigned eviction_requests;   /* atomic: how often a loop asked the others to close a
                                     connection for it */
    uint64_t connections_refused; /* atomic: closed for their address's limit */
    uint64_t accept_failures;     /* atomic: accept4() found no descriptor or memory */
    struct peer_counts *peers;    /* connections of each address that came under a limit */
    struct drain drain;
    int event; /* an eventfd: wakes the thread that calls http_server_poll() */
};

/* Allocates `count` zeroed loops that know their group and index. False when memory is out. */
bool event_loops_init(struct event_loops *group, unsigned count);
/* Opens a loop's daemons and starts its thread. event_loop_free() follows a failure too. */
bool event_loop_start(struct event_loop *loop, struct error *error);
/* From any thread. The completion belongs to the loop until its callback runs. */
void event_loop_post(struct event_loop *loop, struct completion *completion);
/* From any thread: the loop looks whether a drain has begun, and for the newest generation. */
void event_loop_wake(struct event_loop *loop);
/* From the thread that started them: wakes all loops that run. */
void event_loops_wake(struct event_loops *group);
/* On the loop's thread: one turn, which waits for `milliseconds` at most. */
void event_loop_run_once(struct event_loop *loop, int milliseconds);
/* On the loop's thread: handlers->disconnected() is called with `watcher`, perhaps several times,
 * when the other end of the socket closes, until event_loop_unwatch(). False if the system refuses.
 */
bool event_loop_watch_disconnect(struct event_loop *loop, int socket, void *watcher);
void event_loop_unwatch(struct event_loop *loop, int socket);
/* Sets whether new connections to a listener wake the loop. With `watched`, false if the system
 * refuses. */
bool event_loop_watch_listener(struct event_loop *loop, struct listener *listener, bool watched);
/* Waits for the thread, which ends after a drain. */
void event_loop_join(struct event_loop *loop);
/* Called when no thread can post any more. */
void event_loop_free(struct event_loop *loop);

#endif
