/* Blocks: the streams from 4 × 4 nodes of a level, which are kept together. Internal to
 * core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_BLOCKS_H
#define TERRANE_DRAINAGE_STORE_BLOCKS_H

#include "core/drainage/network/arc.h"
#include "core/drainage/network/rect.h"
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
    uint32_t room;        /* and for each that there is room for: when it is published, the same */
    unsigned per_stream;  /* segments that are kept for each stream */
    unsigned count;       /* of all segments */
    /* By node, row by row, from upstream to downstream; then their rows. */
    struct segment segments[];
};

/* How many some nodes of a block are: bits of which the lowest 16 may be set. */
static inline unsigned count_nodes(uint32_t nodes)
{
    nodes = (nodes & 0x5555) + (nodes >> 1 & 0x5555);
    nodes = (nodes & 0x3333) + (nodes >> 2 & 0x3333);
    nodes = (nodes & 0x0f0f) + (nodes >> 4 & 0x0f0f);
    return (nodes + (nodes >> 8)) & 0x1f;
}

/* The number of a node among some nodes of a block, which it is one of. */
static inline unsigned number_of_node(uint32_t nodes, unsigned node)
{
    return count_nodes(nodes & ((1u << node) - 1));
}

/* The stream from a node for which there is room. */
static inline struct segment *block_stream(struct stream_block *block, unsigned node)
{
    return block->segments + (size_t)number_of_node(block->room, node) * block->per_stream;
}

/* The rows of a block's segments, from its north-west corner; those behind the last are zeros. */
static inline struct segment_rows block_rows(struct stream_block *block)
{
    return (struct segment_rows){(float *)(void *)(block->segments + block->count),
                                 ((size_t)block->count + LANES - 1) / LANES * LANES};
}

static inline unsigned node_in_block(int64_t x, int64_t y)
{
    return (unsigned)((y & (BLOCK_SIDE - 1)) * BLOCK_SIDE + (x & (BLOCK_SIDE - 1)));
}

/* Blocks whose streams have so many pieces: those of a level all, or, where they are among the
 * finest in view, fewer. */
struct block_kind {
    unsigned level, pieces;
    bool coarse; /* they may end on such streams */
};
/* The block (x, y) of a kind in a cache, or null. The caller releases it. */
struct stream_block *block_find(struct drainage_cache *cache,
                                const struct drainage_network *network, struct block_kind kind,
                                int64_t x, int64_t y);
/* A new one, at[0] and at[1], with room for the streams from some nodes: a bit for each. Null when
 * memory is out. The caller releases it. */
struct stream_block *block_with_room(struct drainage_cache *cache,
                                     const struct drainage_network *network, struct block_kind kind,
                                     const int64_t at[2], uint32_t nodes);
/* Takes the streams that another block of the same kind and place has, for which there is room. */
void block_take(struct stream_block *block, struct stream_block *from);
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
