/* Rectangles of cells. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_NETWORK_RECT_H
#define TERRANE_DRAINAGE_NETWORK_RECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the middle of a cell of width 1 to its corners; rounded up. */
static const float CELL_HALF_DIAGONAL = 0.7072f;

/* Cells or blocks, inclusive; empty if high < low. */
struct cell_rect {
    int64_t low[2], high[2];
};

static const struct cell_rect RECT_EMPTY = {{0, 0}, {-1, -1}};
static inline bool rect_has(const struct cell_rect *rect, int64_t x, int64_t y)
{
    return x >= rect->low[0] && x <= rect->high[0] && y >= rect->low[1] && y <= rect->high[1];
}
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
/* Of rects that overlap. */
struct cell_rect rect_intersection(struct cell_rect a, struct cell_rect b);
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

#endif
