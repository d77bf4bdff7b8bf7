/* Which hole belongs to which exterior ring. */
#include "core/terrain/contour_private.h"

/* What is asked of a ring again and again. */
struct ring {
    struct contour_box bounds;
    double area;  /* of an exterior, above 0 */
    size_t owner; /* of a hole: its exterior; RING_NONE if none holds it */
};

#define RING_NONE SIZE_MAX

static struct contour_box find_bounds(const struct contour_point *points, size_t count)
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

static bool box_holds(const struct contour_box *outer, const struct contour_box *inner)
{
    return outer->west <= inner->west && outer->east >= inner->east &&
           outer->north <= inner->north && outer->south >= inner->south;
}

/* By the sides of the ring that a ray to the east crosses. A point on a side that is not level is
 * inside; on a level one it counts as a little south of it. */
static bool ring_holds(const struct contour_point *points, size_t count, struct contour_point point)
{
    bool inside = false;
    for (size_t i = 0; i < count; i++) {
        struct contour_point a = points[i], b = points[i + 1 == count ? 0 : i + 1];
        if ((a.y > point.y) == (b.y > point.y))
            continue;
        int64_t turn = ((int64_t)b.x - a.x) * ((int64_t)point.y - a.y) -
                       ((int64_t)b.y - a.y) * ((int64_t)point.x - a.x);
        if (turn == 0)
            return true;
        inside ^= (b.y > a.y) == (turn > 0);
    }
    return inside;
}

/* The smallest exterior ring around a hole. A hole may touch the box's border, where an exterior
 * ring may run; its northernmost point is inside then too, as ring_holds() sees it. */
static size_t find_owner(const struct contours *rings, const struct ring *known, size_t hole)
{
    const struct contour_line *line = &rings->lines[hole];
    const struct contour_point *north = rings->points + line->first;
    while (north->y != known[hole].bounds.north)
        north++;
    size_t owner = RING_NONE;
    for (size_t i = 0; i < rings->line_count; i++) {
        const struct contour_line *other = &rings->lines[i];
        if (other->hole || (owner != RING_NONE && known[i].area >= known[owner].area) ||
            !box_holds(&known[i].bounds, &known[hole].bounds))
            continue;
        if (ring_holds(rings->points + other->first, other->count, *north))
            owner = i;
    }
    return owner;
}

/* Hands out the holes behind their exteriors: links[exterior] is its first hole, links[hole] the
 * next one. */
static void copy_sorted(const struct contours *rings, const struct ring *known, size_t *links,
                        struct contours *out)
{
    for (size_t i = 0; i < rings->line_count; i++)
        links[i] = RING_NONE;
    for (size_t i = rings->line_count; i-- > 0;) {
        if (!rings->lines[i].hole || known[i].owner == RING_NONE)
            continue;
        links[i] = links[known[i].owner];
        links[known[i].owner] = i;
    }
    for (size_t i = 0; i < rings->line_count; i++) {
        if (rings->lines[i].hole)
            continue;
        for (size_t ring = i; ring != RING_NONE; ring = links[ring])
            contours_copy_line(rings, ring, out);
    }
}

bool contour_sort_rings(const struct contours *rings, struct contours *out)
{
    size_t count = rings->line_count;
    contours_clear(out);
    struct ring *known = contours_scratch(out, count * (sizeof *known + sizeof(size_t)) + 1);
    if (!known)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct contour_line *line = &rings->lines[i];
        const struct contour_point *points = rings->points + line->first;
        known[i].bounds = find_bounds(points, line->count);
        known[i].area = contour_ring_area(points, line->count);
    }
    for (size_t i = 0; i < count; i++)
        known[i].owner = rings->lines[i].hole ? find_owner(rings, known, i) : RING_NONE;
    copy_sorted(rings, known, (size_t *)(void *)(known + count), out);
    return !out->failed;
}
