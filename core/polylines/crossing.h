/* Whether a closed polyline crosses or touches itself. */
#ifndef TERRANE_POLYLINES_CROSSING_H
#define TERRANE_POLYLINES_CROSSING_H

#include "core/polylines/polyline.h"

enum polyline_crossing {
    POLYLINE_SIMPLE,  /* no two segments have a point in common but that at which they join */
    POLYLINE_CROSSES, /* two have */
    POLYLINE_TANGLED, /* the boxes of so many overlap that it would take too long to find out */
};
/* Looks at no more pairs than this for each segment, on average. A coast takes some 50. */
enum { POLYLINE_PAIRS_MAX = 200 };
/* Sets the two segments, the first of which is as early as possible. Adds the pairs that were
 * looked at. Exact. */
enum polyline_crossing polyline_find_crossing(const struct polyline *line, uint32_t segments[2],
                                              uint64_t *pairs);

#endif
