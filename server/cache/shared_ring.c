/* Consistent hashing after ketama (R. Jones, last.fm, 2007): each server has about 160 points on a
 * ring of 32-bit numbers, and a key belongs to the server of the first point at or behind its hash.
 * So one server more or less moves its own share of the keys only.
 *
 * Four points are the four words of the MD5 of "HOST:PORT-I", or of "HOST-I" on memcached's default
 * port. The number of points per server is computed in float as libmemcached does: rounding makes
 * it 156 for 25, 47, 50, 55 and 61 servers. */
#include "server/cache/shared_ring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <libhashkit/hashkit.h>

enum { WORDS_PER_HASH = 4, POINTS_PER_SERVER = 160 };

struct point {
    uint32_t value;
    uint32_t server;
};

struct shared_ring {
    size_t count;
    struct point points[]; /* ascending */
};

/* Divides among `count` servers and multiplies again, as libmemcached does for weights. */
static unsigned hashes_per_server(size_t count)
{
    const float share = 1.0F / (float)count;
    const float hashes = share * POINTS_PER_SERVER / WORDS_PER_HASH * (float)count;
    return (unsigned)floorf((float)((double)hashes + 1e-10));
}

static void add_points(struct shared_ring *ring, const struct server_address *server,
                       uint32_t index, unsigned hashes)
{
    char name[SERVER_HOST_TEXT + 24];
    unsigned char words[WORDS_PER_HASH][4];
    for (unsigned i = 0; i < hashes; i++) {
        const int length =
            server->port == SERVER_PORT_DEFAULT
                ? snprintf(name, sizeof name, "%s-%u", server->host, i)
                : snprintf(name, sizeof name, "%s:%u-%u", server->host, (unsigned)server->port, i);
        libhashkit_md5_signature((const unsigned char *)name, (size_t)length, words[0]);
        for (int k = 0; k < WORDS_PER_HASH; k++) {
            const uint32_t value = (uint32_t)words[k][3] << 24 | (uint32_t)words[k][2] << 16 |
                                   (uint32_t)words[k][1] << 8 | words[k][0];
            ring->points[ring->count++] = (struct point){value, index};
        }
    }
}

/* Equal values are rare and go to the server that is listed first. */
static int compare_points(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->server < b->server ? -1 : a->server > b->server;
}

struct shared_ring *shared_ring_new(const struct server_list *list)
{
    const unsigned hashes = hashes_per_server(list->count);
    struct shared_ring *ring =
        malloc(sizeof *ring + list->count * hashes * WORDS_PER_HASH * sizeof(struct point));
    if (!ring)
        return NULL;
    ring->count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        add_points(ring, &list->servers[i], i, hashes);
    qsort(ring->points, ring->count, sizeof *ring->points, compare_points);
    return ring;
}

void shared_ring_free(struct shared_ring *ring)
{
    free(ring);
}

size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length)
{
    const uint32_t hash = libhashkit_md5(key, length);
    size_t low = 0, high = ring->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ring->points[middle].value < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return ring->points[low < ring->count ? low : 0].server;
}
