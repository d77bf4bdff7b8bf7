/* What of a batch's piece is in the memory cache, or shall be: the same products as of single
 * requests that take no coding. They are found and kept on the loop's thread, whose locks the
 * cache's are, and used and made on a render thread in between. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_CACHE_LOOKUP_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_CACHE_LOOKUP_H

#include "server/http/products/cached_response.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/server_state.h"

enum { CHUNK_PIECE_MAX = 64 }; /* chunks of a piece */

struct chunk_cache_lookup {
    struct event_loop *loop; /* borrowed, like the next two */
    const struct catalog_world *world;
    const struct chunk_batch *batch;
    size_t first, count; /* of the batch's chunks */
    size_t found;
    struct cached *tiles[CHUNK_PIECE_MAX]; /* references; null for what is neither found nor made */
    bool is_new[CHUNK_PIECE_MAX];          /* and not in the cache yet */
};

void chunk_cache_lookup_init(struct chunk_cache_lookup *lookup, struct event_loop *loop,
                             const struct catalog_world *world, const struct chunk_batch *batch);
/* On the loop's thread: how many of the whole batch are cached at the moment. */
size_t chunk_cache_lookup_count(struct chunk_cache_lookup *lookup);
/* On the loop's thread: looks for `count` chunks from `first` on, and counts it. */
void chunk_cache_lookup_find(struct chunk_cache_lookup *lookup, size_t first, size_t count);
/* A copy of the piece's i-th chunk, just made: its digest's text and its payload. Where memory is
 * out it is not kept. */
void chunk_cache_lookup_add(struct chunk_cache_lookup *lookup, size_t i, const uint8_t *bytes,
                            size_t length);
/* On the loop's thread: puts what was made into the cache, and gives all references back. */
void chunk_cache_lookup_finish(struct chunk_cache_lookup *lookup);

#endif
