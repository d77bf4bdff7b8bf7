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

#include <gnutls/crypto.h>

enum { WORDS_PER_HASH = 4, MD5_BYTES = 4 * WORDS_PER_HASH, POINTS_PER_SERVER = 160 };

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

/* The four words of an MD5, least significant byte first. False where the system forbids MD5. */
static bool hash_words(const char *text, size_t length, uint32_t words[WORDS_PER_HASH])
{
    uint8_t digest[MD5_BYTES] = {0};
    const bool done = gnutls_hash_fast(GNUTLS_DIG_MD5, text, length, digest) == 0;
    for (int k = 0; k < WORDS_PER_HASH; k++) {
        const uint8_t *bytes = digest + (ptrdiff_t)4 * k;
        words[k] = (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 |
                   bytes[0];
    }
    return done;
}

static bool add_points(struct shared_ring *ring, const struct server_address *server,
                       uint32_t index, unsigned hashes)
{
    char name[SERVER_HOST_TEXT + 24];
    uint32_t words[WORDS_PER_HASH];
    for (unsigned i = 0; i < hashes; i++) {
        const int length =
            server->port == SERVER_PORT_DEFAULT
                ? snprintf(name, sizeof name, "%s-%u", server->host, i)
                : snprintf(name, sizeof name, "%s:%u-%u", server->host, (unsigned)server->port, i);
        if (!hash_words(name, (size_t)length, words))
            return false;
        for (int k = 0; k < WORDS_PER_HASH; k++)
            ring->points[ring->count++] = (struct point){words[k], index};
    }
    return true;
}

/* Equal values are rare and go to the server that is listed first. */
static int compare_points(const void *left, const void *right)
{
    const struct point *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->server < b->server ? -1 : a->server > b->server;
}

static bool add_servers(struct shared_ring *ring, const struct server_list *list, unsigned hashes)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!add_points(ring, &list->servers[i], i, hashes))
            return false;
    qsort(ring->points, ring->count, sizeof *ring->points, compare_points);
    return true;
}

struct shared_ring *shared_ring_new(const struct server_list *list, struct error *error)
{
    const unsigned hashes = hashes_per_server(list->count);
    struct shared_ring *ring =
        malloc(sizeof *ring + list->count * hashes * WORDS_PER_HASH * sizeof(struct point));
    if (!ring)
        return error_memory_null(error);
    ring->count = 0;
    if (add_servers(ring, list, hashes))
        return ring;
    error_set(error, ERROR_IO, "MD5, which distributes keys over the servers, is not available");
    free(ring);
    return NULL;
}

void shared_ring_free(struct shared_ring *ring)
{
    free(ring);
}

size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length)
{
    uint32_t words[WORDS_PER_HASH];
    hash_words(key, length, words); /* succeeds, as it did for the points, and allocates nothing */
    size_t low = 0, high = ring->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ring->points[middle].value < words[0])
            low = middle + 1;
        else
            high = middle;
    }
    return ring->points[low < ring->count ? low : 0].server;
}
