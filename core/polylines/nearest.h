/* The nearest point of a polyline to each of many places, as far as it is within a reach, and
 * whether the places are inside a closed one.
 *
 * Each place's result depends on the place and the polyline alone, bit for bit, whatever other
 * places it is asked with. Of points that are equally near, the one on the first segment counts. */
#ifndef TERRANE_POLYLINES_NEAREST_H
#define TERRANE_POLYLINES_NEAREST_H

#include "core/base/work_meter.h"
#include "core/polylines/polyline.h"

/* Nanoseconds that a box or a segment takes that a search looks at, about; and a segment for one of
 * many places that look at the same few. */
#define POLYLINE_VISIT_TIME 8.0
#define POLYLINE_LISTED_TIME 8.0

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
    bool inside; /* of a closed polyline that does not cross itself */
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

/* A circle in the polyline's plane. */
struct polyline_circle {
    struct polyline_position middle;
    double radius; /* metres */
};
/* One that holds all places of a rectangle, given in units of 2⁻¹⁶ m by axis. */
struct polyline_circle polyline_circle(const struct polyline *line, const int64_t low[2],
                                       const int64_t high[2]);
/* True if no point of the polyline is within the reach of any place in the circle; *inside is then
 * the same for all of them. The positions of the query are not read. False also if the meter has
 * stopped, as the search itself then is. */
bool polyline_is_far(const struct polyline_query *query, const struct polyline_circle *circle,
                     bool *inside);

/* True if a point of the polyline is within the reach, in metres, of a place of the circle, or if
 * *visits_left was used up, from which the boxes and segments are taken that are looked at. */
bool polyline_is_near(const struct polyline *line, const struct polyline_circle *circle,
                      double reach, double *visits_left);

/* Metres along the polyline from vertex 0 to the nearest point. */
double polyline_along(const struct polyline *line, const struct polyline_nearest *nearest);
/* Metres along an axis from vertex 0 to the point so many metres along the polyline, or to its end
 * if it is shorter. */
double polyline_point(const struct polyline *line, double along, int axis);
/* Metres from the nearest point to the place along an axis, 0 for x and 1 for y. */
double polyline_offset(const struct polyline *line, const struct polyline_nearest *nearest,
                       const struct polyline_position *position, int axis);
/* True if the place is on the right of the polyline as one goes along it, or on the line itself. At
 * a vertex the sum of both directions decides. */
bool polyline_is_right(const struct polyline *line, const struct polyline_nearest *nearest,
                       const struct polyline_position *position);

/* Nanoseconds that polyline_find_nearest() counts for the query, about, by following one half of
 * its places wherever it would follow both; if one search looks at very much, by the number of
 * segments. The meter is not used. Takes what it looks at from *visits_left. */
double polyline_estimate_time(const struct polyline_query *query, double *visits_left);

#endif
