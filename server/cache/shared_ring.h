/* The memcached servers of a shared cache as settings name them, and which of them keeps a key.
 *
 * Keys are spread by libmemcached's weighted ketama over the names as they are written, so all
 * replicas must write them the same way; their order does not matter. A server that fails keeps its
 * keys: nothing moves, and what it held is there when it is back. */
#ifndef TERRANE_SERVER_CACHE_SHARED_RING_H
#define TERRANE_SERVER_CACHE_SHARED_RING_H

#include "core/base/error.h"

enum { SHARED_HOST_TEXT = 256, SHARED_PORT_DEFAULT = 11211, SHARED_SERVERS_MAX = 64 };

struct shared_address {
    char host[SHARED_HOST_TEXT]; /* a name or a numeric address, without brackets */
    uint16_t port;
};

struct shared_addresses {
    struct shared_address list[SHARED_SERVERS_MAX];
    size_t count;
};

/* Adds the servers of "memcached://host:port[,host:port…]"; [::1]:port for IPv6; the port may be
 * left out. False with ERROR_VALUE and what is allowed, or ERROR_LIMIT. */
bool shared_addresses_add(struct shared_addresses *addresses, const char *url, struct error *error);

/* Immutable; read by any number of threads. */
struct shared_ring;
struct shared_ring *shared_ring_new(const struct shared_addresses *addresses); /* null: no memory */
void shared_ring_free(struct shared_ring *ring);                               /* null is allowed */
/* The index in the list of the server that keeps the key. */
size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length);

#endif
