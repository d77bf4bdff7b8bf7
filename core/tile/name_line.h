/* A line along which the name of a river is written: the river's without its narrow bends, which
 * letters cannot follow.
 *
 * Points are taken from the river's line at equal distances along it, about NAME_LINE_STEP, and
 * their corners cut twice at quarters (Chaikin, An algorithm for high speed curve generation,
 * Computer Graphics and Image Processing 3, 1974). So the line has the ends of the river's, and
 * where points turn by an angle, it turns by a quarter of that at each of its own. */
#ifndef TERRANE_TILE_NAME_LINE_H
#define TERRANE_TILE_NAME_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/terrain/contour.h"

/* Units of vector tiles: some 20 pixels of a tile 512 pixels wide, 3 letters. */
#define NAME_LINE_STEP 160.0

/* Zeroed it is empty; its memory is used again. */
struct name_line {
    struct contour_point *points; /* owned; at least one */
    size_t count, capacity;
};

/* Sets the line from some points, one at least. A line shorter than one and a half steps is its
 * ends alone. False when memory is out. */
bool name_line_set(struct name_line *line, const struct contour_point *points, size_t count);
void name_line_free(struct name_line *line);

#endif
