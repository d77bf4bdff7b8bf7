/* Simplifies contours on the grid of a tile in four steps:
 *
 *   1. insert a point wherever a line crosses the border of the tile (add_crossings);
 *   2. round all points to the grid and drop repetitions (round_line);
 *   3. mark the points that stay, by Douglas and Peucker (simplify_line);
 *   4. move the marked points together and drop lines that have become too short (compact_lines).
 *
 * Points on the border are fixed, and each stretch between two of them is simplified on its own. So
 * a line is simplified inside a tile without regard to what lies outside, and neighbouring tiles,
 * which round the same crossing to the same point, still meet.
 *
 * Recursion is replaced by a stack, and stretches are cut at STRETCH_MAX points, so the quadratic
 * worst case of the method is bounded for each stretch.
 *
 * To preserve the topology, step 3 searches for points near a segment: a grid of 64 × 64 squares
 * over all points, filled by counting sort, in which the points of a square are a run of one array.
 * A query visits the squares that a segment's bounding box, widened by the reach, overlaps. Points
 * are dense and segments short, so that is a handful of points. */
#include "core/terrain/simplify.h"

#include <string.h>

#include "core/terrain/contour_private.h"

/* The largest stretch; longer ones are divided, so that the time for a line grows linearly with its
 * length, whatever its shape. */
enum { STRETCH_MAX = 512 };

/* Appends the crossings of a segment with y = north and y = south, then its end. */
static void add_crossings_y(struct contour_point a, struct contour_point b, int32_t north,
                            int32_t south, struct contours *out)
{
    int32_t lines[2] = {a.y < b.y ? north : south, a.y < b.y ? south : north};
    for (int i = 0; i < 2; i++) {
        if ((a.y < lines[i] && b.y > lines[i]) || (a.y > lines[i] && b.y < lines[i]))
            contours_add_distinct(out, contour_at_y(a, b, lines[i]));
    }
    contours_add_distinct(out, b);
}

/* Appends the crossings with the lines through all four sides of the tile, then the end. */
static void add_crossings(struct contour_point a, struct contour_point b,
                          const struct simplify_tile *tile, struct contours *out)
{
    int32_t west = tile->west, east = tile->west + tile->side;
    int32_t lines[2] = {a.x < b.x ? west : east, a.x < b.x ? east : west};
    struct contour_point from = a;
    for (int i = 0; i < 2; i++) {
        if ((a.x < lines[i] && b.x > lines[i]) || (a.x > lines[i] && b.x < lines[i])) {
            struct contour_point at = contour_at_x(a, b, lines[i]);
            add_crossings_y(from, at, tile->north, tile->north + tile->side, out);
            from = at;
        }
    }
    add_crossings_y(from, b, tile->north, tile->north + tile->side, out);
}

/* To the nearest unit of the grid; halves go east and south, in every tile alike. */
static int32_t to_unit(int32_t value, int32_t origin, const struct simplify_tile *tile)
{
    return (int32_t)contour_round_quotient(((int64_t)value - origin) * tile->extent, tile->side);
}

static bool points_equal(struct contour_point a, struct contour_point b)
{
    return a.x == b.x && a.y == b.y;
}

/* Rounds points in place; returns their number without repetitions. */
static size_t round_points(struct contour_point *points, size_t count,
                           const struct simplify_tile *tile)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct contour_point point = {to_unit(points[i].x, tile->west, tile),
                                      to_unit(points[i].y, tile->north, tile)};
        if (kept == 0 || !points_equal(points[kept - 1], point))
            points[kept++] = point;
    }
    return kept;
}

static void reverse(struct contour_point *points, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct contour_point point = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = point;
    }
}

static bool on_border(struct contour_point point, int32_t extent)
{
    return point.x == 0 || point.y == 0 || point.x == extent || point.y == extent;
}

/* Rotates a ring so that it begins at a point that stays: its first on the border, else its
 * northernmost. Rotation by three reversals needs no memory. */
static void rotate_ring(struct contour_point *points, size_t count, int32_t extent)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (on_border(points[i], extent)) {
            first = i;
            break;
        }
        if (points[i].y < points[first].y ||
            (points[i].y == points[first].y && points[i].x < points[first].x))
            first = i;
    }
    reverse(points, first);
    reverse(points + first, count - first);
    reverse(points, count);
}

enum { GRID_SQUARES = 64 }; /* along a side */

/* All points sorted by squares of a grid, to find those near a segment. */
struct point_index {
    const struct contour_point *points;
    uint32_t *starts;          /* of each square in `items`, and the end */
    uint32_t *items;           /* indices of points */
    int32_t west, north, side; /* of the squares together */
};

/* Bytes that point_index_build() needs. */
static size_t point_index_size(size_t count)
{
    return (GRID_SQUARES * GRID_SQUARES + 1 + count) * sizeof(uint32_t);
}

/* The square of a point's distance from a segment: exact, then rounded once. */
static double squared_distance(struct contour_point point, struct contour_point a,
                               struct contour_point b)
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

/* Makes an index in `memory`, aligned for uint32_t, of points that stay as they are. */
static void point_index_build(struct point_index *index, void *memory,
                              const struct contour_point *points, size_t count)
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

/* True if a point besides points[from … to] lies within `reach` units of the segment from
 * points[from] to points[to]. Points equal to its ends do not count. */
static bool point_index_near(const struct point_index *index, size_t from, size_t to, int32_t reach)
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

/* The state of step 3. `points` are rounded; the first point of a ring is repeated at its end. */
struct simplifier {
    const struct contour_point *points;
    const struct simplify_tile *tile;
    uint8_t *keep;            /* for each point, whether it stays */
    struct point_index index; /* for preserve_topology */
};

/* The point between two others where the line must not be straight; 0 if it may be. */
static size_t find_split_point(const struct simplifier *simplifier, size_t from, size_t to)
{
    const struct contour_point *points = simplifier->points;
    double tolerance = (double)simplifier->tile->tolerance, most = -1;
    size_t farthest = 0;
    for (size_t i = from + 1; i < to; i++) {
        double squared = squared_distance(points[i], points[from], points[to]);
        if (squared > most) {
            most = squared;
            farthest = i;
        }
    }
    if (farthest == 0 || most > tolerance * tolerance)
        return farthest;
    if (simplifier->tile->preserve_topology &&
        point_index_near(&simplifier->index, from, to, simplifier->tile->tolerance))
        return farthest;
    return 0;
}

/* Marks the points that stay between two points that stay. */
static void simplify_stretch(const struct simplifier *simplifier, size_t first, size_t last)
{
    /* Ends on the stack come nearer and nearer, so there are never more than STRETCH_MAX. */
    uint16_t end_stack[STRETCH_MAX + 1];
    size_t depth = 0, from = first, to = last;
    for (;;) {
        size_t split = find_split_point(simplifier, from, to);
        if (split) {
            simplifier->keep[split] = 1;
            end_stack[depth++] = (uint16_t)(to - first);
            to = split;
        } else if (depth > 0) {
            from = to;
            to = first + end_stack[--depth];
        } else {
            return;
        }
    }
}

/* Marks what stays of a line: its ends, points on the border, and what these leave too straight. */
static void simplify_line(const struct simplifier *simplifier, const struct contour_line *line)
{
    size_t from = line->first, last = line->first + line->count - 1;
    simplifier->keep[from] = 1;
    for (size_t i = from + 1; i <= last; i++) {
        if (i < last && i - from < STRETCH_MAX &&
            !on_border(simplifier->points[i], simplifier->tile->extent))
            continue;
        simplifier->keep[i] = 1;
        simplify_stretch(simplifier, from, i);
        from = i;
    }
}

/* Appends the line, rounded. A ring is rotated, and its first point repeated. */
static void round_line(const struct contours *lines, const struct contour_line *line,
                       const struct simplify_tile *tile, struct contours *out)
{
    const struct contour_point *points = lines->points + line->first;
    size_t first = contours_tail(out);
    contours_add_point(out, points[0].x, points[0].y);
    for (size_t i = 1; i < line->count; i++)
        add_crossings(points[i - 1], points[i], tile, out);
    if (line->closed)
        add_crossings(points[line->count - 1], points[0], tile, out);
    if (out->failed)
        return;
    struct contour_point *rounded = out->points + first;
    size_t count = round_points(rounded, out->point_count - first, tile);
    while (line->closed && count > 1 && points_equal(rounded[0], rounded[count - 1]))
        count--;
    out->point_count = first + count;
    if (line->closed) {
        rotate_ring(rounded, count, tile->extent);
        contours_add_point(out, rounded[0].x, rounded[0].y);
    }
    contours_add_line(out, line->level, line->closed);
}

/* Moves the points of a line that stay to `at`; returns their number, the first of a ring once. */
static size_t compact_line(const struct contours *out, const struct contour_line *line,
                           const uint8_t *keep, size_t at)
{
    struct contour_point *points = out->points;
    size_t count = 0;
    for (size_t i = line->first; i < line->first + line->count; i++) {
        if (keep[i] && (count == 0 || !points_equal(points[at + count - 1], points[i])))
            points[at + count++] = points[i];
    }
    return line->closed ? count - 1 : count;
}

/* True if a line still has two points, or a ring still has an area and its orientation. */
static bool is_still_valid(const struct contours *lines, const struct contour_line *line,
                           const struct contour_point *points, size_t count)
{
    if (!line->closed)
        return count >= 2;
    double before = contour_ring_area(lines->points + line->first, line->count);
    double after = contour_ring_area(points, count);
    return before > 0 ? after > 0 : after < 0;
}

/* Drops the points that do not stay, lines that are too short, and the holes of dropped rings. */
static void compact_lines(const struct contours *lines, const uint8_t *keep, struct contours *out)
{
    bool exterior_kept = true; /* of the last ring that is no hole */
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < lines->line_count; i++) {
        const struct contour_line *line = &lines->lines[i];
        size_t count = compact_line(out, &out->lines[i], keep, at);
        bool is_kept =
            (!line->hole || exterior_kept) && is_still_valid(lines, line, out->points + at, count);
        if (!line->hole)
            exterior_kept = is_kept;
        if (!is_kept)
            continue;
        out->lines[kept] = *line;
        out->lines[kept].first = at;
        out->lines[kept++].count = count;
        at += count;
    }
    out->line_count = kept;
    out->point_count = at;
}

bool simplify_contours(const struct contours *lines, const struct simplify_tile *tile,
                       struct contours *out, struct error *error)
{
    contours_clear(out);
    for (size_t i = 0; i < lines->line_count; i++)
        round_line(lines, &lines->lines[i], tile, out);
    size_t index_size = tile->preserve_topology ? point_index_size(out->point_count) : 0;
    uint8_t *memory = contours_scratch(out, index_size + out->point_count + 1);
    if (out->failed || !memory)
        return error_memory(error);
    struct simplifier simplifier = {
        .points = out->points, .tile = tile, .keep = memory + index_size};
    if (tile->preserve_topology)
        point_index_build(&simplifier.index, memory, out->points, out->point_count);
    memset(simplifier.keep, 0, out->point_count);
    for (size_t i = 0; i < out->line_count; i++)
        simplify_line(&simplifier, &out->lines[i]);
    compact_lines(lines, simplifier.keep, out);
    return true;
}
