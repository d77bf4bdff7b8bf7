/* The memcached servers of a shared cache as settings name them, and which of them keeps a key.
 *
 * Keys are spread by libmemcached's weighted ketama over the names as they are written, so all
 * replicas must write them the same way; their order does not matter. A server that fails keeps its
 * keys: nothing moves, and what it held is there when it is back. */
#ifndef TERRANE_SERVER_CACHE_SHARED_RING_H
#define TERRANE_SERVER_CACHE_SHARED_RING_H

#include "server/base/server_list.h"

/* Immutable; read by any number of threads. */
struct shared_ring;
struct shared_ring *shared_ring_new(const struct server_list *list); /* null: no memory */
void shared_ring_free(struct shared_ring *ring);                     /* null is allowed */
/* The index in the list of the server that keeps the key. */
size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length);

#endif
