/* Where the course of a stream meets larger ones. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_CROSSING_H
#define TERRANE_DRAINAGE_COURSE_CROSSING_H

#include "core/drainage/network/segment.h"

/* A point on a segment; null if there is none. */
struct crossing {
    const struct segment *segment;
    float along; /* 0 … 1 */
};

/* The first crossing with one of the listed segments on the straight way between two places. Where
 * the way ends is none. */
struct crossing first_crossing(struct segment_list list, struct place from, struct place to);

#endif
