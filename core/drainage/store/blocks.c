/* See blocks.h. */
#include "core/drainage/store/blocks.h"

#include <string.h>

#include "core/drainage/course/deltas.h"

/* Coarse blocks are told apart by numbers of pieces that no others have. */
static struct cache_key block_key(const struct drainage_network *network, struct block_kind kind,
                                  int64_t x, int64_t y)
{
    return (struct cache_key){.owner = network->identity,
                              .x = x,
                              .y = y,
                              .kind = CACHE_STREAMS,
                              .level = kind.level,
                              .pieces = kind.pieces + (kind.coarse ? SEGMENTS_MAX : 0)};
}

struct stream_block *block_find(struct drainage_cache *cache,
                                const struct drainage_network *network, struct block_kind kind,
                                int64_t x, int64_t y)
{
    const struct cache_key key = block_key(network, kind, x, y);
    return (struct stream_block *)cache_find(cache, &key);
}

struct stream_block *block_with_room(struct drainage_cache *cache,
                                     const struct drainage_network *network, struct block_kind kind,
                                     const int64_t at[2], uint32_t nodes)
{
    const struct cache_key key = block_key(network, kind, at[0], at[1]);
    const unsigned per_stream = kind.pieces + delta_segments(network, kind.level);
    const unsigned count = count_nodes(nodes) * per_stream;
    const size_t in_rows = ((size_t)count + LANES - 1) / LANES * LANES;
    struct stream_block *block = (struct stream_block *)cache_new_item(
        cache, &key,
        sizeof *block + count * sizeof *block->segments + in_rows * SEGMENT_ROWS * sizeof(float));
    if (!block)
        return NULL;
    block->room = nodes;
    block->per_stream = per_stream;
    block->made = 0;
    block->count = count;
    if (in_rows > 0)
        memset(segment_run(block_rows(block), in_rows - LANES), 0,
               LANES * SEGMENT_ROWS * sizeof(float));
    return block;
}

void block_take(struct stream_block *block, struct stream_block *from)
{
    const struct segment_rows rows = block_rows(block), rows_from = block_rows(from);
    for (uint32_t nodes = from->made & block->room; nodes != 0; nodes &= nodes - 1) {
        const unsigned node = (unsigned)__builtin_ctz(nodes);
        struct segment *to = block_stream(block, node);
        const struct segment *stream = block_stream(from, node);
        memcpy(to, stream, block->per_stream * sizeof *stream);
        for (unsigned i = 0; i < block->per_stream; i++)
            segment_copy_row(rows, (size_t)(to + i - block->segments), rows_from,
                             (size_t)(stream + i - from->segments));
        block->made |= 1u << node;
    }
}

/* Which of a block's rows or columns, from `first` on, are from low to high: a bit for each. */
static uint32_t lines_within(int64_t first, int64_t low, int64_t high)
{
    const uint32_t all = (1u << BLOCK_SIDE) - 1;
    const uint32_t from = low > first ? all << (low - first) : all;
    const uint32_t to =
        high < first + BLOCK_SIDE - 1 ? all >> (first + BLOCK_SIDE - 1 - high) : all;
    return from & to & all;
}

uint32_t nodes_in_rect(int64_t block_x, int64_t block_y, const struct cell_rect *cells)
{
    const uint32_t columns = lines_within(block_x * BLOCK_SIDE, cells->low[0], cells->high[0]);
    uint32_t rows = lines_within(block_y * BLOCK_SIDE, cells->low[1], cells->high[1]);
    uint32_t bits = 0;
    for (unsigned row = 0; row < BLOCK_SIDE; row++, rows >>= 1)
        bits |= (rows & 1) * columns << row * BLOCK_SIDE;
    return bits;
}

struct cell_rect rect_of_nodes(int64_t block_x, int64_t block_y, uint32_t nodes)
{
    uint32_t columns = 0;
    if (nodes == 0)
        return RECT_EMPTY;
    for (unsigned row = 0; row < BLOCK_SIDE; row++)
        columns |= nodes >> row * BLOCK_SIDE & ((1u << BLOCK_SIDE) - 1);
    const int64_t x = block_x * BLOCK_SIDE, y = block_y * BLOCK_SIDE;
    return (struct cell_rect){
        {x + __builtin_ctz(columns), y + __builtin_ctz(nodes) / BLOCK_SIDE},
        {x + 31 - __builtin_clz(columns), y + (31 - __builtin_clz(nodes)) / BLOCK_SIDE}};
}
