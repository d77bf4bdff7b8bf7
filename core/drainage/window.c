/* Loads the streams around a request, from the coarsest level to the finest.
 *
 * What a level needs is found from the finest upwards: the streams that come near the request's
 * cells, and those that are visible from the parents of blocks that are missing below. Then missing
 * blocks are made from the coarsest level down, and with them the lists of segments that the next
 * level is made from.
 *
 * Margins in cells. A stream leads at most REACH = 2.6 widths of its cell away from its node: the
 * node of a cell's parent is at most 2.49 widths from the cell's own node, its stream begins there,
 * and a node joins the nearest stream or one at most 2 widths away (branches.c). A node is 0.08
 * widths or more from the edge of its cell, so a segment closer than w widths to a square comes
 * from at most w + 2.6 + 0.92 cells away. Land reaches 1.6 widths of the leaf's level: 1.6, 0.8 and
 * at most 0.4 widths of the levels up.
 *
 * Where there are deltas, the streams that are made in a cell of level 0 look at those of the
 * trunks around. Joints of a stream of level 1 are at most 1.11 widths outside the cell that its
 * node is in. A trunk's node is 0.08 widths or more inside the next cell, and its bends lead at
 * most 0.2 widths out of that; a delta reaches 0.52 widths farther (deltas.c). That is 2.75 widths:
 * they are those of nodes up to 3 cells away. */
#include <stdlib.h>

#include "core/base/lanes.h"
#include "core/drainage/deltas.h"
#include "core/drainage/drainage_private.h"

enum {
    VISIBLE_MARGIN = 2, /* cells from a node's ancestor whose streams it may join: by definition */
    NEAR_MARGIN = 3,
    DELTA_MARGIN = 1, /* cells more, from which deltas reach */
    LEAF_MARGIN = 5,
    LEAF_MARGIN_ABOVE = 4,
};
static const uint32_t LIST_UNKNOWN = UINT32_MAX;
static const float HALF_DIAGONAL = 0.7072f; /* of a cell; rounded up */
static const float NEAR_WIDTHS = 0.4f, VISIBLE_WIDTHS = 1.3072f;

struct cell_rect rect_grow(struct cell_rect rect, int64_t margin)
{
    if (rect_is_empty(&rect))
        return rect;
    return (struct cell_rect){{rect.low[0] - margin, rect.low[1] - margin},
                              {rect.high[0] + margin, rect.high[1] + margin}};
}

struct cell_rect rect_ancestors(struct cell_rect rect, unsigned levels)
{
    if (rect_is_empty(&rect))
        return rect;
    return (struct cell_rect){{rect.low[0] >> levels, rect.low[1] >> levels},
                              {rect.high[0] >> levels, rect.high[1] >> levels}};
}

struct cell_rect rect_descendants(struct cell_rect rect, unsigned levels)
{
    if (rect_is_empty(&rect))
        return rect;
    const int64_t side = (int64_t)1 << levels;
    return (struct cell_rect){{rect.low[0] * side, rect.low[1] * side},
                              {rect.high[0] * side + side - 1, rect.high[1] * side + side - 1}};
}

struct cell_rect rect_union(struct cell_rect a, struct cell_rect b)
{
    if (rect_is_empty(&a))
        return b;
    if (rect_is_empty(&b))
        return a;
    for (int axis = 0; axis < 2; axis++) {
        a.low[axis] = a.low[axis] < b.low[axis] ? a.low[axis] : b.low[axis];
        a.high[axis] = a.high[axis] > b.high[axis] ? a.high[axis] : b.high[axis];
    }
    return a;
}

bool reserve_items(void *items, size_t *capacity, size_t count, size_t size)
{
    void **memory = items;
    if (count <= *capacity)
        return true;
    count += count / 2 + 1;
    void *grown = realloc(*memory, count * size);
    if (!grown)
        return false;
    *memory = grown;
    *capacity = count;
    return true;
}

struct cell_rect leaf_cells(struct cell_rect leaves)
{
    return rect_descendants(leaves, LEAF_LOG2);
}

int64_t leaf_margin(unsigned levels_up)
{
    return levels_up == 0 ? LEAF_MARGIN : LEAF_MARGIN_ABOVE;
}

/* ---- which blocks are there */

static struct kept_key block_key(const struct drainage *drainage, unsigned level, int64_t x,
                                 int64_t y)
{
    return (struct kept_key){drainage->network->identity, x, y, level, -1.0};
}

struct stream_block *block_add(struct drainage *drainage, unsigned level, int64_t x, int64_t y)
{
    const struct kept_key key = block_key(drainage, level, x, y);
    const unsigned per_stream =
        segments_of_level(drainage->network, level) + delta_segments(drainage->network, level);
    const size_t bytes =
        (size_t)BLOCK_NODES * per_stream * (sizeof(struct segment) + SEGMENT_ROWS * sizeof(float));
    struct stream_block *block =
        (struct stream_block *)kept_add(&drainage->blocks, &key, sizeof *block + bytes);
    if (block)
        block->per_stream = per_stream;
    return block;
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

static const struct cell_rect NOTHING = {{0, 0}, {-1, -1}};

/* The least rect that holds some cells of a block. */
static struct cell_rect rect_of_nodes(int64_t block_x, int64_t block_y, uint32_t nodes)
{
    uint32_t columns = 0;
    if (nodes == 0)
        return NOTHING;
    for (unsigned row = 0; row < BLOCK_SIDE; row++)
        columns |= nodes >> row * BLOCK_SIDE & ((1u << BLOCK_SIDE) - 1);
    const int64_t x = block_x * BLOCK_SIDE, y = block_y * BLOCK_SIDE;
    return (struct cell_rect){
        {x + __builtin_ctz(columns), y + __builtin_ctz(nodes) / BLOCK_SIDE},
        {x + 31 - __builtin_clz(columns), y + (31 - __builtin_clz(nodes)) / BLOCK_SIDE}};
}

static bool find_blocks(struct drainage *drainage, unsigned level)
{
    struct level_window *window = &drainage->levels[level];
    window->blocks = rect_ancestors(window->cells, BLOCK_LOG2);
    window->missing = NOTHING;
    const struct cell_rect *blocks = &window->blocks;
    const size_t count = rect_count(blocks);
    if (!reserve_items(&window->block, &window->capacity, count, sizeof(struct stream_block *)))
        return false;
    struct stream_block **next = window->block;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, next++) {
            const struct kept_key key = block_key(drainage, level, x, y);
            *next = (struct stream_block *)kept_find(&drainage->blocks, &key);
            const uint32_t missing =
                nodes_in_rect(x, y, &window->cells) & ~(*next ? (*next)->made : 0);
            window->missing = rect_union(window->missing, rect_of_nodes(x, y, missing));
        }
    return true;
}

/* Prepares lists for a rect of cells. */
static bool begin_lists(struct cell_lists *lists, struct cell_rect cells)
{
    lists->cells = cells;
    lists->used = 0;
    if (rect_is_empty(&cells))
        return true;
    const size_t count = rect_count(&cells);
    if (!reserve_items(&lists->slices, &lists->slice_capacity, count, sizeof *lists->slices))
        return false;
    for (size_t i = 0; i < count; i++)
        lists->slices[i].count = LIST_UNKNOWN;
    return true;
}

/* The cells of level k whose streams come near leaves of `level`. */
static struct cell_rect cells_near(const struct cell_rect *leaves, unsigned level, unsigned k)
{
    if (k + LEAF_LOG2 > level)
        return rect_grow(rect_ancestors(leaf_cells(*leaves), level - k), leaf_margin(level - k));
    return rect_grow(rect_ancestors(*leaves, level - LEAF_LOG2 - k), NEAR_MARGIN);
}

/* From how many cells around the ancestors of nodes streams matter when theirs are made. */
static int64_t made_margin(const struct drainage_network *network, unsigned k)
{
    return VISIBLE_MARGIN + (delta_segments(network, k) > 0 ? DELTA_MARGIN : 0);
}

static bool plan_levels(struct drainage *drainage, const struct cell_rect *leaves, unsigned level)
{
    struct cell_rect parents = NOTHING; /* of nodes that are missing below */
    for (unsigned k = level + 1; k-- > 0;) {
        struct level_window *window = &drainage->levels[k];
        const bool lists = k + LEAF_LOG2 <= level;
        window->cells = rect_union(cells_near(leaves, level, k),
                                   rect_grow(parents, made_margin(drainage->network, k)));
        if (!find_blocks(drainage, k) || !begin_lists(&window->lists[LIST_VISIBLE], parents) ||
            !begin_lists(&window->lists[LIST_NEAR],
                         lists ? rect_ancestors(*leaves, level - LEAF_LOG2 - k) : NOTHING))
            return false;
        parents = rect_ancestors(rect_union(parents, window->missing), 1);
    }
    return true;
}

/* ---- lists of segments */

static struct segment_rows rows_of(const struct cell_lists *lists, const struct list_slice *slice)
{
    return (struct segment_rows){lists->rows + (size_t)slice->first * SEGMENT_ROWS,
                                 ((size_t)slice->count + LANES - 1) / LANES * LANES};
}

/* Appends what lies within `limit` metres to the lists, as that of a cell. */
static bool end_list(struct cell_lists *lists, struct list_slice *slice,
                     const struct list_builder *list, float limit)
{
    const size_t room = lists->used + (size_t)list->count + LANES;
    if (!reserve_items(&lists->segments, &lists->capacity, room, sizeof(struct segment *)) ||
        !reserve_items(&lists->rows, &lists->row_capacity, room * SEGMENT_ROWS, sizeof(float)))
        return false;
    const struct segment **segments = lists->segments + lists->used;
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->squares[i] <= limit * limit)
            segments[count++] = list->segments[i];
    *slice = (struct list_slice){lists->used, count};
    const struct segment_rows rows = rows_of(lists, slice);
    for (size_t i = 0; i < rows.stride; i++)
        segment_write(rows, i, i < count ? segments[i] : NULL, list->middle);
    lists->used += (uint32_t)rows.stride;
    return true;
}

/* A list is made from the list of the cell's parent and the level's own streams from around. */
static bool make_list(struct drainage *drainage, enum list_kind kind, unsigned level, int64_t x,
                      int64_t y, struct list_slice *slice)
{
    struct list_builder *list = &drainage->list;
    const bool visible = kind == LIST_VISIBLE;
    const float width = cell_width(drainage->network, level);
    const float reach = HALF_DIAGONAL + (visible ? VISIBLE_WIDTHS : NEAR_WIDTHS);
    const struct cell_rect around =
        rect_grow((struct cell_rect){{x, y}, {x, y}}, visible ? VISIBLE_MARGIN : NEAR_MARGIN);
    struct segment_list above = {.count = 0};
    if (level > 0) /* made first, in the same list */
        above = cell_list(drainage, kind, level - 1, x >> 1, y >> 1);
    list_begin(list, cell_shift(drainage->network, level), x, y, reach * width);
    const float half = 0.5f * width;
    list_add_list(list, above, x & 1 ? half : -half, y & 1 ? half : -half);
    list_add_streams(list, drainage, level, &around);
    const float limit =
        visible ? __builtin_sqrtf(list->nearest) + 2.0f * HALF_DIAGONAL * width : list->limit;
    return !list->failed && end_list(&drainage->levels[level].lists[kind], slice, list, limit);
}

struct segment_list cell_list(struct drainage *drainage, enum list_kind kind, unsigned level,
                              int64_t x, int64_t y)
{
    struct cell_lists *lists = &drainage->levels[level].lists[kind];
    struct list_slice *slice =
        &lists->slices[(uint64_t)(y - lists->cells.low[1]) * rect_columns(&lists->cells) +
                       (uint64_t)(x - lists->cells.low[0])];
    if (slice->count == LIST_UNKNOWN && !make_list(drainage, kind, level, x, y, slice)) {
        drainage->list.failed = true;
        return (struct segment_list){.count = 0};
    }
    return (struct segment_list){lists->segments + slice->first, slice->count,
                                 square_middle(cell_shift(drainage->network, level), x, y),
                                 rows_of(lists, slice)};
}

/* ---- loading */

bool window_load(struct drainage *drainage, const struct cell_rect *leaves, unsigned level)
{
    if (!plan_levels(drainage, leaves, level))
        return false;
    for (unsigned k = 0; k <= level; k++)
        if ((!rect_is_empty(&drainage->levels[k].missing) &&
             !(k == 0 ? make_trunks(drainage) : make_branches(drainage, k))) ||
            (k == 0 && !deltas_list(drainage)))
            return false;
    return true;
}

void window_free(struct level_window *window)
{
    free(window->block);
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        free(window->lists[kind].slices);
        free(window->lists[kind].segments);
        free(window->lists[kind].rows);
    }
    *window = (struct level_window){0};
}

size_t window_bytes(const struct level_window *window)
{
    size_t bytes = window->capacity * sizeof *window->block;
    for (int kind = 0; kind < LIST_KINDS; kind++)
        bytes += window->lists[kind].slice_capacity * sizeof *window->lists[kind].slices +
                 window->lists[kind].capacity * sizeof *window->lists[kind].segments +
                 window->lists[kind].row_capacity * sizeof(float);
    return bytes;
}
