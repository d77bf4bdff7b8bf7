/* See lists.h.
 *
 * A list is made from the list of the cell's parent and the level's own streams from around. A
 * stream leads at most REACH = 2.6 widths of its cell away from its node (store.c), and a node is
 * 0.08 widths or more from the edge of its cell: so a segment closer than w widths to a square
 * comes from at most w + 2.6 + 0.92 cells away. */
#include "core/drainage/store/lists.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"

static const uint32_t LIST_UNKNOWN = UINT32_MAX;
/* Courses are told this exactly: streams of the next level join what finer lists have elsewhere. */
static const float TOLERANCE_WIDTHS = 0.06f;
static const float NEAR_WIDTHS = 0.4f, VISIBLE_WIDTHS = 0.5f * SHAPE_JOIN_WIDTHS;

bool lists_begin(struct cell_lists *lists, struct cell_rect cells)
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

static struct segment_rows rows_of(const struct cell_lists *lists, const struct list_slice *slice)
{
    return (struct segment_rows){lists->rows + (size_t)slice->first * SEGMENT_ROWS,
                                 ((size_t)slice->count + LANES - 1) / LANES * LANES};
}

/* Appends what was collected to the lists, as that of a cell. */
static bool end_list(struct cell_lists *lists, struct list_slice *slice, struct list_builder *list)
{
    const size_t room = lists->used + (size_t)list->count + LANES;
    if (!reserve_items(&lists->arcs, &lists->capacity, room, sizeof *lists->arcs) ||
        !reserve_items(&lists->rows, &lists->row_capacity, room * SEGMENT_ROWS, sizeof(float)))
        return false;
    *slice = (struct list_slice){lists->used, list->count};
    if (list->count == 0)
        return true;
    const struct segment_rows rows = rows_of(lists, slice);
    list_end_rows(list);
    memcpy(lists->arcs + lists->used, list->arcs, list->count * sizeof *list->arcs);
    memcpy(rows.values, list->rows, rows.count * SEGMENT_ROWS * sizeof(float));
    lists->used += (uint32_t)rows.count;
    return true;
}

static bool make_list(struct stream_lists *lists, enum list_kind kind, struct drainage_node cell,
                      struct list_slice *slice)
{
    struct list_builder *list = &lists->builder;
    const unsigned level = cell.level;
    const int64_t x = cell.x, y = cell.y;
    const bool visible = kind == LIST_VISIBLE;
    const float width = cell_width(lists->network, level);
    const float reach = CELL_HALF_DIAGONAL + (visible ? VISIBLE_WIDTHS : NEAR_WIDTHS);
    const struct cell_rect around =
        rect_grow((struct cell_rect){{x, y}, {x, y}}, visible ? VISIBLE_MARGIN : NEAR_MARGIN);
    struct arc_list above = {.count = 0};
    if (level > 0) /* made first, in the same list */
        above = lists_get(lists, kind, level - 1, x >> 1, y >> 1);
    list_begin(list, cell_shift(lists->network, level), x, y);
    list->limit = reach * width;
    list->tolerance = TOLERANCE_WIDTHS * width;
    list->keeps_rows = true;
    if (!visible)
        list->focus = lists->focus;
    const float half = 0.5f * width;
    list_add_list(list, above, x & 1 ? half : -half, y & 1 ? half : -half);
    list_add_streams(list, &lists->levels[level], cell_shift(lists->network, level), &around);
    return !list->failed && end_list(&lists->lists[level][kind], slice, list);
}

struct arc_list lists_get(struct stream_lists *lists, enum list_kind kind, unsigned level,
                          int64_t x, int64_t y)
{
    const struct cell_lists *cells = &lists->lists[level][kind];
    struct list_slice *slice =
        &cells->slices[(uint64_t)(y - cells->cells.low[1]) * rect_columns(&cells->cells) +
                       (uint64_t)(x - cells->cells.low[0])];
    if (slice->count == LIST_UNKNOWN &&
        !make_list(lists, kind, (struct drainage_node){level, x, y}, slice)) {
        lists->builder.failed = true;
        return (struct arc_list){.count = 0};
    }
    return (struct arc_list){cells->arcs + slice->first, slice->count,
                             square_middle(cell_shift(lists->network, level), x, y),
                             rows_of(cells, slice)};
}

void lists_free_level(struct stream_lists *lists, unsigned level)
{
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        struct cell_lists *cells = &lists->lists[level][kind];
        free(cells->slices);
        free(cells->arcs);
        free(cells->rows);
        *cells = (struct cell_lists){0};
    }
}

void lists_free(struct stream_lists *lists)
{
    for (unsigned level = 0; level < DRAINAGE_LEVELS_MAX; level++)
        lists_free_level(lists, level);
    list_free(&lists->builder);
}

size_t lists_bytes(const struct stream_lists *lists)
{
    size_t bytes = list_bytes(&lists->builder);
    for (unsigned level = 0; level < DRAINAGE_LEVELS_MAX; level++)
        for (int kind = 0; kind < LIST_KINDS; kind++) {
            const struct cell_lists *cells = &lists->lists[level][kind];
            bytes += cells->slice_capacity * sizeof *cells->slices +
                     cells->capacity * sizeof *cells->arcs + cells->row_capacity * sizeof(float);
        }
    return bytes;
}
