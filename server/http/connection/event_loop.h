/* One event loop: a libmicrohttpd daemon in external epoll mode, and a second one for TLS where
 * that is spoken, run by one thread, which also accepts for them (accept.h). Everything of a
 * connection happens on its loop's thread; other threads only post notices. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_EVENT_LOOP_H
#define TERRANE_SERVER_HTTP_CONNECTION_EVENT_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "server/http/connection/generation.h"
#include "server/http/connection/listen.h"
#include "server/http/connection/timeouts.h"
#include "server/http/response/static_document.h"

struct http_server;
struct compressed_cache;
struct http_request;
struct error;
struct MHD_Daemon;
struct metrics_counts;

/* Something that is to happen on a loop's thread: the first member of a struct of the poster's. */
struct completion {
    struct completion *next;
    void (*callback)(struct completion *completion);
};

/* One of the places that a loop listens on. */
struct listener {
    struct listen_endpoint *endpoint; /* null when the loop has left it */
    int socket;
    bool watched;
};

struct event_loop {
    struct http_server *server;
    unsigned index; /* among the server's */
    struct MHD_Daemon *daemon;
    struct MHD_Daemon *secure; /* null where nothing is spoken over TLS */
    char startup_error[128];   /* what the library said first while they started */
    struct listener listeners[LISTEN_ENDPOINTS_MAX];
    int epoll, event;
    pthread_t thread;
    bool started;
    bool running;             /* atomic: other loops may wake it */
    int64_t now_microseconds; /* the same by clock_microseconds() */
    int64_t now; /* clock_milliseconds() of the last wake-up; this and the next few for accept.c */
    struct connection_timeouts timeouts;
    struct connection *connection_being_added; /* what the library is being handed */
    int64_t paused_until;                      /* no clients are accepted before; 0 if they are */
    int64_t descriptors_exhausted_since;       /* no file descriptors; 0 if there are */
    int64_t limit_logged_at;         /* when the log last said that there were too many; or 0 */
    unsigned eviction_requests_seen; /* of the server's */
    struct generation_view view;
    struct completion *posted_completions; /* atomic: the newest of those that wait */
    bool drained;                          /* atomic: drain.c's, that nothing is being answered */
    struct http_request *request_pool; /* for reuse; this and the rest only on the loop's thread */
    unsigned request_pool_size;
    struct metrics_counts *counts;
    struct http_request *waiting_by_deadline,
        *waiting_by_deadline_last; /* those whose waiting has a limit; by deadline */
    struct static_document openapi[2], version[2]; /* compact and indented */
    struct compressed_cache *compressed_cache;     /* documents, made when first used; or null */
    struct http_request *reading_headers;          /* those whose headers are not all there */
    struct http_request *chunked_uploads; /* those whose body comes in chunks, until it is there */
    struct http_request
        *last_answered;    /* the last one that was answered, if it is not over; or null */
    unsigned futile_turns; /* turns in a row with nothing to wait for in which nothing came */
    unsigned connections;  /* open ones, with TLS and without */
    unsigned active;       /* exchanges from their request line to their last byte */
    unsigned suspended;    /* of those, waiting for a notice */
    unsigned pending_completions; /* notices that will come, or flights of its own under way,
                         although no exchange of this loop may wait for them */
};

/* Sets up and starts the thread of a zeroed loop that has its server and index (-1 for the
 * descriptors). To be freed after a failure too. */
bool event_loop_start(struct event_loop *loop, struct error *error);
/* From any thread. The notice belongs to the loop until it acts. */
void event_loop_post(struct event_loop *loop, struct completion *completion);
/* Makes the loop look at whether the server is to end, and at the newest generation. */
void event_loop_wake(struct event_loop *loop);
/* On the loop's thread: waits for so many milliseconds at most, and handles what has come. */
void event_loop_run_once(struct event_loop *loop, int milliseconds);
/* On the loop's thread: has http_request_disconnected() called once if the socket's other end
 * closes, until event_loop_unwatch(). False if the system refuses. */
bool event_loop_watch_disconnect(struct event_loop *loop, int socket, struct http_request *request);
void event_loop_unwatch(struct event_loop *loop, int socket);
/* Whether clients that come to a listener wake the loop; false if the system refuses. */
bool event_loop_watch_listener(struct event_loop *loop, struct listener *listener, bool watched);
/* Waits for the thread's end, which the server's stopping brings about. */
void event_loop_join(struct event_loop *loop);
/* Only when nobody can post any more. */
void event_loop_free(struct event_loop *loop);

#endif
