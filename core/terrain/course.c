/* A stream's points may be far apart. Vertices between them are interpolated along straight lines
 * in the network's plane, where streams are drawn, and only then moved to the map: so lines follow
 * the bends that a warp makes. */
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

/* Between two points of a stream; 1 is the second. */
static struct course_vertex between(const struct drainage_point points[2], double share)
{
    const struct drainage_point *a = &points[0], *b = &points[1];
    return (struct course_vertex){
        .place = {a->place.x + (int64_t)floor((double)(b->place.x - a->place.x) * share + 0.5),
                  a->place.y + (int64_t)floor((double)(b->place.y - a->place.y) * share + 0.5)},
        .bed = a->bed + (b->bed - a->bed) * (float)share,
        .flow = a->flow + (b->flow - a->flow) * (float)share,
    };
}

static struct course_vertex vertex_of(const struct drainage_point *point)
{
    return (struct course_vertex){point->place, point->bed, point->flow};
}

bool course_add_stream(struct course *course, const struct drainage_stream *stream, double apart)
{
    for (unsigned i = 0; i < stream->count; i++) {
        const struct drainage_point *to = &stream->points[i];
        const uint32_t pieces =
            i == 0 ? 1 : (uint32_t)ceil(course_distance(to[-1].place, to->place) / apart);
        for (uint32_t piece = 1; piece < pieces; piece++)
            if (!course_add_vertex(course, between(to - 1, (double)piece / (double)pieces)))
                return false;
        if (!course_add_vertex(course, vertex_of(to)))
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
