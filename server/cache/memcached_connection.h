/* A client of memcached's text protocol: get, set and delete over one TCP connection.
 *
 * An exchange is connecting, sending and receiving. All of it ends by one limit: at an absolute
 * deadline, which a server that sends one byte at a time cannot extend, or as soon as it is
 * cancelled. set and delete are sent with "noreply": they wait for room in the socket's buffer
 * only, and MEMCACHED_DONE means "sent".
 *
 * A connection is a socket and nothing else. It is used by one thread at a time. After
 * MEMCACHED_FAILED the state of the stream is unknown, so the caller closes the connection; close()
 * does not wait for the server. No call raises SIGPIPE. */
#ifndef TERRANE_SERVER_CACHE_MEMCACHED_CONNECTION_H
#define TERRANE_SERVER_CACHE_MEMCACHED_CONNECTION_H

#include <sys/socket.h>

#include "core/base/buffer.h"
#include "server/base/wait.h"

/* The longest value and key. A value of this length, with its key and header, is below the limit of
 * 1 MB that memcached has for an item by default. */
enum { MEMCACHED_VALUE_MAX = (1 << 20) - 1024, MEMCACHED_KEY_MAX = 250 };

enum memcached_outcome { MEMCACHED_DONE, MEMCACHED_MISS, MEMCACHED_FAILED };

enum memcached_verb { MEMCACHED_GET, MEMCACHED_SET, MEMCACHED_DELETE };

struct memcached_request {
    enum memcached_verb verb;
    const char *key;      /* terminated; 1 … MEMCACHED_KEY_MAX bytes, no blanks or controls */
    const uint8_t *value; /* MEMCACHED_SET */
    size_t length;        /* of the value, at most MEMCACHED_VALUE_MAX */
    unsigned seconds;     /* MEMCACHED_SET: lifetime; 0 for as long as there is room */
    struct buffer *out;   /* MEMCACHED_GET: the value is appended; unchanged unless DONE */
};

struct memcached_address {
    struct sockaddr_storage socket;
    socklen_t length; /* 0 for none */
};

/* A connected socket, or -1. */
int memcached_connect(const struct memcached_address *address, struct wait_limit limit);
/* MEMCACHED_MISS is an outcome of MEMCACHED_GET only. */
enum memcached_outcome memcached_run(int connection, const struct memcached_request *request,
                                     struct wait_limit limit);

/* The state of a reply to "get `key`" of which `length` bytes have arrived. Pure. */
enum memcached_reply_state {
    MEMCACHED_REPLY_INCOMPLETE,
    MEMCACHED_REPLY_MISS,
    MEMCACHED_REPLY_HIT,
    MEMCACHED_REPLY_INVALID,
};

struct memcached_reply {
    size_t value_at, value_length; /* of a hit: where the value stands in the reply */
    size_t missing;                /* of an incomplete reply: at least so many bytes must follow */
};

enum memcached_reply_state memcached_parse_reply(struct memcached_reply *reply, const char *key,
                                                 const uint8_t *bytes, size_t length);

#endif
