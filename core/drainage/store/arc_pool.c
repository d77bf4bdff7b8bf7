/* See arc_pool.h. Arcs are in chunks that never move; a run that does not fit what is left of one
 * begins the next. */
#include "core/drainage/store/arc_pool.h"

#include <stdlib.h>

#include "core/drainage/network/scratch.h"

static bool add_chunk(struct arc_pool *pool)
{
    if (!reserve_items(&pool->chunks, &pool->chunk_capacity, pool->chunk_count + 1,
                       sizeof(struct arc *)))
        return false;
    struct arc *chunk = malloc(ARC_CHUNK * sizeof *chunk);
    if (!chunk)
        return false;
    pool->chunks[pool->chunk_count++] = chunk;
    return true;
}

struct arc *arc_pool_take(struct arc_pool *pool, size_t count)
{
    if (pool->used + count > ARC_CHUNK && pool->chunk < pool->chunk_count) {
        pool->chunk++;
        pool->used = 0;
    }
    if (pool->chunk == pool->chunk_count && !add_chunk(pool))
        return NULL;
    struct arc *arcs = pool->chunks[pool->chunk] + pool->used;
    pool->used += count;
    return arcs;
}

void arc_pool_clear(struct arc_pool *pool)
{
    pool->chunk = pool->used = 0;
}

void arc_pool_free(struct arc_pool *pool)
{
    for (size_t i = 0; i < pool->chunk_count; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
    *pool = (struct arc_pool){0};
}

size_t arc_pool_bytes(const struct arc_pool *pool)
{
    return pool->chunk_count * ARC_CHUNK * sizeof(struct arc) +
           pool->chunk_capacity * sizeof *pool->chunks;
}
