/* The point index of the simplification. */
#ifndef TERRANE_TERRAIN_SIMPLIFY_PRIVATE_H
#define TERRANE_TERRAIN_SIMPLIFY_PRIVATE_H

#include "core/terrain/contour.h"

/* All points sorted by squares of a grid, to find those near a segment. */
struct point_index {
    const struct contour_point *points;
    uint32_t *starts;          /* of each square in `items`, and the end */
    uint32_t *items;           /* indices of points */
    int32_t west, north, side; /* of the squares together */
};

/* Bytes that point_index_build() needs. */
size_t point_index_size(size_t count);
/* An index in `memory`, aligned for uint32_t, of points that stay as they are. */
void point_index_build(struct point_index *index, void *memory, const struct contour_point *points,
                       size_t count);
/* Whether a point besides points[from … to] lies within `reach` units of the segment from
 * points[from] to points[to]. Points equal to its ends do not count. */
bool point_index_near(const struct point_index *index, size_t from, size_t to, int32_t reach);

/* The square of a point's distance from a segment: exact, then rounded once. */
double squared_distance(struct contour_point point, struct contour_point a, struct contour_point b);

#endif
