/* How streams run on the map: how much they wind, how sharply they turn, at which angles they meet.
 */
#ifndef TERRANE_BENCH_LAND_COURSES_H
#define TERRANE_BENCH_LAND_COURSES_H

#include <stddef.h>

#include "tests/bench/land/tiles.h"

/* Values of one kind, of any number of tiles. A zeroed struct is empty. */
struct land_values {
    float *values; /* owned */
    size_t count, capacity;
};

enum land_course_kind {
    COURSES_WIND_FLAT,  /* sinuosity: length over the distance of the ends, of streams that fall */
    COURSES_WIND_STEEP, /* by less than 0.3 %, and by more than 3 % */
    COURSES_TURN,       /* at a joint, in degrees */
    COURSES_MEET,       /* where a stream joins another one, between the ways of both, in degrees */
    COURSES_KINDS
};

/* Adds the streams from nodes in a tile of those levels whose cells are at least COURSES_CELL
 * samples wide, but of the finest COURSES_LEVELS of these, which are those that the tile shows
 * most. Lines have all joints that there are, are taken to the map, and followed in steps of at
 * most COURSES_STEP samples: so turns are seen at the scale of the tile. None in worlds without a
 * network. */
enum { COURSES_CELL = 16, COURSES_LEVELS = 4, COURSES_STEP = 4 };
void land_courses_add(struct land_world *land, const struct tile_address *tile,
                      struct land_values values[COURSES_KINDS]);
void land_courses_free(struct land_values values[COURSES_KINDS]);

/* The length of a line over the distance of its ends; of `count` places, at least two. */
float land_sinuosity(const struct place *places, size_t count);
/* The angle between the ways from a to b and from b to c, 0 … 180 degrees. */
float land_turn(struct place a, struct place b, struct place c);

#endif
