/* Deadlines of connections that a client cannot stretch by sending or taking a byte now and then.
 *
 * Every client waits for one thing at a time, and for each such thing there is a list in order of
 * time: entering, leaving and finding the most overdue take a few pointers' writes. All of one
 * event loop's, on its thread. Whoever is late has its socket shut down, which makes the library
 * close the connection; sockets are the only thing touched here. Times are milliseconds of
 * clock_milliseconds(), handed in. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_TIMEOUTS_H
#define TERRANE_SERVER_HTTP_CONNECTION_TIMEOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/http/connection/peer.h"

/* What is waited for. */
enum connection_phase {
    PHASE_HEADERS, /* of a request that has begun, or of a new connection's first; and its TLS */
    PHASE_IDLE,    /* after an answer: the beginning of the next request */
    PHASE_BODY,    /* the rest of a request */
    PHASE_SENDING, /* the client, to take its answer */
    PHASES_WITH_TIMEOUT,                 /* how many of them have a list */
    PHASE_WORKING = PHASES_WITH_TIMEOUT, /* us: no deadline here */
    PHASE_SHUT_DOWN,                     /* shut down; the library will let go */
};

struct tls_identity;

/* One connection; what the library keeps as its socket context. */
struct connection {
    struct connection *next, *previous; /* in its phase's list, or of the spare ones */
    int64_t since;                      /* in the present phase */
    uint64_t progress_bytes; /* bytes that a slow reader had acknowledged when looked at; of a unix
                       socket, those that it had not taken */
    int send_buffer_size;    /* of a unix socket that is measured: the size of its buffer */
    int socket;
    enum connection_phase phase;
    struct peer peer;
    struct tls_identity *identity; /* what its TLS is spoken with: a reference; or null */
    bool secure;                   /* over TLS */
    bool unix_socket;              /* over a unix socket */
    bool counted;                  /* among its peer's connections */
    bool measured;                 /* `progress_bytes` is of this answer */
};

/* Bytes that have come from the client, but for those that nobody has read yet; 0 where the system
 * does not tell (unix sockets). */
uint64_t connection_bytes_received(const struct connection *connection);

struct connection_timeouts {
    struct {
        struct connection *first, *last;
        int64_t limit; /* milliseconds */
    } lists[PHASES_WITH_TIMEOUT];
    /* Counters, atomic: any thread may read them. */
    uint64_t timed_out[PHASES_WITH_TIMEOUT]; /* those who were late, by what was waited for */
    uint64_t evicted;                        /* those who made room */
};

/* A reader must take this much in a second, measured over halves of the limit for sending; one of a
 * unix socket some of what waits there in every second half. */
enum { READER_BYTES_PER_SECOND = 4096 };

struct connection_time_limits {
    unsigned headers, body, send; /* seconds */
    unsigned idle;                /* seconds between an answer and the next request's first byte */
};

/* From a zeroed struct; or later, and then what is waited for already has the new limits as well.
 */
void connection_timeouts_set_limits(struct connection_timeouts *timeouts,
                                    const struct connection_time_limits *limits);
/* A new client, zeroed but for its socket and what it is; it waits for its headers. */
void connection_timeouts_add(struct connection_timeouts *timeouts, struct connection *connection,
                             int64_t now);
void connection_timeouts_remove(struct connection_timeouts *timeouts,
                                struct connection *connection);
/* The client is waited for something else from now on. Nothing happens to one that was shut down.
 */
void connection_timeouts_set_phase(struct connection_timeouts *timeouts,
                                   struct connection *connection, enum connection_phase phase,
                                   int64_t now);
/* The first line of a request has come: from here it is the limit for headers, unless that runs
 * already. */
void connection_timeouts_begin(struct connection_timeouts *timeouts, struct connection *connection,
                               int64_t now);

/* Milliseconds until somebody may be late, at most `max`. */
int64_t connection_timeouts_next(const struct connection_timeouts *timeouts, int64_t now,
                                 int64_t max);
/* Shuts down all who are late. How many of them were slow, not only idle. */
unsigned connection_timeouts_expire(struct connection_timeouts *timeouts, int64_t now);
/* Makes room: shuts down up to `count` of those that have been waited for longest for a request or
 * its body, but at least half a second. How many. */
unsigned connection_timeouts_evict(struct connection_timeouts *timeouts, unsigned count,
                                   int64_t now);

#endif
