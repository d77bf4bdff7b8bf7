/* The streams that a request needs, level by level. Internal to this folder. */
#ifndef TERRANE_DRAINAGE_WINDOW_H
#define TERRANE_DRAINAGE_WINDOW_H

#include "core/drainage/streams.h"

/* Cells or blocks, inclusive; empty if high < low. */
struct cell_rect {
    int64_t low[2], high[2];
};

static inline bool rect_is_empty(const struct cell_rect *rect)
{
    return rect->high[0] < rect->low[0];
}
/* The cells around, `margin` in each direction; of an empty one, an empty one. */
struct cell_rect rect_grow(struct cell_rect rect, int64_t margin);
/* The cells `levels` above that hold those of the rect, and those `levels` below that it holds. */
struct cell_rect rect_ancestors(struct cell_rect rect, unsigned levels);
struct cell_rect rect_descendants(struct cell_rect rect, unsigned levels);
struct cell_rect rect_union(struct cell_rect a, struct cell_rect b);
static inline uint64_t rect_columns(const struct cell_rect *rect)
{
    return (uint64_t)(rect->high[0] - rect->low[0]) + 1;
}
static inline uint64_t rect_rows(const struct cell_rect *rect)
{
    return (uint64_t)(rect->high[1] - rect->low[1]) + 1;
}
/* The cells of a rect that is held in memory. */
static inline size_t rect_count(const struct cell_rect *rect)
{
    return (size_t)(rect_columns(rect) * rect_rows(rect));
}

/* Segments, from the coarsest level to the finest; within a level by block, cell, and downstream:
 * an order that the place alone decides. */
struct segment_list {
    const struct segment *const *segments;
    uint32_t count;
    struct place middle;      /* of the cell */
    struct segment_rows rows; /* from there */
};

/* Lists for cells, made when they are first asked for. */
enum list_kind {
    LIST_VISIBLE, /* what streams of finer levels in the cell may join */
    LIST_NEAR,    /* what comes near the cell */
    LIST_KINDS
};
struct list_slice {
    uint32_t first, count; /* in `segments`; count is LIST_UNKNOWN before it is made */
};
struct cell_lists {
    struct cell_rect cells;
    struct list_slice *slices; /* by cell */
    const struct segment **segments;
    float *rows; /* SEGMENT_ROWS for each segment: list by list */
    size_t slice_capacity, capacity, row_capacity;
    uint32_t used; /* lists begin at whole lanes */
};

/* The blocks of a level that a request uses. */
struct level_window {
    struct cell_rect cells; /* whose streams are used */
    struct cell_rect blocks;
    struct stream_block **block; /* row by row; null if none of their streams is made */
    size_t capacity;
    struct cell_rect missing; /* around the cells whose streams are not made */
    struct cell_lists lists[LIST_KINDS];
};

struct drainage;

/* Makes room for `count` items; what they were is kept. False when memory is out. */
bool reserve_items(void *items, size_t *capacity, size_t count, size_t size);

/* The block that holds a cell of the window. */
static inline struct stream_block *window_block(const struct level_window *window, int64_t x,
                                                int64_t y)
{
    const uint64_t column = (uint64_t)((x >> BLOCK_LOG2) - window->blocks.low[0]);
    const uint64_t row = (uint64_t)((y >> BLOCK_LOG2) - window->blocks.low[1]);
    return window->block[row * rect_columns(&window->blocks) + column];
}
static inline unsigned node_in_block(int64_t x, int64_t y)
{
    return (unsigned)((y & (BLOCK_SIDE - 1)) * BLOCK_SIDE + (x & (BLOCK_SIDE - 1)));
}

/* The nodes of a block that lie in a rect of cells: a bit for each. */
uint32_t nodes_in_rect(int64_t block_x, int64_t block_y, const struct cell_rect *cells);

/* Loads what leaves of `level` need: all streams that come near, and lists of them. Leaves and
 * lists that were found before are no longer valid. False when memory is out. */
bool window_load(struct drainage *drainage, const struct cell_rect *leaves, unsigned level);
void window_free(struct level_window *window);
size_t window_bytes(const struct level_window *window);

/* The cells of leaves, and from how many cells around them come streams that matter in a leaf: for
 * the level of the leaf (0) and the one above (1). */
struct cell_rect leaf_cells(struct cell_rect leaves);
int64_t leaf_margin(unsigned levels_up);

/* The list of a cell of the window. When memory is out it is empty, and drainage->list.failed. */
struct segment_list cell_list(struct drainage *drainage, enum list_kind kind, unsigned level,
                              int64_t x, int64_t y);

/* A new block of the level; null when memory is out. */
struct stream_block *block_add(struct drainage *drainage, unsigned level, int64_t x, int64_t y);

/* Make the missing streams of a level. */
bool make_trunks(struct drainage *drainage);
bool make_branches(struct drainage *drainage, unsigned level);
/* The scratch memory of make_trunks(). */
size_t trunk_bytes(const struct drainage *drainage);

#endif
