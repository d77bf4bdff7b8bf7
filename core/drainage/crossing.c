/* See crossing.h. In floats, from differences of places: a stream may still cross another one where
 * both nearly end. */
#include "core/drainage/crossing.h"

static const float END = 0.999f; /* of a way: what meets it there is what it leads to */

struct crossing first_crossing(struct segment_list list, struct place from, struct place to)
{
    const float dx = units_to_metres(to.x - from.x), dy = units_to_metres(to.y - from.y);
    struct crossing first = {NULL, 0.0f};
    float least = END;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct segment *segment = list.segments[i];
        const float x = units_to_metres(segment->ends[0].x - from.x);
        const float y = units_to_metres(segment->ends[0].y - from.y);
        /* On which side of the way are the segment's ends? */
        const float side = x * dy - y * dx, end_side = side + segment->ux * dy - segment->uy * dx;
        if (side * end_side > 0.0f)
            continue;
        const float area = dx * segment->uy - dy * segment->ux;
        if (area == 0.0f)
            continue; /* parallel */
        const float way = (x * segment->uy - y * segment->ux) / area;
        const float along = side / area;
        if (way <= 0.0f || way >= least || along < 0.0f || along > 1.0f)
            continue;
        first = (struct crossing){segment, along};
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
        course->west = x < course->west ? x : course->west;
        course->east = x > course->east ? x : course->east;
        course->north = y < course->north ? y : course->north;
        course->south = y > course->south ? y : course->south;
    }
}

/* A segment, in metres from a node. */
struct line {
    float x, y, ux, uy;
};

/* Finds the segments whose rectangles meet that of a course: at most LINES_MAX, of the larger
 * streams first. A course that bends less stays in the rectangle. */
enum { LINES_MAX = 128 };
static unsigned lines_near(const struct course *course, struct place node, struct segment_list list,
                           struct line *lines)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < list.count && count < LINES_MAX; i++) {
        const struct segment *segment = list.segments[i];
        const float x = units_to_metres(segment->ends[0].x - node.x);
        const float y = units_to_metres(segment->ends[0].y - node.y);
        const float end_x = x + segment->ux, end_y = y + segment->uy;
        if ((x < course->west && end_x < course->west) ||
            (x > course->east && end_x > course->east) ||
            (y < course->north && end_y < course->north) ||
            (y > course->south && end_y > course->south))
            continue;
        lines[count++] = (struct line){x, y, segment->ux, segment->uy};
    }
    return count;
}

/* True if the way from a joint to the next one crosses a line. */
static bool crosses_line(const struct course *course, unsigned joint, const struct line *line)
{
    const float dx = course->x[joint + 1] - course->x[joint];
    const float dy = course->y[joint + 1] - course->y[joint];
    const float x = line->x - course->x[joint], y = line->y - course->y[joint];
    const float area = dx * line->uy - dy * line->ux;
    if (area == 0.0f)
        return false; /* parallel */
    const float way = (x * line->uy - y * line->ux) / area;
    const float along = (x * dy - y * dx) / area;
    return way > 0.0f && way < END && along >= 0.0f && along <= 1.0f;
}

static bool crosses(const struct course *course, const struct line *lines, unsigned count)
{
    for (unsigned joint = 0; joint < course->n; joint++)
        for (unsigned i = 0; i < count; i++)
            if (crosses_line(course, joint, &lines[i]))
                return true;
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
