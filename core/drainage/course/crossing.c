/* See crossing.h. In floats, from differences of places: a stream may still cross another one where
 * both nearly end. */
#include "core/drainage/course/crossing.h"

#include "core/base/lanes.h"

static const float END = 0.9999f; /* of a way: what meets it there is what it leads to */

/* A line from (x, y) on, in metres. */
struct line {
    float x, y, ux, uy;
};

/* Where the way from the origin to (dx, dy) crosses a line: shares of both. False if it does not,
 * or at its ends. */
static bool crosses_line(float dx, float dy, struct line line, float *way, float *along)
{
    /* On which side of the way are the line's ends? */
    const float side = line.x * dy - line.y * dx;
    const float end_side = side + line.ux * dy - line.uy * dx;
    const float area = dx * line.uy - dy * line.ux;
    if (side * end_side > 0.0f || area == 0.0f) /* or parallel */
        return false;
    *way = (line.x * line.uy - line.y * line.ux) / area;
    *along = side / area;
    return *way > 0.0f && *way < END && *along >= 0.0f && *along <= 1.0f;
}

static struct line line_from(struct place origin, const struct segment *segment)
{
    return (struct line){units_to_metres(segment->ends[0].x - origin.x),
                         units_to_metres(segment->ends[0].y - origin.y), segment->ux, segment->uy};
}

/* A rectangle around an origin as one in a list's rows, a little larger, so that nothing is missed
 * by rounding. */
static struct segment_box box_in_list(struct segment_list list, struct place origin,
                                      struct segment_box box)
{
    const float x = units_to_metres(origin.x - list.middle.x);
    const float y = units_to_metres(origin.y - list.middle.y);
    const float room = 1.0f + 1e-3f * (box.east - box.west + box.south - box.north);
    return (struct segment_box){x + box.west - room, x + box.east + room, y + box.north - room,
                                y + box.south + room};
}

struct crossing first_crossing(struct segment_list list, struct place from, struct place to)
{
    const float dx = units_to_metres(to.x - from.x), dy = units_to_metres(to.y - from.y);
    const struct segment_box box =
        box_in_list(list, from,
                    (struct segment_box){min_float(dx, 0.0f), max_float(dx, 0.0f),
                                         min_float(dy, 0.0f), max_float(dy, 0.0f)});
    struct crossing first = {NULL, 0.0f};
    float least = END, way = END, along = 0.0f;
    for (uint32_t run = 0; run < list.count; run += LANES)
        for (uint32_t bits = segments_in_box(list.rows, run, &box); bits != 0; bits &= bits - 1) {
            const struct segment *segment = list.segments[run + (uint32_t)__builtin_ctz(bits)];
            if (crosses_line(dx, dy, line_from(from, segment), &way, &along) && way < least) {
                first = (struct crossing){segment, along};
                least = way;
            }
        }
    return first;
}
