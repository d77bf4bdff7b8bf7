/* Blocks: the streams from 4 × 4 nodes of a level, which are kept together. Internal to
 * core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_BLOCKS_H
#define TERRANE_DRAINAGE_STORE_BLOCKS_H

#include "core/drainage/network/rect.h"
#include "core/drainage/network/segment.h"
#include "core/drainage/store/cache.h"

enum {
    BLOCK_LOG2 = 2,
    BLOCK_SIDE = 1 << BLOCK_LOG2, /* cells */
    BLOCK_NODES = BLOCK_SIDE * BLOCK_SIDE,
};

/* The streams from nodes of 4 × 4 cells: from those that requests have needed. */
struct stream_block {
    struct cached cached; /* its place is in blocks of its level */
    uint32_t made;        /* a bit for each node whose stream is there */
    unsigned per_stream;  /* segments that are kept for each stream */
    /* By node, row by row, from upstream to downstream; then their rows. */
    struct segment segments[];
};

static inline struct segment *block_stream(struct stream_block *block, unsigned node)
{
    return block->segments + (size_t)node * block->per_stream;
}

/* The rows of a block's segments, from its north-west corner. */
static inline struct segment_rows block_rows(struct stream_block *block)
{
    const size_t count = (size_t)BLOCK_NODES * block->per_stream;
    return (struct segment_rows){(float *)(void *)(block->segments + count), count};
}

static inline unsigned node_in_block(int64_t x, int64_t y)
{
    return (unsigned)((y & (BLOCK_SIDE - 1)) * BLOCK_SIDE + (x & (BLOCK_SIDE - 1)));
}

/* Blocks whose streams have so many pieces: those of a level all, or, where they are the finest in
 * view, fewer. */
struct block_kind {
    unsigned level, pieces;
};
/* The block (x, y) of a kind in a cache, or null; and a new one with the streams of `old`, which
 * may be null: null when memory is out. The caller releases them. */
struct stream_block *block_find(struct drainage_cache *cache,
                                const struct drainage_network *network, struct block_kind kind,
                                int64_t x, int64_t y);
struct stream_block *block_extend(struct drainage_cache *cache, const struct stream_block *old,
                                  const struct drainage_network *network, struct block_kind kind,
                                  int64_t x, int64_t y);
static inline void block_release(struct stream_block *block) /* null is allowed */
{
    if (block)
        cache_release(&block->cached);
}

/* The nodes of a block that lie in a rect of cells: a bit for each. */
uint32_t nodes_in_rect(int64_t block_x, int64_t block_y, const struct cell_rect *cells);
/* The least rect that holds some nodes of a block: a bit for each. Empty if there is none. */
struct cell_rect rect_of_nodes(int64_t block_x, int64_t block_y, uint32_t nodes);

#endif
