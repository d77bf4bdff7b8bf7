/* Simplification of contours on the integer grid of a tile: lines get a point where they cross the
 * border of the tile, are rounded, and lose the points that hardly bend them.
 *
 * Two tiles side by side that were traced from the same samples (each with an apron) meet: where a
 * line crosses the border between them, both have a point, the same to the unit, and no point on a
 * tile's border is ever left out. */
#ifndef TERRANE_TERRAIN_SIMPLIFY_H
#define TERRANE_TERRAIN_SIMPLIFY_H

#include "core/terrain/contour.h"

/* The square of a tile in the coordinates of the contours, and its side in units of its grid. */
struct simplify_tile {
    int32_t west, north;    /* its north-west corner, which becomes (0, 0) */
    int32_t side;           /* its side, which becomes `extent` */
    int32_t extent;         /* 1 … 2¹⁵ */
    int32_t tolerance;      /* how far a line may move, in units, besides rounding; 0 … extent */
    bool preserve_topology; /* see below */
};

/* Simplifies by the method of Douglas and Peucker (1973). `out` receives lines and rings in units
 * of the grid, x to the east and y to the south; order, levels and kinds stay. No segment has
 * length 0; a line has at least two points, a ring at least three and its orientation. Lines that
 * become too small for that are left out, an exterior ring with its holes.
 *
 * Simplified lines may cross each other, by less than the tolerance plus a unit. With
 * `preserve_topology`, points also stay where leaving them out would bring a line within the
 * tolerance of a point of another line, or of another part of the same line: lines that do not
 * touch when rounded do not touch when simplified. Rounded lines do not touch if their margin from
 * samples is a unit and samples are at whole units, except for the few that pass through one cell
 * twice, on the border of the tile or where they were cut. False when memory is out. */
bool simplify_contours(const struct contours *lines, const struct simplify_tile *tile,
                       struct contours *out, struct error *error);

#endif
