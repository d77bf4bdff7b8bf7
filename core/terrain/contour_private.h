/* Functions that the files of the contours share. */
#ifndef TERRANE_TERRAIN_CONTOUR_PRIVATE_H
#define TERRANE_TERRAIN_CONTOUR_PRIVATE_H

#include "core/terrain/contour.h"

/* Appends the point unless the line being made ends with it. */
void contours_add_distinct(struct contours *contours, struct contour_point point);
/* Drops the points of the line being made. */
void contours_discard_tail(struct contours *contours);
/* Copies a ring or line with its level and flags. */
void contours_copy_line(const struct contours *from, size_t line, struct contours *out);

/* The quotient rounded to nearest, halves upwards; the denominator is not 0. */
int64_t contour_round_quotient(int64_t numerator, int64_t denominator);
/* The smallest box around at least one point. */
struct contour_box contour_bounds(const struct contour_point *points, size_t count);

/* Copies rings that are closed and do not touch into the order of contour_area(): each hole behind
 * the smallest exterior ring around it. Replaces `out`; false when memory is out. */
bool contour_order_rings(const struct contours *rings, struct contours *out);

#endif
