/* The distribution of keys over the servers of a shared cache: weighted ketama with equal weights,
 * as libmemcached computes it (MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED), so that other clients find the
 * same keys on the same servers.
 *
 * A server's points depend on its name as it is written, so all replicas must write the names the
 * same way; their order does not matter. A server that fails keeps its keys: no key moves, and the
 * server's records are still found when it is back. */
#ifndef TERRANE_SERVER_CACHE_SHARED_RING_H
#define TERRANE_SERVER_CACHE_SHARED_RING_H

#include "core/base/error.h"
#include "server/base/server_list.h"

/* Immutable; read by any number of threads. */
struct shared_ring;
/* Null when memory is out, or on a system that forbids MD5, as some do in FIPS mode. */
struct shared_ring *shared_ring_new(const struct server_list *list, struct error *error);
void shared_ring_free(struct shared_ring *ring); /* null is allowed */
/* The index in the list of the server that keeps the key. */
size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length);

#endif
