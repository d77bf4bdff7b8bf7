/* Windows: the streams of a level that a request uses. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_WINDOW_H
#define TERRANE_DRAINAGE_STORE_WINDOW_H

#include "core/drainage/store/blocks.h"

/* The blocks of a level that a request uses, each with a reference of the window's. */
struct level_window {
    struct hash128 network;
    struct block_kind kind;
    struct cell_rect cells; /* whose streams are used */
    struct cell_rect blocks;
    struct stream_block **block; /* row by row; null if none of their streams is made */
    size_t count, capacity;
    struct arc **streams; /* the arcs of streams in lists, by block and stream; or null */
    size_t stream_capacity;
    struct stream_block **before; /* scratch memory: those of the load before */
    size_t before_capacity;
    uint16_t *missing_nodes; /* by block: a bit for each node whose stream is needed, not made */
    size_t missing_capacity;
    struct cell_rect missing; /* around the cells of these */
};

/* The number of the window's block (x, y). */
static inline size_t window_number(const struct level_window *window, int64_t x, int64_t y)
{
    const uint64_t column = (uint64_t)(x - window->blocks.low[0]);
    const uint64_t row = (uint64_t)(y - window->blocks.low[1]);
    return (size_t)(row * rect_columns(&window->blocks) + column);
}

/* The block that holds a cell of the window. */
static inline struct stream_block *window_block(const struct level_window *window, int64_t x,
                                                int64_t y)
{
    return window->block[window_number(window, x >> BLOCK_LOG2, y >> BLOCK_LOG2)];
}
/* True if the stream from a cell is made and in the window. */
static inline bool window_has(const struct level_window *window, int64_t x, int64_t y)
{
    if (!rect_has(&window->cells, x, y))
        return false;
    const struct stream_block *block = window_block(window, x, y);
    return block && block->made >> node_in_block(x, y) & 1;
}
/* The stream from a cell of the window, which has it. */
static inline const struct segment *window_stream(const struct level_window *window, int64_t x,
                                                  int64_t y)
{
    return block_stream(window_block(window, x, y), node_in_block(x, y));
}

/* Makes a window of blocks of a kind around cells, of those that it had before, or of a cache's
 * where those lack streams that others have made since. False when memory is out. */
bool window_find_blocks(struct level_window *window, struct drainage_cache *cache,
                        const struct drainage_network *network, struct block_kind kind,
                        struct cell_rect cells);
void window_free(struct level_window *window);
size_t window_bytes(const struct level_window *window);

#endif
