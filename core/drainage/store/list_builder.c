/* See list_builder.h. */
#include "core/drainage/store/list_builder.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"

static const uint32_t ALL = 0xffff; /* of 16 segments */

void list_begin(struct list_builder *list, unsigned shift, int64_t x, int64_t y)
{
    list->middle = square_middle(shift, x, y);
    list->count = 0;
    list->keeps_rows = false;
    list->focus.limit = 0.0f;
}

void list_free(struct list_builder *list)
{
    free(list->arcs);
    arc_pool_free(&list->pool);
    free(list->rows);
    free(list->within);
    free(list->near);
}

size_t list_bytes(const struct list_builder *list)
{
    return arc_pool_bytes(&list->pool) + list->arc_capacity * sizeof *list->arcs +
           list->row_capacity * sizeof(float) +
           (list->within_capacity + list->near_capacity) * sizeof(uint32_t);
}

/* Makes room for so many more arcs, and for the end of a run. */
static bool reserve_more(struct list_builder *list, size_t count)
{
    const size_t room = list->count + count + LANES;
    if (room <= list->arc_capacity &&
        (!list->keeps_rows || room * SEGMENT_ROWS <= list->row_capacity))
        return true;
    if (!reserve_items(&list->arcs, &list->arc_capacity, room, sizeof *list->arcs) ||
        (list->keeps_rows &&
         !reserve_items(&list->rows, &list->row_capacity, room * SEGMENT_ROWS, sizeof(float))))
        list->failed = true;
    return !list->failed;
}

/* Makes room for the bits of so many segments, and for as many arcs. */
static bool reserve_rows(struct list_builder *list, struct segment_rows rows)
{
    const size_t words = rows.count / LANES;
    if (!reserve_items(&list->within, &list->within_capacity, words, sizeof(uint32_t)) ||
        !reserve_items(&list->near, &list->near_capacity, words, sizeof(uint32_t)))
        list->failed = true;
    return !list->failed && reserve_more(list, rows.count);
}

/* The rows that a list writes. */
static struct segment_rows rows_of(const struct list_builder *list)
{
    return (struct segment_rows){list->rows, ((size_t)list->count + LANES - 1) / LANES * LANES};
}

/* True if an arc may be within the limit anywhere. */
static bool is_near(const struct list_builder *list, const struct arc *arc)
{
    const float most = list->limit + arc->reach;
    float along;
    return arc_distance(arc, list->middle, &along) <= most * most;
}

/* The halves of an arc, which other lists of the load find, too. Null when memory is out. */
static struct arc *halves_of(struct list_builder *list, struct arc *arc)
{
    if (arc->halves)
        return arc->halves;
    struct arc *halves = arc_pool_take(&list->pool, 2);
    if (!halves) {
        list->failed = true;
        return NULL;
    }
    arc_halve(arc, halves);
    arc->halves = halves;
    return halves;
}

/* Adds the halves of an arc that may be within the limit, and of those that bend too much for the
 * list theirs. */
static void add_halves(struct list_builder *list, struct arc *arc)
{
    struct arc *halves = halves_of(list, arc);
    for (int i = 0; halves && i < 2; i++) {
        if (!is_near(list, &halves[i]))
            continue;
        if (arc_bends(&halves[i], list->tolerance)) {
            add_halves(list, &halves[i]);
        } else if (reserve_more(list, 1)) {
            if (list->keeps_rows)
                arc_write(rows_of(list), list->count, &halves[i], list->middle);
            list->arcs[list->count++] = &halves[i];
        }
    }
}

/* Adds an arc that is within the limit; its row is from a place to which (x, y) is the middle. */
TERRANE_INLINE void add_arc(struct list_builder *list, struct arc *arc, const float *from, float x,
                            float y)
{
    if (arc_bends(arc, list->tolerance)) {
        add_halves(list, arc);
        return;
    }
    const uint32_t at = list->count++;
    list->arcs[at] = arc;
    if (!list->keeps_rows)
        return;
    float *to = list->rows + (size_t)(at / LANES) * LANES * SEGMENT_ROWS + at % LANES;
    to[SEGMENT_X * LANES] = from[SEGMENT_X * LANES] - x;
    to[SEGMENT_Y * LANES] = from[SEGMENT_Y * LANES] - y;
    to[SEGMENT_END_X * LANES] = from[SEGMENT_END_X * LANES] - x;
    to[SEGMENT_END_Y * LANES] = from[SEGMENT_END_Y * LANES] - y;
    to[SEGMENT_BED * LANES] = from[SEGMENT_BED * LANES];
    to[SEGMENT_END_BED * LANES] = from[SEGMENT_END_BED * LANES];
    to[SEGMENT_REACH * LANES] = from[SEGMENT_REACH * LANES];
}

void list_end_rows(struct list_builder *list)
{
    const struct segment_rows rows = rows_of(list);
    for (size_t i = list->count; i < rows.count; i++)
        arc_write(rows, i, NULL, list->middle);
}

/* Of the segments within the limit, whose bits are set, keeps those near the focus, and of each the
 * LIST_PARTS_BEFORE before it: (x, y) is the middle of the square, in metres from the rows' origin.
 */
static void keep_focused(struct list_builder *list, struct segment_rows rows, float x, float y)
{
    const size_t words = rows.count / LANES;
    const float u = x + units_to_metres(list->focus.middle.x - list->middle.x);
    const float v = y + units_to_metres(list->focus.middle.y - list->middle.y);
    memcpy(list->near, list->within, words * sizeof *list->near);
    segments_within(rows, u, v, list->focus.limit, list->near);
    for (size_t i = 0; i < words; i++) {
        uint32_t near = list->near[i] | (i + 1 < words ? list->near[i + 1] << LANES : 0);
        for (int before = 0; before < LIST_PARTS_BEFORE; before++)
            near |= near >> 1;
        list->within[i] &= near;
    }
}

/* Leaves the bits of segments of which a list wants to have parts: (x, y) as above. */
static void keep_within(struct list_builder *list, struct segment_rows rows, float x, float y)
{
    segments_within(rows, x, y, list->limit, list->within);
    if (list->focus.limit > 0.0f)
        keep_focused(list, rows, x, y);
}

void list_add_list(struct list_builder *list, struct arc_list kept, float x, float y)
{
    if (kept.count == 0 || !reserve_rows(list, kept.rows))
        return;
    for (size_t run = 0; run < kept.rows.count / LANES; run++)
        list->within[run] = ALL;
    keep_within(list, kept.rows, x, y);
    for (size_t from = 0; from < kept.rows.count; from += LANES) {
        const float *run = segment_run(kept.rows, from);
        for (uint32_t bits = list->within[from / LANES]; bits != 0; bits &= bits - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(bits);
            if (reserve_more(list, 1))
                add_arc(list, kept.arcs[from + i], run + i, x, y);
        }
    }
}

/* Sets n bits, 16 to a word, from number `first` on. */
static void mark_bits(uint32_t *within, unsigned first, unsigned n)
{
    while (n > 0) {
        const unsigned bit = first % LANES, here = n < LANES - bit ? n : LANES - bit;
        within[first / LANES] |= (ALL >> (LANES - here)) << bit;
        first += here;
        n -= here;
    }
}

/* Sets the bits of the segments of some nodes of a block: a bit for each. */
static void mark_streams(const struct stream_block *block, uint32_t nodes, uint32_t *within)
{
    const unsigned n = block->per_stream;
    unsigned first = 0; /* of the stream's segments */
    for (uint32_t room = block->room; room != 0; room &= room - 1, first += n)
        if (nodes & room & -room)
            mark_bits(within, first, n);
}

/* Makes the arcs of a stream of a block. False when memory is out. */
static bool make_arcs(struct list_builder *list, const struct segment *stream, unsigned count,
                      struct arc **arcs)
{
    *arcs = arc_pool_take(&list->pool, count);
    for (unsigned i = 0; *arcs && i < count; i++)
        arc_begin(&(*arcs)[i], &stream[i]);
    list->failed |= !*arcs;
    return *arcs;
}

/* Adds those of 16 segments of a block, from a number on, that have a bit. The middle of the square
 * is `at`, in metres from the block's corner. */
static void add_run(struct list_builder *list, struct stream_block *block, struct arc **streams,
                    size_t from, const float at[2])
{
    const unsigned n = block->per_stream;
    const float *run = segment_run(block_rows(block), from);
    unsigned stream = (unsigned)from / n, first = stream * n;
    for (uint32_t bits = list->within[from / LANES]; bits != 0; bits &= bits - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(bits);
        for (; from + i >= first + n; first += n)
            stream++;
        if (!streams[stream] && !make_arcs(list, block->segments + first, n, &streams[stream]))
            return;
        if (reserve_more(list, 1))
            add_arc(list, &streams[stream][from + i - first], run + i, at[0], at[1]);
    }
}

/* Adds the courses of the streams from some nodes of a block: a bit for each. Those that are not
 * made are none that come near. */
static void add_block(struct list_builder *list, struct stream_block *block, struct arc **streams,
                      uint32_t nodes, const float at[2])
{
    nodes &= block ? block->made : 0;
    if (nodes == 0)
        return;
    const struct segment_rows rows = block_rows(block);
    if (!reserve_rows(list, rows))
        return;
    for (size_t run = 0; run < rows.count / LANES; run++)
        list->within[run] = 0;
    mark_streams(block, nodes, list->within);
    keep_within(list, rows, at[0], at[1]);
    for (size_t from = 0; from < rows.count; from += LANES)
        if (list->within[from / LANES] != 0)
            add_run(list, block, streams, from, at);
}

void list_add_streams(struct list_builder *list, const struct level_window *window, unsigned shift,
                      const struct cell_rect *cells)
{
    const struct cell_rect blocks = rect_ancestors(*cells, BLOCK_LOG2);
    const int64_t width = (int64_t)BLOCK_SIDE << shift;
    for (int64_t y = blocks.low[1]; y <= blocks.high[1]; y++)
        for (int64_t x = blocks.low[0]; x <= blocks.high[0]; x++) {
            const size_t number = window_number(window, x, y);
            const float at[2] = {units_to_metres(list->middle.x - x * width),
                                 units_to_metres(list->middle.y - y * width)};
            add_block(list, window->block[number], window->streams + number * BLOCK_NODES,
                      nodes_in_rect(x, y, cells), at);
        }
}
