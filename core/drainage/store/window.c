/* See window.h. */
#include "core/drainage/store/window.h"

#include <stdlib.h>
#include <string.h>

#include "core/drainage/network/scratch.h"

/* The blocks of the load before. */
struct blocks_before {
    struct cell_rect rect;
    struct stream_block **block;
    size_t count;
};

static void release_blocks(struct stream_block **block, size_t count)
{
    for (size_t i = 0; i < count; i++)
        block_release(block[i]);
}

/* Sets the window's blocks aside, if they are of the same network and kind, for new ones. */
static struct blocks_before set_aside(struct level_window *window,
                                      const struct drainage_network *network,
                                      struct block_kind kind)
{
    const struct hash128 identity = network->identity;
    struct stream_block **block = window->block;
    const size_t capacity = window->capacity;
    if (window->network.low != identity.low || window->network.high != identity.high ||
        window->kind.level != kind.level || window->kind.pieces != kind.pieces ||
        window->kind.coarse != kind.coarse) {
        release_blocks(window->block, window->count);
        window->count = 0;
    }
    const struct blocks_before before = {window->blocks, window->block, window->count};
    window->block = window->before;
    window->capacity = window->before_capacity;
    window->count = 0;
    window->before = block;
    window->before_capacity = capacity;
    window->network = identity;
    window->kind = kind;
    return before;
}

/* Takes a block over from the load before; null if it was not there. */
static struct stream_block *take_over(const struct blocks_before *before, int64_t x, int64_t y)
{
    const struct cell_rect *rect = &before->rect;
    if (before->count == 0 || !rect_has(rect, x, y))
        return NULL;
    const size_t i =
        (size_t)(y - rect->low[1]) * (size_t)rect_columns(rect) + (size_t)(x - rect->low[0]);
    struct stream_block *block = before->block[i];
    before->block[i] = NULL;
    return block;
}

/* Those of some nodes whose streams a block, which may be null, lacks: a bit for each. */
static uint32_t missing_of(const struct stream_block *block, uint32_t nodes)
{
    return nodes & ~(block ? block->made : 0);
}

/* The kept one of two blocks with the same key if it lacks fewer streams from some nodes, and none
 * that the window's own has; else the own one. Releases the other; either may be null. */
static struct stream_block *better_of(struct stream_block *own, struct stream_block *kept,
                                      uint32_t nodes)
{
    const uint32_t missing = missing_of(own, nodes), missing_kept = missing_of(kept, nodes);
    const bool better = kept && missing_kept != missing && (missing_kept & ~missing) == 0;
    block_release(better ? own : kept);
    return better ? kept : own;
}

bool window_find_blocks(struct level_window *window, struct drainage_cache *cache,
                        const struct drainage_network *network, struct block_kind kind,
                        struct cell_rect cells)
{
    const struct cell_rect blocks = rect_ancestors(cells, BLOCK_LOG2);
    const size_t count = rect_count(&blocks);
    const struct blocks_before before = set_aside(window, network, kind);
    window->cells = cells;
    window->blocks = blocks;
    const bool room =
        reserve_items(&window->block, &window->capacity, count, sizeof(struct stream_block *)) &&
        reserve_items(&window->missing_nodes, &window->missing_capacity, count, sizeof(uint16_t)) &&
        reserve_items(&window->streams, &window->stream_capacity, count * BLOCK_NODES,
                      sizeof(struct arc *));
    if (room)
        memset(window->streams, 0, count * BLOCK_NODES * sizeof *window->streams);
    for (int64_t y = blocks.low[1]; room && y <= blocks.high[1]; y++)
        for (int64_t x = blocks.low[0]; x <= blocks.high[0]; x++) {
            const uint32_t nodes = nodes_in_rect(x, y, &cells);
            struct stream_block *block = take_over(&before, x, y);
            if (missing_of(block, nodes) != 0) /* others may have made them since */
                block = better_of(block, block_find(cache, network, kind, x, y), nodes);
            window->block[window->count++] = block;
        }
    release_blocks(before.block, before.count);
    return room;
}

void window_free(struct level_window *window)
{
    release_blocks(window->block, window->count);
    free(window->block);
    free(window->before);
    free(window->missing_nodes);
    free(window->streams);
    *window = (struct level_window){0};
}

size_t window_bytes(const struct level_window *window)
{
    return (window->capacity + window->before_capacity) * sizeof *window->block +
           window->missing_capacity * sizeof *window->missing_nodes +
           window->stream_capacity * sizeof *window->streams;
}
