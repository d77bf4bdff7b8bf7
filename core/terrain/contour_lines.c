/* The growable arrays that lines are made in. */
#include <stdlib.h>

#include "core/terrain/contour_private.h"

enum { CONTOURS_FIRST = 256 };

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

/* Room for one more of `count` things. */
static bool make_room(struct contours *contours, void **memory, size_t *capacity, size_t count,
                      size_t size)
{
    if (contours->failed)
        return false;
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : CONTOURS_FIRST;
    void *grown = wanted <= SIZE_MAX / 2 / size ? realloc(*memory, wanted * size) : NULL;
    if (!grown) {
        contours->failed = true;
        return false;
    }
    *memory = grown;
    *capacity = wanted;
    return true;
}

void contours_add_point(struct contours *contours, int32_t x, int32_t y)
{
    void *memory = contours->points;
    bool room = make_room(contours, &memory, &contours->point_capacity, contours->point_count,
                          sizeof *contours->points);
    contours->points = memory;
    if (room)
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
    size_t first = contours_tail(contours);
    void *memory = contours->lines;
    bool room = make_room(contours, &memory, &contours->line_capacity, contours->line_count,
                          sizeof *contours->lines);
    contours->lines = memory;
    if (room)
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

double contour_ring_area(const struct contour_point *points, size_t count)
{
    /* Around the first point, so that the products stay exact for all but the largest rings. */
    double area = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double ax = (double)points[i].x - points[0].x, ay = (double)points[i].y - points[0].y;
        double bx = (double)points[i + 1].x - points[0].x;
        double by = (double)points[i + 1].y - points[0].y;
        area += ax * by - bx * ay;
    }
    return area;
}
