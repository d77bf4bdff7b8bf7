/* See list_builder.h. */
#include "core/drainage/store/list_builder.h"

#include <stdlib.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"

static const uint32_t ALL = 0xffff; /* of 16 segments */

void list_begin(struct list_builder *list, unsigned shift, int64_t x, int64_t y, float limit)
{
    list->middle = square_middle(shift, x, y);
    list->limit = limit;
    list->count = 0;
    list->nearest = 1e30f;
}

void list_free(struct list_builder *list)
{
    free(list->segments);
    free(list->squares);
    free(list->candidates);
    free(list->within);
}

size_t list_bytes(const struct list_builder *list)
{
    return list->segment_capacity * sizeof *list->segments +
           (list->square_capacity + list->candidate_capacity) * sizeof(float) +
           list->within_capacity * sizeof(uint32_t);
}

/* Makes room for as many more as there are in `rows`. */
static bool reserve_more(struct list_builder *list, struct segment_rows rows)
{
    const size_t room = list->count + rows.stride;
    if (!reserve_items(&list->segments, &list->segment_capacity, room, sizeof(struct segment *)) ||
        !reserve_items(&list->squares, &list->square_capacity, room, sizeof(float)) ||
        !reserve_items(&list->candidates, &list->candidate_capacity, rows.stride, sizeof(float)) ||
        !reserve_items(&list->within, &list->within_capacity, rows.stride / LANES,
                       sizeof(uint32_t))) {
        list->failed = true;
        return false;
    }
    return true;
}

static void add_segment(struct list_builder *list, const struct segment *segment, float squared)
{
    list->segments[list->count] = segment;
    list->squares[list->count++] = squared;
    list->nearest = squared < list->nearest ? squared : list->nearest;
}

void list_add_list(struct list_builder *list, struct segment_list kept, float x, float y)
{
    if (kept.count == 0 || !reserve_more(list, kept.rows))
        return;
    for (size_t run = 0; run < kept.rows.stride / LANES; run++)
        list->within[run] = ALL;
    segment_squares(kept.rows, x, y, list->limit * list->limit, list->candidates, list->within);
    for (size_t from = 0; from < kept.rows.stride; from += LANES)
        for (uint32_t bits = list->within[from / LANES]; bits != 0; bits &= bits - 1) {
            const size_t i = from + (size_t)__builtin_ctz(bits);
            add_segment(list, kept.segments[i], list->candidates[i]);
        }
}

/* The first 16 segments of some nodes among those of n segments each: a bit for each. */
static uint32_t segments_of_nodes(uint32_t nodes, unsigned n)
{
    uint32_t bits = 0;
    for (nodes &= ALL >> (LANES - LANES / n); nodes != 0; nodes &= nodes - 1)
        bits |= (ALL >> (LANES - n)) << (unsigned)__builtin_ctz(nodes) * n;
    return bits;
}

/* Adds segments of the streams from some nodes of a block: a bit for each. */
static void add_block(struct list_builder *list, struct stream_block *block, uint32_t nodes,
                      float x, float y)
{
    const unsigned n = block->per_stream;
    const struct segment_rows rows = block_rows(block);
    if (!reserve_more(list, rows))
        return;
    for (unsigned run = 0; run < n; run++)
        list->within[run] = segments_of_nodes(nodes >> run * (LANES / n), n);
    segment_squares(rows, x, y, list->limit * list->limit, list->candidates, list->within);
    for (unsigned run = 0; run < n; run++)
        for (uint32_t bits = list->within[run]; bits != 0; bits &= bits - 1) {
            const unsigned i = run * LANES + (unsigned)__builtin_ctz(bits);
            add_segment(list, &block->segments[i], list->candidates[i]);
        }
}

void list_add_streams(struct list_builder *list, const struct level_window *window, unsigned shift,
                      const struct cell_rect *cells)
{
    const struct cell_rect blocks = rect_ancestors(*cells, BLOCK_LOG2);
    const int64_t width = (int64_t)BLOCK_SIDE << shift;
    for (int64_t y = blocks.low[1]; y <= blocks.high[1]; y++)
        for (int64_t x = blocks.low[0]; x <= blocks.high[0]; x++)
            add_block(list, window_block(window, x * BLOCK_SIDE, y * BLOCK_SIDE),
                      nodes_in_rect(x, y, cells), units_to_metres(list->middle.x - x * width),
                      units_to_metres(list->middle.y - y * width));
}
