/* See list_builder.h. */
#include "core/drainage/list_builder.h"

#include <stdlib.h>

#include "core/base/lanes.h"
#include "core/drainage/drainage_private.h"

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

/* Makes room for `count` more, and computes their distances from (x, y). */
static bool begin_adding(struct list_builder *list, struct segment_rows rows, float x, float y)
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
    segment_squares(rows, x, y, list->limit * list->limit, list->candidates, list->within);
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
    if (kept.count == 0 || !begin_adding(list, kept.rows, x, y))
        return;
    for (size_t from = 0; from < kept.rows.stride; from += LANES)
        for (uint32_t bits = list->within[from / LANES]; bits != 0; bits &= bits - 1) {
            const size_t i = from + (size_t)__builtin_ctz(bits);
            add_segment(list, kept.segments[i], list->candidates[i]);
        }
}

const struct segment *list_nearest(struct list_builder *list, struct segment_list kept,
                                   struct place origin, struct place place)
{
    const struct segment *nearest = NULL;
    float least = 1e30f;
    list->count = 0;
    if (!begin_adding(list, kept.rows, units_to_metres(place.x - origin.x),
                      units_to_metres(place.y - origin.y)))
        return NULL;
    for (uint32_t i = 0; i < kept.count; i++) {
        nearest = list->candidates[i] <= least ? kept.segments[i] : nearest;
        least = list->candidates[i] <= least ? list->candidates[i] : least;
    }
    return nearest;
}

/* The segments of some nodes among those of `per_stream` segments each: a bit for each. */
static uint32_t segments_of_nodes(uint32_t nodes, unsigned per_stream)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < LANES; i++)
        bits |= (nodes >> i / per_stream & 1) << i;
    return bits;
}

/* Adds segments of the streams from some nodes of a block: a bit for each. */
static void add_block(struct list_builder *list, struct stream_block *block, uint32_t nodes,
                      float x, float y)
{
    const unsigned n = block->per_stream;
    if (!begin_adding(list, block_rows(block), x, y))
        return;
    for (unsigned from = 0; from < BLOCK_NODES * n; from += LANES) {
        uint32_t bits = list->within[from / LANES];
        if (bits != 0)
            bits &= segments_of_nodes(nodes >> from / n, n);
        for (; bits != 0; bits &= bits - 1) {
            const unsigned i = from + (unsigned)__builtin_ctz(bits);
            add_segment(list, &block->segments[i], list->candidates[i]);
        }
    }
}

void list_add_streams(struct list_builder *list, const struct drainage *drainage, unsigned level,
                      const struct cell_rect *cells)
{
    const struct level_window *window = &drainage->levels[level];
    const struct cell_rect blocks = rect_ancestors(*cells, BLOCK_LOG2);
    const int64_t width = (int64_t)BLOCK_SIDE << cell_shift(drainage->network, level);
    for (int64_t y = blocks.low[1]; y <= blocks.high[1]; y++)
        for (int64_t x = blocks.low[0]; x <= blocks.high[0]; x++)
            add_block(list, window_block(window, x * BLOCK_SIDE, y * BLOCK_SIDE),
                      nodes_in_rect(x, y, cells), units_to_metres(list->middle.x - x * width),
                      units_to_metres(list->middle.y - y * width));
}
