/* The nearest point of a polyline to each of many places, as far as it is within a reach, and
 * whether the places are inside a closed one.
 *
 * Each place's result depends on the place and the polyline alone, bit for bit, whatever other
 * places it is asked with. Of points that are equally near, the one on the first segment counts. */
#ifndef TERRANE_POLYLINES_NEAREST_H
#define TERRANE_POLYLINES_NEAREST_H

#include "core/base/work_meter.h"
#include "core/polylines/polyline.h"

/* Nanoseconds that a box or a segment takes that a search looks at, about. */
#define POLYLINE_VISIT_TIME 7.0

/* A place of the polyline's plane by axis: whole units of 2⁻¹⁶ m, within ±2⁵⁸, and metres besides,
 * from 0 up to a unit. */
struct polyline_position {
    int64_t at[2];
    double part[2];
};

struct polyline_nearest {
    double squared; /* metres², to the nearest point; infinite if there is none within the reach */
    double t;       /* where that point is on its segment, 0 … 1 */
    uint32_t segment;
    bool inside; /* of a closed polyline; by the even-odd rule */
};

enum { POLYLINE_PLACES_MAX = 256 };
struct polyline_query {
    const struct polyline *line;
    double reach; /* metres, > 0 */
    const struct polyline_position *positions;
    size_t count; /* at most POLYLINE_PLACES_MAX; those that are near each other side by side */
    struct work_meter *meter; /* counts the work */
};
/* Writes found[0 … count). False if the meter has stopped. */
bool polyline_find_nearest(const struct polyline_query *query, struct polyline_nearest *found);

/* Metres along the polyline from vertex 0 to the nearest point. */
double polyline_along(const struct polyline *line, const struct polyline_nearest *nearest);
/* True if the place is on the right of the polyline as one goes along it, or on the line itself. At
 * a vertex the sum of both directions decides. */
bool polyline_is_right(const struct polyline *line, const struct polyline_nearest *nearest,
                       const struct polyline_position *position);

/* The boxes and segments that a search from one place looks at, whatever its reach. */
uint64_t polyline_count_visits(const struct polyline *line,
                               const struct polyline_position *position);

#endif
