/* The growable arrays of struct contours. All lines share one array of points, in which a line is a
 * run, so a result of thousands of lines is three allocations. A line is made by appending its
 * points and then the line, which takes all points behind those of the line before. After a failed
 * allocation nothing is appended any more, so callers check `failed` once, at the end. */
#include <stdlib.h>

#include "core/base/array.h"
#include "core/terrain/contour_private.h"

void contours_free(struct contours *contours)
{
    free(contours->points);
    free(contours->lines);
    free(contours->scratch);
    *contours = (struct contours){0};
}

void contours_clear(struct contours *contours)
{
    contours->point_count = 0;
    contours->line_count = 0;
    contours->failed = false;
}

void contours_add_point(struct contours *contours, int32_t x, int32_t y)
{
    if (contours->failed)
        return;
    struct contour_point *points = array_reserve(contours->points, contours->point_count,
                                                 &contours->point_capacity, sizeof *points);
    contours->failed = !points;
    if (!points)
        return;
    contours->points = points;
    contours->points[contours->point_count++] = (struct contour_point){x, y};
}

size_t contours_tail(const struct contours *contours)
{
    if (contours->line_count == 0)
        return 0;
    const struct contour_line *last = &contours->lines[contours->line_count - 1];
    return last->first + last->count;
}

void contours_add_line(struct contours *contours, uint32_t level, bool closed)
{
    if (contours->failed)
        return;
    const size_t first = contours_tail(contours);
    struct contour_line *lines = array_reserve(contours->lines, contours->line_count,
                                               &contours->line_capacity, sizeof *lines);
    contours->failed = !lines;
    if (!lines)
        return;
    contours->lines = lines;
    contours->lines[contours->line_count++] = (struct contour_line){
        .first = first,
        .count = contours->point_count - first,
        .level = level,
        .closed = closed,
    };
}

void contours_add_distinct(struct contours *contours, struct contour_point point)
{
    if (contours->point_count > contours_tail(contours)) {
        struct contour_point last = contours->points[contours->point_count - 1];
        if (last.x == point.x && last.y == point.y)
            return;
    }
    contours_add_point(contours, point.x, point.y);
}

void contours_discard_tail(struct contours *contours)
{
    contours->point_count = contours_tail(contours);
}

void contours_copy_line(const struct contours *from, size_t line, struct contours *out)
{
    const struct contour_line *source = &from->lines[line];
    for (size_t i = 0; i < source->count; i++) {
        struct contour_point point = from->points[source->first + i];
        contours_add_point(out, point.x, point.y);
    }
    contours_add_line(out, source->level, source->closed);
    if (!out->failed)
        out->lines[out->line_count - 1].hole = source->hole;
}

void *contours_scratch(struct contours *contours, size_t size)
{
    if (size > contours->scratch_capacity) {
        void *grown = realloc(contours->scratch, size);
        if (!grown)
            return NULL;
        contours->scratch = grown;
        contours->scratch_capacity = size;
    }
    return contours->scratch;
}

struct contour_box contour_bounds(const struct contour_point *points, size_t count)
{
    struct contour_box box = {points[0].x, points[0].y, points[0].x, points[0].y};
    for (size_t i = 1; i < count; i++) {
        box.west = points[i].x < box.west ? points[i].x : box.west;
        box.east = points[i].x > box.east ? points[i].x : box.east;
        box.north = points[i].y < box.north ? points[i].y : box.north;
        box.south = points[i].y > box.south ? points[i].y : box.south;
    }
    return box;
}

double contour_ring_area(const struct contour_point *points, size_t count)
{
    /* Relative to the first point, so that the products are exact for all but the largest rings. */
    double area = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double ax = (double)points[i].x - points[0].x, ay = (double)points[i].y - points[0].y;
        double bx = (double)points[i + 1].x - points[0].x;
        double by = (double)points[i + 1].y - points[0].y;
        area += ax * by - bx * ay;
    }
    return area;
}
