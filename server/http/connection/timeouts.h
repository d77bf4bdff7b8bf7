/* Deadlines of connections, which a client cannot extend by sending or taking a byte now and then.
 *
 * At any time the server waits for one thing from a client, the connection's phase. Each phase has
 * a list in order of time, so entering, leaving and finding the most overdue connection take a few
 * pointer writes. Everything belongs to one event loop and its thread. A late connection's socket
 * is shut down, which makes libmicrohttpd close the connection; nothing but the socket is touched
 * here. Times are milliseconds of clock_milliseconds(), passed in. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_TIMEOUTS_H
#define TERRANE_SERVER_HTTP_CONNECTION_TIMEOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/http/connection/peer.h"

/* The event that a connection waits for. */
enum connection_phase {
    PHASE_HEADERS,       /* the TLS handshake and the headers of the first or of a begun request */
    PHASE_IDLE,          /* after a response: the first byte of the next request */
    PHASE_BODY,          /* the rest of the request */
    PHASE_SENDING,       /* the client reads its response */
    PHASES_WITH_TIMEOUT, /* the number of phases above: each has a list */
    PHASE_WORKING = PHASES_WITH_TIMEOUT, /* the server works: no deadline */
    PHASE_SHUT_DOWN,                     /* shut down; libmicrohttpd will close it */
};

struct tls_identity;

/* One connection; libmicrohttpd's socket context points to it. */
struct connection {
    struct connection *next, *previous; /* in its phase's list */
    int64_t since;                      /* start of the phase, or the last look at a reader */
    /* At the last look: bytes acknowledged; on a unix socket, not yet read. */
    uint64_t progress_bytes;
    int send_buffer_size; /* of a unix socket that is measured: its usual size */
    int socket;
    enum connection_phase phase;
    struct ip_address peer;
    struct tls_identity *identity; /* a reference; null without TLS */
    bool secure;                   /* over TLS */
    bool unix_socket;
    bool public_listener; /* the listener has an address that is not loopback */
    bool counted;         /* among its peer's connections */
    bool measured;        /* `progress_bytes` is of this response */
};

/* Bytes received from the client and read by libmicrohttpd; 0 where the system does not tell (unix
 * sockets). */
uint64_t connection_bytes_received(const struct connection *connection);

struct timeouts {
    struct {
        struct connection *first, *last;
        int64_t limit; /* milliseconds */
    } lists[PHASES_WITH_TIMEOUT];
    /* Counters, atomic: any thread may read them. */
    uint64_t timed_out[PHASES_WITH_TIMEOUT]; /* connections shut down, by phase */
    uint64_t evicted;                        /* connections shut down to make room */
};

/* The least speed of a reader, measured over halves of the limit for sending. On a unix socket the
 * reader must take some of the waiting bytes in every second half. */
enum { READER_BYTES_PER_SECOND = 4096 };

struct time_limits {
    unsigned headers, body, send; /* seconds */
    unsigned idle;                /* seconds between a response and the next request's first byte */
};

/* On a zeroed struct, or later: then the limits apply to running phases as well. */
void timeouts_set_limits(struct timeouts *timeouts, const struct time_limits *limits);
/* Adds a new connection, in PHASE_HEADERS. Its phase and list members are set here. */
void timeouts_add(struct timeouts *timeouts, struct connection *connection, int64_t now);
void timeouts_remove(struct timeouts *timeouts, struct connection *connection);
/* Begins another phase. Nothing happens to a connection that was shut down. */
void timeouts_set_phase(struct timeouts *timeouts, struct connection *connection,
                        enum connection_phase phase, int64_t now);
/* The first line of a request has arrived: an idle connection enters PHASE_HEADERS. */
void timeouts_begin(struct timeouts *timeouts, struct connection *connection, int64_t now);

/* Milliseconds until the next deadline, at most `max`. */
int64_t timeouts_next(const struct timeouts *timeouts, int64_t now, int64_t max);
/* Shuts down all late connections. Returns how many of them were slow, that is not only idle. */
unsigned timeouts_expire(struct timeouts *timeouts, int64_t now);
/* Makes room: shuts down up to `count` connections, those that have kept the server waiting longest
 * for a request or its body, and for at least half a second. Returns how many. */
unsigned timeouts_evict(struct timeouts *timeouts, unsigned count, int64_t now);

#endif
