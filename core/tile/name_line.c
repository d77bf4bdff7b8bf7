/* See name_line.h. */
#include "core/tile/name_line.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"

enum { CUTS = 2 };

void name_line_free(struct name_line *line)
{
    free(line->points);
    *line = (struct name_line){0};
}

static bool add(struct name_line *line, struct contour_point point)
{
    struct contour_point *points =
        array_reserve(line->points, line->count, &line->capacity, sizeof *points);
    if (!points)
        return false;
    line->points = points;
    points[line->count++] = point;
    return true;
}

static double distance(struct contour_point a, struct contour_point b)
{
    const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y;
    return sqrt(x * x + y * y);
}

static struct contour_point between(struct contour_point a, struct contour_point b, double share)
{
    return (struct contour_point){
        (int32_t)floor((double)a.x + ((double)b.x - (double)a.x) * share + 0.5),
        (int32_t)floor((double)a.y + ((double)b.y - (double)a.y) * share + 0.5)};
}

static double length_of(const struct contour_point *points, size_t count)
{
    double length = 0.0;
    for (size_t i = 1; i < count; i++)
        length += distance(points[i - 1], points[i]);
    return length;
}

/* Takes the ends, and points at equal distances between them. */
static bool take_points(struct name_line *line, const struct contour_point *points, size_t count)
{
    const double length = length_of(points, count), parts = floor(length / NAME_LINE_STEP + 0.5);
    const double step = parts > 1.0 ? length / parts : 2.0 * length;
    double before = 0.0, next = step; /* along the line */
    line->count = 0;
    if (!add(line, points[0]))
        return false;
    for (size_t i = 1; i < count; i++) {
        const double part = distance(points[i - 1], points[i]);
        for (; next < before + part && next < length - 0.5 * step; next += step)
            if (!add(line, between(points[i - 1], points[i], (next - before) / part)))
                return false;
        before += part;
    }
    return count == 1 || add(line, points[count - 1]);
}

/* Puts two points for each one between the ends: at a quarter of the way to its neighbours. From
 * the last one on: what is written lies behind all that is still read. */
static bool cut_corners(struct name_line *line)
{
    const size_t count = line->count;
    for (size_t i = 2; i < count; i++)
        if (!add(line, line->points[count - 1]))
            return false;
    for (size_t i = count - 1; i-- > 1;) {
        const struct contour_point *points = line->points;
        const struct contour_point cut[2] = {between(points[i], points[i - 1], 0.25),
                                             between(points[i], points[i + 1], 0.25)};
        line->points[2 * i - 1] = cut[0];
        line->points[2 * i] = cut[1];
    }
    return true;
}

bool name_line_set(struct name_line *line, const struct contour_point *points, size_t count)
{
    if (!take_points(line, points, count))
        return false;
    for (int i = 0; i < CUTS; i++)
        if (!cut_corners(line))
            return false;
    return true;
}
