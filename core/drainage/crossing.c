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

struct crossing first_crossing(struct segment_list list, struct place from, struct place to)
{
    const float dx = units_to_metres(to.x - from.x), dy = units_to_metres(to.y - from.y);
    struct crossing first = {NULL, 0.0f};
    float least = END, way, along;
    for (uint32_t i = 0; i < list.count; i++)
        if (crosses_line(dx, dy, line_from(from, list.segments[i]), &way, &along) && way < least) {
            first = (struct crossing){list.segments[i], along};
            least = way;
        }
    return first;
}

/* A course: its joints, and the rectangle around them, in metres from the node. */
struct course {
    float x[SEGMENTS_MAX + 1], y[SEGMENTS_MAX + 1];
    float west, east, north, south;
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
        course->west = min_float(course->west, x);
        course->east = max_float(course->east, x);
        course->north = min_float(course->north, y);
        course->south = max_float(course->south, y);
    }
}

/* Finds the segments whose rectangles meet that of a course: at most LINES_MAX, of the larger
 * streams first. A course that bends less stays in the rectangle. */
enum { LINES_MAX = 128 };
static unsigned lines_near(const struct course *course, struct place node, struct segment_list list,
                           struct line *lines)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < list.count && count < LINES_MAX; i++) {
        const struct line line = line_from(node, list.segments[i]);
        const float end_x = line.x + line.ux, end_y = line.y + line.uy;
        if (max_float(line.x, end_x) >= course->west && min_float(line.x, end_x) <= course->east &&
            max_float(line.y, end_y) >= course->north && min_float(line.y, end_y) <= course->south)
            lines[count++] = line;
    }
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
