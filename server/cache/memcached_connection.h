/* One connection to one memcached, through libmemcached. Used by one thread at a time.
 *
 * libmemcached's timeout is for each wait, and is given to each of connecting, sending and
 * receiving. Keeping and forgetting do not wait for an answer.
 *
 * Whatever else a server answers is MEMCACHED_FAILED; but one line is known that ends the program
 * inside libmemcached 1.1.4: "VERSION" without a blank behind it, in an answer with a zero byte in
 * that line or one before. No memcached says so to a get, and servers belong on a network where
 * nobody else can. */
#ifndef TERRANE_SERVER_CACHE_MEMCACHED_CONNECTION_H
#define TERRANE_SERVER_CACHE_MEMCACHED_CONNECTION_H

#include "core/base/buffer.h"

/* What memcached keeps with its default of 1 MB for an item, key and header included. */
enum { MEMCACHED_VALUE_MAX = (1 << 20) - 1024 };

struct memcached_connection;

enum memcached_outcome {
    MEMCACHED_DONE,
    MEMCACHED_MISS,
    MEMCACHED_FAILED, /* close the link: what the next answer belongs to is not known */
};

enum memcached_verb { MEMCACHED_GET, MEMCACHED_SET, MEMCACHED_DELETE };

struct memcached_request {
    enum memcached_verb verb;
    const char *key; /* terminated, without blanks, at most 250 bytes */
    const uint8_t *value;
    size_t length;      /* of the value, at most MEMCACHED_VALUE_MAX */
    unsigned seconds;   /* MEMCACHED_SET: how long it is kept; 0 for as long as there is room */
    struct buffer *out; /* MEMCACHED_GET: the value is appended */
};

/* Connects at the first request. `address` is numeric, so nothing is looked up. Null: no memory. */
struct memcached_connection *memcached_connection_open(const char *address, uint16_t port,
                                                       unsigned timeout_milliseconds);
/* Waits for nothing. Null is allowed. */
void memcached_connection_close(struct memcached_connection *connection);

enum memcached_outcome memcached_connection_run(struct memcached_connection *connection,
                                                const struct memcached_request *request);

#endif
