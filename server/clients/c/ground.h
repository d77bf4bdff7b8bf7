/* A client of Terrane's chunks: the ground around a moving player, over HTTP, by libcurl.
 *
 * Chunk (cx, cy) has (size + 1)² heights in metres: rows from north to south, each from west to
 * east, `step` metres apart from (cx · size · step, cy · size · step). Its last row and column are
 * its neighbours' first. ground_prefetch() asks for all chunks that are missing around a place in
 * one request; ground_chunk() gives one, from memory if it is there. ground_heights() asks for
 * single places. Requests that the daemon finds too large are repeated in parts of the size that it
 * says would fit.
 *
 * Everything that comes is checked: the CRC-32 of each record of a batch, the digest of a single
 * chunk, and that they are what was asked for. Memory holds `capacity` chunks; the one that was
 * used longest ago makes room.
 *
 * Threads: a struct ground belongs to one thread at a time; call curl_global_init() first if there
 * are several. Failure: null or false, and ground_error() says why; what is in memory stays. */
#ifndef TERRANE_CLIENT_GROUND_H
#define TERRANE_CLIENT_GROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ground_settings {
    const char
        *url; /* "http://127.0.0.1:8080", or with "/worlds/NAME" behind it; at most 400 bytes */
    const char *layer; /* "height" */
    unsigned size;     /* 1 … 1024 */
    unsigned step;     /* whole metres, a power of two */
    unsigned capacity; /* chunks in memory, at least 1 */
    long timeout_ms;   /* for one request, all of it */
};

/* Counts since the start. */
struct ground_counts {
    uint64_t hits, misses; /* of ground_chunk(): in memory or not */
    uint64_t requests;     /* sent to the daemon, */
    uint64_t unchanged;    /* and of these answered "304 Not Modified" */
    uint64_t received;     /* chunks */
    uint64_t evicted;      /* chunks that made room for others */
    uint64_t bytes;        /* bodies as they came over the wire */
};

struct ground;

/* Null when memory is out, or a setting is not allowed. Asks for nothing yet. */
struct ground *ground_open(const struct ground_settings *settings);
void ground_close(struct ground *ground); /* null is allowed */

/* The heights of a chunk, which stay the ground's and in place until its next call. A chunk beyond
 * the edge of the world is a failure. */
const float *ground_chunk(struct ground *ground, int64_t cx, int64_t cy);

/* The chunk that the place x, y (metres) is in, along one axis. */
int64_t ground_index(const struct ground *ground, double metres);

/* Brings the chunk of x, y and `rings` rings around it into memory, by batches of up to 256 of
 * those that are missing: mostly one request or none. Fails if all of them are more than the
 * capacity. */
bool ground_prefetch(struct ground *ground, double x, double y, unsigned rings);

/* The values of the layer at `count` places, places[i] being x and y in metres, in their order: at
 * full detail, which chunks do not have. By requests for up to 10,000 places, in binary; they come
 * from no chunk in memory. */
bool ground_heights(struct ground *ground, const double (*places)[2], size_t count, float *heights);

/* Revalidates a chunk with the daemon by its entity tag, which the daemon answers
 * without rendering. A changed chunk, or one of a batch, which has no tags, is loaded again. */
bool ground_refresh(struct ground *ground, int64_t cx, int64_t cy);

/* The last failure, one line. */
const char *ground_error(const struct ground *ground);
struct ground_counts ground_counts(const struct ground *ground);

#endif
