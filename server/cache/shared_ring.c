#include "server/cache/shared_ring.h"

#include <stdlib.h>
#include <string.h>

#include <libmemcached/memcached.h>

struct shared_ring {
    memcached_st names; /* never connected */
    size_t count;
};

struct shared_ring *shared_ring_new(const struct server_list *list)
{
    struct shared_ring *ring = calloc(1, sizeof *ring);
    if (!ring || !memcached_create(&ring->names)) {
        free(ring);
        return NULL;
    }
    bool done = memcached_success(
        memcached_behavior_set(&ring->names, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1));
    for (size_t i = 0; i < list->count && done; i++)
        done = memcached_success(
            memcached_server_add(&ring->names, list->servers[i].host, list->servers[i].port));
    ring->count = list->count;
    if (done)
        return ring;
    shared_ring_free(ring);
    return NULL;
}

void shared_ring_free(struct shared_ring *ring)
{
    if (ring)
        memcached_free(&ring->names);
    free(ring);
}

size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length)
{
    size_t index = memcached_generate_hash(&ring->names, key, length);
    return index < ring->count ? index : 0;
}
