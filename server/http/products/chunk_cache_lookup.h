/* The memory cache as a batch of chunks uses it: its chunks are the same products as those of
 * single requests without a coding, so a batch finds what single requests left there, and leaves
 * its own.
 *
 * The locks of the cache are the loops' alone. So the chunks of a piece are looked up on the loop's
 * thread, used and added to on a render thread, and put into the cache on the loop's thread. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_CACHE_LOOKUP_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_CACHE_LOOKUP_H

#include "server/http/jobs/server_state.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/chunk_batch.h"

enum { CHUNK_PIECE_MAX = 64 }; /* chunks of a piece */

/* Zeroed at first, but for `loop`, `world` and `batch`. */
struct chunk_cache_lookup {
    struct event_loop *loop; /* borrowed, like the next two */
    const struct resolved_world *world;
    const struct chunk_batch *batch;
    size_t first, count; /* of the batch's chunks */
    size_t found;
    struct cached_response *cached[CHUNK_PIECE_MAX]; /* references; null: not found, not rendered */
    bool is_new[CHUNK_PIECE_MAX];                    /* rendered, and not in the cache yet */
};

/* On the loop's thread: how many chunks of the whole batch are cached at the moment. */
size_t chunk_cache_lookup_count(struct chunk_cache_lookup *lookup);
/* On the loop's thread: looks for `count` chunks from `first` on, and counts hits and misses. */
void chunk_cache_lookup_find(struct chunk_cache_lookup *lookup, size_t first, size_t count);
/* Adds a copy of the piece's i-th chunk, just rendered: its prefix and its payload.
 * Without memory it is left out. */
void chunk_cache_lookup_add(struct chunk_cache_lookup *lookup, size_t i, const uint8_t *bytes,
                            size_t length);
/* On the loop's thread: puts what was added into the cache, and gives all references back. */
void chunk_cache_lookup_finish(struct chunk_cache_lookup *lookup);

#endif
