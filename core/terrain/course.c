/* A stream's points are far apart. Between them its course curves in the network's plane, and is
 * laid out there as exactly as is asked for; where vertices of it are still far apart, others are
 * interpolated. Only then they are moved to the map: so lines follow the bends that a warp makes.
 */
#include "core/terrain/course.h"

#include <math.h>

#include "core/base/array.h"

enum { BATCH = 256 }; /* places at once, on the stack */

void course_free(struct course *course)
{
    free(course->vertices);
    *course = (struct course){0};
}

double course_distance(struct place a, struct place b)
{
    const double east = place_metres(b.x - a.x), south = place_metres(b.y - a.y);
    return sqrt(east * east + south * south);
}

bool course_add_vertex(struct course *course, struct course_vertex vertex)
{
    struct course_vertex *vertices =
        array_reserve(course->vertices, course->count, &course->capacity, sizeof *vertices);
    if (!vertices)
        return false;
    course->vertices = vertices;
    vertices[course->count++] = vertex;
    return true;
}

struct course_vertex course_between(const struct course_vertex vertices[2], double share)
{
    const struct course_vertex *a = &vertices[0], *b = &vertices[1];
    return (struct course_vertex){
        .place = {a->place.x + (int64_t)floor((double)(b->place.x - a->place.x) * share + 0.5),
                  a->place.y + (int64_t)floor((double)(b->place.y - a->place.y) * share + 0.5)},
        .bed = a->bed + (b->bed - a->bed) * (float)share,
        .flow = a->flow + (b->flow - a->flow) * (float)share,
        .at = a->at + (b->at - a->at) * (float)share,
    };
}

static struct course_vertex vertex_of(const struct drainage_stream *stream, unsigned i)
{
    const struct drainage_point *point = &stream->points[i];
    return (struct course_vertex){point->place, point->bed, point->flow, (float)i};
}

/* A line that is being added, from one point of a stream to the next. */
struct course_pen {
    struct course *course;
    double apart, near;
    struct course_vertex ends[2];
};

/* Adds a vertex, and, where it is far from the last one, others on the way there. */
static bool draw_to(const struct course_pen *pen, struct course_vertex to)
{
    struct course *course = pen->course;
    const struct course_vertex ends[2] = {course->vertices[course->count - 1], to};
    const uint32_t pieces = (uint32_t)ceil(course_distance(ends[0].place, to.place) / pen->apart);
    for (uint32_t piece = 1; piece < pieces; piece++)
        if (!course_add_vertex(course, course_between(ends, (double)piece / (double)pieces)))
            return false;
    return course_add_vertex(course, to);
}

/* Takes a vertex between the ends, but one that is near to the last one. */
static bool take_vertex(void *context, struct place place, float share)
{
    const struct course_pen *pen = context;
    const struct course_vertex *last = &pen->course->vertices[pen->course->count - 1];
    struct course_vertex to = course_between(pen->ends, (double)share);
    to.place = place;
    return course_distance(last->place, place) < pen->near || draw_to(pen, to);
}

bool course_add_stream(struct course *course, const struct drainage_stream *stream,
                       struct course_detail detail)
{
    struct course_pen pen = {
        course, detail.apart, detail.near, {vertex_of(stream, 0), vertex_of(stream, 0)}};
    if (!course_add_vertex(course, pen.ends[0]))
        return false;
    for (unsigned i = 1; i < stream->count; i++) {
        pen.ends[0] = pen.ends[1];
        pen.ends[1] = vertex_of(stream, i);
        if (!drainage_curve_vertices(&stream->points[i - 1].curve, detail.curve,
                                     &(struct vertex_taker){take_vertex, &pen}))
            return false;
        const struct course_vertex *last = &course->vertices[course->count - 1];
        if (i + 1 < stream->count && course_distance(last->place, pen.ends[1].place) < detail.near)
            continue;
        if (!draw_to(&pen, pen.ends[1]))
            return false;
    }
    return true;
}

bool course_restore(struct course *course, size_t first, const struct course_map *map,
                    struct error *error)
{
    struct place moved[BATCH], places[BATCH];
    for (size_t some; first < course->count; first += some) {
        struct course_vertex *vertices = course->vertices + first;
        some = course->count - first < BATCH ? course->count - first : BATCH;
        for (size_t i = 0; i < some; i++)
            moved[i] = vertices[i].place;
        if (!network_restore(&(struct network_request){map->sampler, world_program(map->world),
                                                       map->spacing, error},
                             moved, some, places))
            return false;
        for (size_t i = 0; i < some; i++)
            vertices[i].place = places[i];
    }
    return true;
}
