/* A grid of 64 × 64 squares over all points, filled by counting sort: the points of a square are a
 * run of one array. A query visits the squares that a segment's bounding box, widened by the reach,
 * overlaps. Points are dense and segments short, so that is a handful of points. */
#include <string.h>

#include "core/terrain/contour_private.h"
#include "core/terrain/simplify_private.h"

enum { GRID_SQUARES = 64 }; /* along a side */

size_t point_index_size(size_t count)
{
    return (GRID_SQUARES * GRID_SQUARES + 1 + count) * sizeof(uint32_t);
}

double squared_distance(struct contour_point point, struct contour_point a, struct contour_point b)
{
    /* Doubles hold these whole numbers exactly. */
    double x = point.x - a.x, y = point.y - a.y, east = b.x - a.x, south = b.y - a.y;
    double length = east * east + south * south, along = x * east + y * south;
    if (along <= 0)
        return x * x + y * y;
    if (along >= length)
        return (x - east) * (x - east) + (y - south) * (y - south);
    double across = x * south - y * east;
    return across * across / length;
}

/* The column or row of a coordinate, 0 … GRID_SQUARES − 1; coordinates outside have the nearest
 * one. */
static int32_t square_of(const struct point_index *index, int32_t value, int32_t origin)
{
    int64_t square = ((int64_t)value - origin) * GRID_SQUARES / index->side;
    return square < 0 ? 0 : square < GRID_SQUARES ? (int32_t)square : GRID_SQUARES - 1;
}

static size_t square_at(const struct point_index *index, struct contour_point point)
{
    return (size_t)square_of(index, point.y, index->north) * GRID_SQUARES +
           (size_t)square_of(index, point.x, index->west);
}

void point_index_build(struct point_index *index, void *memory, const struct contour_point *points,
                       size_t count)
{
    index->points = points;
    index->starts = memory;
    index->items = index->starts + GRID_SQUARES * GRID_SQUARES + 1;
    if (count > 0) {
        const struct contour_box box = contour_bounds(points, count);
        const int32_t width = box.east - box.west, height = box.south - box.north;
        index->west = box.west;
        index->north = box.north;
        index->side = (width > height ? width : height) + 1;
    }
    uint32_t *starts = index->starts;
    memset(starts, 0, (GRID_SQUARES * GRID_SQUARES + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[square_at(index, points[i]) + 1]++;
    for (size_t square = 0; square < GRID_SQUARES * GRID_SQUARES; square++)
        starts[square + 1] += starts[square];
    for (size_t i = 0; i < count; i++)
        index->items[starts[square_at(index, points[i])]++] = (uint32_t)i;
    memmove(starts + 1, starts, GRID_SQUARES * GRID_SQUARES * sizeof *starts);
    starts[0] = 0;
}

/* A segment, and the range of points that do not count. */
struct segment_query {
    struct contour_point a, b;
    size_t from, to;
    double reach; /* squared */
};

static bool square_has_near(const struct point_index *index, size_t square,
                            const struct segment_query *query)
{
    for (uint32_t i = index->starts[square]; i < index->starts[square + 1]; i++) {
        size_t item = index->items[i];
        struct contour_point point = index->points[item];
        if ((item >= query->from && item <= query->to) ||
            (point.x == query->a.x && point.y == query->a.y) ||
            (point.x == query->b.x && point.y == query->b.y))
            continue;
        if (squared_distance(point, query->a, query->b) <= query->reach)
            return true;
    }
    return false;
}

bool point_index_near(const struct point_index *index, size_t from, size_t to, int32_t reach)
{
    struct contour_point a = index->points[from], b = index->points[to];
    const struct segment_query query = {a, b, from, to, (double)reach * reach};
    int32_t west = square_of(index, (a.x < b.x ? a.x : b.x) - reach, index->west);
    int32_t east = square_of(index, (a.x < b.x ? b.x : a.x) + reach, index->west);
    int32_t north = square_of(index, (a.y < b.y ? a.y : b.y) - reach, index->north);
    int32_t south = square_of(index, (a.y < b.y ? b.y : a.y) + reach, index->north);
    for (int32_t row = north; row <= south; row++) {
        for (int32_t column = west; column <= east; column++) {
            if (square_has_near(index, (size_t)row * GRID_SQUARES + (size_t)column, &query))
                return true;
        }
    }
    return false;
}
