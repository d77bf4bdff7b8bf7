/* Finds the exterior ring of each hole: the smallest ring with the hole inside, as rings never
 * cross. Bounding boxes exclude most pairs; the rest is a point-in-polygon test with one point of
 * the hole. This is quadratic in the number of rings, of which a tile has few. */
#include "core/terrain/contour_private.h"

/* Properties of a ring that are computed once. */
struct ring_info {
    struct contour_box bounds;
    double area;     /* of an exterior, above 0 */
    size_t exterior; /* of a hole: its exterior; RING_NONE if none holds it */
};

#define RING_NONE SIZE_MAX

static bool box_contains(const struct contour_box *outer, const struct contour_box *inner)
{
    return outer->west <= inner->west && outer->east >= inner->east &&
           outer->north <= inner->north && outer->south >= inner->south;
}

/* Counts the sides of the ring that a ray to the east crosses. A point on a side is inside, unless
 * the side is horizontal: then it counts as slightly south of it. */
static bool ring_contains(const struct contour_point *points, size_t count,
                          struct contour_point point)
{
    bool inside = false;
    for (size_t i = 0; i < count; i++) {
        struct contour_point a = points[i], b = points[i + 1 == count ? 0 : i + 1];
        if ((a.y > point.y) == (b.y > point.y))
            continue;
        int64_t cross_product = ((int64_t)b.x - a.x) * ((int64_t)point.y - a.y) -
                                ((int64_t)b.y - a.y) * ((int64_t)point.x - a.x);
        if (cross_product == 0)
            return true;
        inside ^= (b.y > a.y) == (cross_product > 0);
    }
    return inside;
}

/* The smallest exterior ring around a hole. A hole may touch the box's border, where an exterior
 * ring may run; its northernmost point is inside then too, as ring_contains() sees it. */
static size_t find_exterior(const struct contours *rings, const struct ring_info *info, size_t hole)
{
    const struct contour_line *line = &rings->lines[hole];
    const struct contour_point *north = rings->points + line->first;
    while (north->y != info[hole].bounds.north)
        north++;
    size_t exterior = RING_NONE;
    for (size_t i = 0; i < rings->line_count; i++) {
        const struct contour_line *other = &rings->lines[i];
        if (other->hole || (exterior != RING_NONE && info[i].area >= info[exterior].area) ||
            !box_contains(&info[i].bounds, &info[hole].bounds))
            continue;
        if (ring_contains(rings->points + other->first, other->count, *north))
            exterior = i;
    }
    return exterior;
}

/* Copies each exterior ring followed by its holes. next_holes[exterior] is its first hole,
 * next_holes[hole] the next one of the same exterior. */
static void copy_sorted(const struct contours *rings, const struct ring_info *info,
                        size_t *next_holes, struct contours *out)
{
    for (size_t i = 0; i < rings->line_count; i++)
        next_holes[i] = RING_NONE;
    for (size_t i = rings->line_count; i-- > 0;) {
        if (!rings->lines[i].hole || info[i].exterior == RING_NONE)
            continue;
        next_holes[i] = next_holes[info[i].exterior];
        next_holes[info[i].exterior] = i;
    }
    for (size_t i = 0; i < rings->line_count; i++) {
        if (rings->lines[i].hole)
            continue;
        for (size_t ring = i; ring != RING_NONE; ring = next_holes[ring])
            contours_copy_line(rings, ring, out);
    }
}

bool contour_order_rings(const struct contours *rings, struct contours *out)
{
    size_t count = rings->line_count;
    contours_clear(out);
    struct ring_info *info = contours_scratch(out, count * (sizeof *info + sizeof(size_t)) + 1);
    if (!info)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct contour_line *line = &rings->lines[i];
        const struct contour_point *points = rings->points + line->first;
        info[i].bounds = contour_bounds(points, line->count);
        info[i].area = contour_ring_area(points, line->count);
    }
    for (size_t i = 0; i < count; i++)
        info[i].exterior = rings->lines[i].hole ? find_exterior(rings, info, i) : RING_NONE;
    copy_sorted(rings, info, (size_t *)(void *)(info + count), out);
    return !out->failed;
}
