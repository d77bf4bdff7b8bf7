/* Contours on a tile's grid of whole numbers: cut where they cross the tile's border, rounded, and
 * rid of the points that hardly bend them.
 *
 * Two tiles side by side that were traced from the same samples (each with an apron) meet: where a
 * line crosses the border between them, both have a point, the same to the unit, and no point on a
 * tile's border is ever left out. */
#ifndef TERRANE_TERRAIN_SIMPLIFY_H
#define TERRANE_TERRAIN_SIMPLIFY_H

#include "core/terrain/contour.h"

/* The tile's square in the contours' coordinates, and its side in units of its grid. */
struct simplify_tile {
    int32_t west, north;    /* its north-west corner, which becomes (0, 0) */
    int32_t side;           /* its side, which becomes `extent` */
    int32_t extent;         /* 1 … 2¹⁵ */
    int32_t tolerance;      /* how far a line may move, in units, besides rounding; 0 … extent */
    bool preserve_topology; /* see below */
};

/* Lines and rings in units of the tile's grid, x to the east and y to the south, in place of what
 * `out` held, by the method of Douglas and Peucker (1973). Their order, levels and kinds stay. No
 * segment has length 0; a line has two points at least, a ring three, and still turns the way it
 * did. What has become too small for that is left out, an exterior ring with its holes.
 *
 * Lines may come to cross one another, by less than the tolerance and a unit. With
 * `preserve_topology` points also stay where leaving them out would bring a line within the
 * tolerance of a point of any other line, or of another part of its own: lines that do not touch
 * once rounded do not touch when simplified. Rounded lines do not touch if their margin from
 * samples is a unit and samples stand on whole units; but for the few that pass through one cell
 * twice, on the tile's border or where they were cut. False when memory is out. */
bool simplify_contours(const struct contours *lines, const struct simplify_tile *tile,
                       struct contours *out, struct error *error);

#endif
