/* See crossing.h. In floats, from differences of places: a stream may still cross another one where
 * both nearly end. */
#include "core/drainage/crossing.h"

#include "core/base/lanes.h"

static const float END = 0.999f; /* of a way: what meets it there is what it leads to */

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
    float least = END, way, along;
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

/* A course: its joints, and the rectangle around them, in metres from the node. */
struct course {
    float x[SEGMENTS_MAX + 1], y[SEGMENTS_MAX + 1];
    struct segment_box box;
    unsigned n; /* segments */
};

static void draw_course(const struct stream_draft *draft, unsigned n, struct course *course)
{
    *course = (struct course){.n = n};
    for (unsigned i = 1; i <= n; i++) {
        const struct place joint = i < n ? joint_place(draft, i, n) : draft->ends[1];
        const float x = units_to_metres(joint.x - draft->ends[0].x);
        const float y = units_to_metres(joint.y - draft->ends[0].y);
        course->x[i] = x;
        course->y[i] = y;
        course->box.west = min_float(course->box.west, x);
        course->box.east = max_float(course->box.east, x);
        course->box.north = min_float(course->box.north, y);
        course->box.south = max_float(course->box.south, y);
    }
}

/* Finds the segments whose rectangles meet that of a course: at most LINES_MAX, of the larger
 * streams first. A course that bends less stays in the rectangle. */
enum { LINES_MAX = 128 };
static unsigned lines_near(const struct course *course, struct place node, struct segment_list list,
                           struct line *lines)
{
    const struct segment_box box = box_in_list(list, node, course->box);
    unsigned count = 0;
    for (uint32_t run = 0; run < list.count; run += LANES)
        for (uint32_t bits = segments_in_box(list.rows, run, &box); bits != 0 && count < LINES_MAX;
             bits &= bits - 1)
            lines[count++] = line_from(node, list.segments[run + (uint32_t)__builtin_ctz(bits)]);
    return count;
}

static bool crosses(const struct course *course, const struct line *lines, unsigned count)
{
    float way, along;
    for (unsigned joint = 0; joint < course->n; joint++) {
        const float x = course->x[joint], y = course->y[joint];
        const float dx = course->x[joint + 1] - x, dy = course->y[joint + 1] - y;
        for (unsigned i = 0; i < count; i++) {
            const struct line line = {lines[i].x - x, lines[i].y - y, lines[i].ux, lines[i].uy};
            if (crosses_line(dx, dy, line, &way, &along))
                return true;
        }
    }
    return false;
}

void bend_between(struct stream_draft *draft, unsigned n, struct segment_list list)
{
    static const float bends[] = {1.0f, 0.5f, 0.2f};
    struct line lines[LINES_MAX];
    struct course course;
    if (n == 1)
        return; /* straight */
    draw_course(draft, n, &course);
    const unsigned count = lines_near(&course, draft->ends[0], list, lines);
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        draft->bend = bends[i];
        if (i > 0)
            draw_course(draft, n, &course);
        if (!crosses(&course, lines, count))
            return;
    }
    draft->bend = 0.0f;
}
