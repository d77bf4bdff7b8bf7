/* Deadlines of connections that a client cannot stretch by sending or taking a byte now and then.
 *
 * Every client waits for one thing at a time, and for each such thing there is a list in order of
 * time: entering, leaving and finding the most overdue take a few pointers' writes. All of one
 * event loop's, on its thread. Whoever is late has its socket shut down, which makes the library
 * close the connection; sockets are the only thing touched here. Times are milliseconds of
 * clock_milliseconds(), handed in. */
#ifndef TERRANE_SERVER_HTTP_REAPER_H
#define TERRANE_SERVER_HTTP_REAPER_H

#include <stdbool.h>
#include <stdint.h>

#include "server/http/peer.h"

/* What is waited for. */
enum client_phase {
    PHASE_HEADERS, /* of a request that has begun, or of a new connection's first; and its TLS */
    PHASE_IDLE,    /* after an answer: the beginning of the next request */
    PHASE_BODY,    /* the rest of a request */
    PHASE_SENDING, /* the client, to take its answer */
    PHASE_TIMED,   /* how many of them have a list */
    PHASE_WORKING = PHASE_TIMED, /* us: no deadline here */
    PHASE_REAPED,                /* shut down; the library will let go */
};

struct tls_identity;

/* One connection; what the library keeps as its socket context. */
struct client {
    struct client *next, *previous; /* in its phase's list, or of the spare ones */
    int64_t since;                  /* in the present phase */
    uint64_t taken; /* bytes that a slow reader had acknowledged when looked at; of a unix socket,
                       those that it had not taken */
    int room;       /* of a unix socket that is measured: the size of its buffer */
    int socket;
    enum client_phase phase;
    struct peer peer;
    struct tls_identity *identity; /* what its TLS is spoken with: a reference; or null */
    bool secure;                   /* over TLS */
    bool local;                    /* over a unix socket */
    bool counted;                  /* among its peer's connections */
    bool measured;                 /* `taken` is of this answer */
};

/* Bytes that have come from the client, but for those that nobody has read yet; 0 where the system
 * does not tell (unix sockets). */
uint64_t client_fed(const struct client *client);

struct reaper {
    struct {
        struct client *first, *last;
        int64_t limit; /* milliseconds */
    } lists[PHASE_TIMED];
    /* Counters, atomic: any thread may read them. */
    uint64_t reaped[PHASE_TIMED]; /* those who were late, by what was waited for */
    uint64_t evicted;             /* those who made room */
};

/* A reader must take this much in a second, measured over halves of the limit for sending; one of a
 * unix socket some of what waits there in every second half. */
enum { READER_BYTES_PER_SECOND = 4096 };

struct reaper_limits {
    unsigned headers, body, send; /* seconds */
    unsigned idle;                /* seconds between an answer and the next request's first byte */
};

/* From a zeroed struct; or later, and then what is waited for already has the new limits as well.
 */
void reaper_set(struct reaper *reaper, const struct reaper_limits *limits);
/* A new client, zeroed but for its socket and what it is; it waits for its headers. */
void reaper_add(struct reaper *reaper, struct client *client, int64_t now);
void reaper_remove(struct reaper *reaper, struct client *client);
/* The client is waited for something else from now on. Nothing happens to one that was shut down.
 */
void reaper_move(struct reaper *reaper, struct client *client, enum client_phase phase,
                 int64_t now);
/* The first line of a request has come: from here it is the limit for headers, unless that runs
 * already. */
void reaper_begin(struct reaper *reaper, struct client *client, int64_t now);

/* Milliseconds until somebody may be late, at most `most`. */
int64_t reaper_wait(const struct reaper *reaper, int64_t now, int64_t most);
/* Shuts down all who are late. How many of them were slow, not only idle. */
unsigned reaper_run(struct reaper *reaper, int64_t now);
/* Makes room: shuts down up to `count` of those that have been waited for longest for a request or
 * its body, but at least half a second. How many. */
unsigned reaper_evict(struct reaper *reaper, unsigned count, int64_t now);

#endif
