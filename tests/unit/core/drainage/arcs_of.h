/* Courses as lines of chords, for tests: halved here, one by one, and never read from lists. */
#ifndef TERRANE_TESTS_DRAINAGE_ARCS_OF_H
#define TERRANE_TESTS_DRAINAGE_ARCS_OF_H

#include <stdbool.h>

#include "core/drainage/network/arc.h"

/* The squared distance of a place from the chord of an arc, and where on its segment that is. */
static inline float chord_distance(const struct arc *arc, struct place place, float *share)
{
    struct segment chord;
    float along;
    segment_place(&chord, arc->ends);
    const float squared = segment_distance(&chord, place, &along);
    *share = arc_share(arc, along);
    return squared;
}

/* True if no part of an arc is at most `limit` metres away from a place. */
static inline bool arc_is_far(const struct arc *arc, struct place place, float limit)
{
    float share;
    const float most = limit + arc->reach;
    return chord_distance(arc, place, &share) > most * most;
}

/* The rectangle in which an arc stays, by axis. */
struct arc_box {
    int64_t low[2], high[2];
};
static inline struct arc_box box_of_arc(const struct arc *arc)
{
    const struct place a = arc->ends[0], b = arc->ends[1];
    const int64_t reach = metres_to_units(arc->reach) + 1;
    return (struct arc_box){{(a.x < b.x ? a.x : b.x) - reach, (a.y < b.y ? a.y : b.y) - reach},
                            {(a.x > b.x ? a.x : b.x) + reach, (a.y > b.y ? a.y : b.y) + reach}};
}

static inline struct arc_box boxes_joined(struct arc_box a, struct arc_box b)
{
    for (int axis = 0; axis < 2; axis++) {
        a.low[axis] = b.low[axis] < a.low[axis] ? b.low[axis] : a.low[axis];
        a.high[axis] = b.high[axis] > a.high[axis] ? b.high[axis] : a.high[axis];
    }
    return a;
}
static inline bool boxes_meet(struct arc_box a, struct arc_box b)
{
    return a.low[0] <= b.high[0] && b.low[0] <= a.high[0] && a.low[1] <= b.high[1] &&
           b.low[1] <= a.high[1];
}

/* Which side of the chord of an arc a place is on. */
static inline int side_of_chord(const struct arc *arc, struct place place)
{
    const struct place a = arc->ends[0], b = arc->ends[1];
    const double area = (double)(b.x - a.x) * (double)(place.y - a.y) -
                        (double)(b.y - a.y) * (double)(place.x - a.x);
    return (area > 0.0) - (area < 0.0);
}

/* True if two courses cross, as lines that are as exact as the tolerance, in metres. */
static inline bool arcs_cross(const struct arc *a, const struct arc *b, float tolerance)
{
    if (!boxes_meet(box_of_arc(a), box_of_arc(b)))
        return false;
    const bool bends[2] = {arc_bends(a, tolerance), arc_bends(b, tolerance)};
    if (!bends[0] && !bends[1])
        return side_of_chord(a, b->ends[0]) * side_of_chord(a, b->ends[1]) < 0 &&
               side_of_chord(b, a->ends[0]) * side_of_chord(b, a->ends[1]) < 0;
    const bool first = bends[0] && (!bends[1] || a->length > b->length);
    struct arc halves[2];
    arc_halve(first ? a : b, halves);
    return arcs_cross(&halves[0], first ? b : a, tolerance) ||
           arcs_cross(&halves[1], first ? b : a, tolerance);
}

#endif
