/* See rect.h. */
#include "core/drainage/network/rect.h"

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

struct cell_rect rect_intersection(struct cell_rect a, struct cell_rect b)
{
    for (int axis = 0; axis < 2; axis++) {
        a.low[axis] = a.low[axis] > b.low[axis] ? a.low[axis] : b.low[axis];
        a.high[axis] = a.high[axis] < b.high[axis] ? a.high[axis] : b.high[axis];
    }
    return a;
}
