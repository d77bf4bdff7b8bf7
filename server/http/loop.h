/* One event loop: a libmicrohttpd daemon in external epoll mode, and a second one for TLS where
 * that is spoken, run by one thread, which also accepts for them (accept.h). Everything of a
 * connection happens on its loop's thread; other threads only post notices. */
#ifndef TERRANE_SERVER_HTTP_LOOP_H
#define TERRANE_SERVER_HTTP_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "server/http/constant.h"
#include "server/http/generation.h"
#include "server/http/listen.h"
#include "server/http/reaper.h"

struct http_server;
struct packed;
struct exchange;
struct error;
struct MHD_Daemon;
struct metrics_counts;

/* Something that is to happen on a loop's thread: the first member of a struct of the poster's. */
struct notice {
    struct notice *next;
    void (*act)(struct notice *notice);
};

/* One of the places that a loop listens on. */
struct listener {
    struct listen_place *place; /* null when the loop has left it */
    int socket;
    bool watched;
};

struct loop {
    struct http_server *server;
    unsigned index; /* among the server's */
    struct MHD_Daemon *daemon;
    struct MHD_Daemon *secure; /* null where nothing is spoken over TLS */
    char complaint[128];       /* what the library said first while they started */
    struct listener listeners[LISTEN_PLACES_MAX];
    int epoll, event;
    pthread_t thread;
    bool started;
    bool running;      /* atomic: other loops may wake it */
    int64_t now_exact; /* the same by clock_microseconds() */
    int64_t now; /* clock_milliseconds() of the last wake-up; this and the next few for accept.c */
    struct reaper reaper;
    struct client *arriving; /* what the library is being handed */
    int64_t paused_until;    /* no clients are accepted before; 0 if they are */
    int64_t starved_since;   /* no file descriptors; 0 if there are */
    int64_t full_noted;      /* when the log last said that there were too many; or 0 */
    unsigned crowds_seen;    /* of the server's */
    struct generation_view view;
    struct notice *posted;  /* atomic: the newest of those that wait */
    bool drained;           /* atomic: drain.c's, that nothing is being answered */
    struct exchange *spare; /* for reuse; this and the rest only on the loop's thread */
    unsigned spares;
    struct metrics_counts *counts;
    struct exchange *patient, *patient_last; /* those whose waiting has a limit; by deadline */
    struct constant openapi[2], version[2];  /* compact and indented */
    struct packed *packed;                   /* documents, made when first used; or null */
    struct exchange *incoming;               /* those whose headers are not all there */
    struct exchange *uploads; /* those whose body comes in chunks, until it is there */
    struct exchange *queued;  /* the last one that was answered, if it is not over; or null */
    unsigned futile;          /* turns in a row with nothing to wait for in which nothing came */
    unsigned connections;     /* open ones, with TLS and without */
    unsigned active;          /* exchanges from their request line to their last byte */
    unsigned suspended;       /* of those, waiting for a notice */
    unsigned pending; /* notices that will come, or flights of its own under way, although no
                         exchange of this loop may wait for them */
};

/* Sets up and starts the thread of a zeroed loop that has its server and index (-1 for the
 * descriptors). To be freed after a failure too. */
bool loop_start(struct loop *loop, struct error *error);
/* From any thread. The notice belongs to the loop until it acts. */
void loop_post(struct loop *loop, struct notice *notice);
/* Makes the loop look at whether the server is to end, and at the newest generation. */
void loop_wake(struct loop *loop);
/* On the loop's thread: waits for so many milliseconds at most, and handles what has come. */
void loop_turn(struct loop *loop, int milliseconds);
/* On the loop's thread: has exchange_departed() called once if the socket's other end closes, until
 * loop_unwatch(). False if the system refuses. */
bool loop_watch_end(struct loop *loop, int socket, struct exchange *exchange);
void loop_unwatch(struct loop *loop, int socket);
/* Whether clients that come to a listener wake the loop; false if the system refuses. */
bool loop_watch_listener(struct loop *loop, struct listener *listener, bool watched);
/* Waits for the thread's end, which the server's stopping brings about. */
void loop_join(struct loop *loop);
/* Only when nobody can post any more. */
void loop_free(struct loop *loop);

#endif
