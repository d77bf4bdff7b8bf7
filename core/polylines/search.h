/* The searches from one place that nearest.h is made of. Internal to core/polylines.
 *
 * Distances are doubles of exact differences. What is left out must be farther than the nearest one
 * by more than rounding: by the slack below, which is above 8 times the error of a distance,
 * 2⁻⁵¹ of the distance and of the segment's length. So the result is always the least of the
 * distances to all segments. */
#ifndef TERRANE_POLYLINES_SEARCH_H
#define TERRANE_POLYLINES_SEARCH_H

#include "core/polylines/nearest.h"

#define POLYLINE_RELATIVE_SLACK 0x1p-40 /* of a distance, */
#define POLYLINE_EXTENT_SLACK 0x1p-46   /* and of the polyline's extent */
#define POLYLINE_UNIT 0x1p-16           /* metres */

/* What searches have looked at: boxes, and segments that were found by them; and segments of a list
 * besides, which take less. A search ends at `most` visits. */
struct polyline_effort {
    double visits, listed, most;
};
static inline double polyline_effort_time(struct polyline_effort effort)
{
    return effort.visits * POLYLINE_VISIT_TIME + effort.listed * POLYLINE_LISTED_TIME;
}

/* Metres from a place of the plane to a position, along an axis. */
static inline double polyline_position_offset(const struct polyline_position *position, int axis,
                                              int64_t from)
{
    return (double)(position->at[axis] - from) * POLYLINE_UNIT + position->part[axis];
}

/* The square of a distance within which nothing may be left out. */
static inline double polyline_square_with_slack(const struct polyline *line, double metres)
{
    const double most =
        metres * (1.0 + POLYLINE_RELATIVE_SLACK) + line->extent * POLYLINE_EXTENT_SLACK;
    return most * most;
}

/* The nearest point of one segment. */
static inline struct polyline_nearest polyline_measure(const struct polyline *line,
                                                       uint32_t segment,
                                                       const struct polyline_position *position)
{
    const struct place a = line->vertices[segment], b = polyline_end(line, segment);
    const double east = (double)(b.x - a.x) * POLYLINE_UNIT,
                 south = (double)(b.y - a.y) * POLYLINE_UNIT;
    double x = polyline_position_offset(position, 0, a.x),
           y = polyline_position_offset(position, 1, a.y);
    const double square = east * east + south * south, along = x * east + y * south;
    double t = 0.0;
    if (along >= square) { /* from the very vertex, as for the next segment: both are equal then */
        t = 1.0;
        x = polyline_position_offset(position, 0, b.x);
        y = polyline_position_offset(position, 1, b.y);
    } else if (along > 0.0) {
        t = along / square;
        x -= t * east;
        y -= t * south;
    }
    return (struct polyline_nearest){x * x + y * y, t, segment, false};
}

static inline bool polyline_is_nearer(const struct polyline_nearest *a,
                                      const struct polyline_nearest *b)
{
    return a->squared < b->squared || (a->squared == b->squared && a->segment < b->segment);
}

static inline double polyline_box_distance(const struct polyline_box *box,
                                           const struct polyline_position *position)
{
    double squared = 0.0;
    for (int axis = 0; axis < 2; axis++) {
        const double below = -polyline_position_offset(position, axis, box->low[axis]),
                     above = polyline_position_offset(position, axis, box->high[axis]);
        const double beside = below > 0.0 ? below : above > 0.0 ? above : 0.0;
        squared += beside * beside;
    }
    return squared;
}

/* The nearest point within `reach` metres; infinitely far if there is none. A search that ends
 * early, by effort->most, returns the best point so far. */
struct polyline_nearest polyline_search(const struct polyline *line,
                                        const struct polyline_position *position, double reach,
                                        struct polyline_effort *effort);
/* True if the place is in a closed polyline, by a ray. */
bool polyline_is_inside(const struct polyline *line, const struct polyline_position *position,
                        struct polyline_effort *effort);

#endif
