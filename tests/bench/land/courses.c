/* See courses.h. The streams of the nodes in a rectangle are collected first, as a stream that is
 * followed may not be asked for while they are given. */
#include "tests/bench/land/courses.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/terrain/course.h"
#include "tests/bench/measure.h"

enum { DEGREES = 180 };
static const float FLAT = 0.003f, STEEP = 0.03f; /* falls, metres a metre */

/* The streams of a tile, and the map that they are taken to. */
struct collector {
    struct network_request request;
    struct course_map map;
    struct drainage_stream *streams;
    size_t count, capacity;
    struct land_values *values;
};

static void require(bool done, const struct error *error)
{
    if (!done)
        measure_stop("courses", error->message);
}

static void add_value(struct land_values *to, float value)
{
    float *values = array_reserve(to->values, to->count, &to->capacity, sizeof *values);
    if (!values)
        measure_stop("memory", "there is none left");
    to->values = values;
    values[to->count++] = value;
}

void land_courses_free(struct land_values values[COURSES_KINDS])
{
    for (int i = 0; i < COURSES_KINDS; i++)
        free(values[i].values);
}

float land_sinuosity(const struct place *places, size_t count)
{
    double length = 0;
    for (size_t i = 1; i < count; i++)
        length += course_distance(places[i - 1], places[i]);
    const double straight = course_distance(places[0], places[count - 1]);
    return straight > 0 ? (float)(length / straight) : 1;
}

float land_turn(struct place a, struct place b, struct place c)
{
    const double ux = (double)(b.x - a.x), uy = (double)(b.y - a.y);
    const double vx = (double)(c.x - b.x), vy = (double)(c.y - b.y);
    return (float)(fabs(atan2(ux * vy - uy * vx, ux * vx + uy * vy)) * DEGREES / M_PI);
}

/* ---- a stream */

static bool is_at(const struct course_vertex *vertex, const struct drainage_point *point)
{
    return vertex->place.x == point->place.x && vertex->place.y == point->place.y;
}

/* Lines that curve as land does that has samples a quarter of `apart` from each other. */
static struct course_detail detail_of(double apart)
{
    return (struct course_detail){apart, apart / 4.0, {apart / 4.0, 0.0}};
}

/* Appends a stream's line; marks the vertices that are inner joints. */
static void add_line(struct course *course, const struct drainage_stream *stream, double apart,
                     bool *joint, size_t most)
{
    struct error error = {.message = "memory is out"};
    unsigned next = 1;
    require(course_add_stream(course, stream, detail_of(apart)), &error);
    for (size_t i = 0; i < course->count && i < most; i++) {
        joint[i] =
            next + 1 < stream->count && i > 0 && is_at(&course->vertices[i], &stream->points[next]);
        next += joint[i];
    }
}

static void add_winding(struct land_values *values, const struct course *course,
                        const struct place *places)
{
    const struct course_vertex *first = course->vertices, *last = first + course->count - 1;
    const double length = course_distance(first->place, last->place);
    const float fall = (first->bed - last->bed) / (float)fmax(length, 1);
    const float winding = land_sinuosity(places, course->count);
    if (fall < FLAT)
        add_value(&values[COURSES_WIND_FLAT], winding);
    else if (fall > STEEP)
        add_value(&values[COURSES_WIND_STEEP], winding);
}

/* Adds the angle at which a stream joins the one that goes on from its end. */
static void add_meeting(struct collector *to, const struct drainage_stream *stream,
                        struct course_vertex before)
{
    struct drainage_stream next;
    struct course course = {0};
    struct error *error = to->request.error;
    require(network_follow(&to->request, &stream->next, &next), error);
    if (next.count > 1) {
        require(course_add_stream(&course, &next, detail_of(COURSES_STEP * to->map.spacing)) &&
                    course_restore(&course, 0, &to->map, error),
                error);
        add_value(&to->values[COURSES_MEET],
                  land_turn(before.place, course.vertices[0].place, course.vertices[1].place));
    }
    course_free(&course);
}

static void add_stream(struct collector *to, const struct drainage_stream *stream)
{
    enum { VERTICES_MAX = 4096 };
    static bool joint[VERTICES_MAX];
    static struct place places[VERTICES_MAX];
    struct course course = {0};
    add_line(&course, stream, COURSES_STEP * to->map.spacing, joint, VERTICES_MAX);
    const size_t count = course.count;
    if (count > 2 && count <= VERTICES_MAX) {
        require(course_restore(&course, 0, &to->map, to->request.error), to->request.error);
        for (size_t i = 0; i < count; i++)
            places[i] = course.vertices[i].place;
        add_winding(to->values, &course, places);
        for (size_t i = 1; i + 1 < count; i++)
            if (joint[i])
                add_value(&to->values[COURSES_TURN],
                          land_turn(places[i - 1], places[i], places[i + 1]));
        if (stream->end == DRAINAGE_JOINS)
            add_meeting(to, stream, course.vertices[count - 2]);
    }
    course_free(&course);
}

/* ---- a tile */

static bool take_stream(void *context, const struct drainage_stream *stream)
{
    struct collector *to = context;
    struct drainage_stream *streams =
        array_reserve(to->streams, to->count, &to->capacity, sizeof *streams);
    if (!streams)
        measure_stop("memory", "there is none left");
    to->streams = streams;
    streams[to->count++] = *stream;
    return true;
}

/* The cells of a level around the place of the network that a tile's middle is moved to, as many as
 * the tile has. */
static struct network_rect cells_of(const struct collector *to, const struct tile_address *tile,
                                    unsigned level)
{
    const unsigned log2 = network_spacing_log2(to->request.program) - level;
    const unsigned shift = log2 + PLACE_BITS;
    const int64_t half = place_from_metres(land_spacing(tile->zoom) * LAND_TILE / 2);
    const struct place middle = land_tile_middle(tile);
    struct place moved;
    require(network_displace(&to->request, &middle, 1, &moved), to->request.error);
    return (struct network_rect){level,
                                 {(moved.x - half) >> shift, (moved.y - half) >> shift},
                                 {(moved.x + half) >> shift, (moved.y + half) >> shift}};
}

void land_courses_add(struct land_world *land, const struct tile_address *tile,
                      struct land_values values[COURSES_KINDS])
{
    const struct world *world = (const struct world *)land->world;
    struct error error = {0};
    if (!world_has_drainage(world))
        return;
    struct collector to = {
        .request = {land->courses, world_program(world), 0.0, &error},
        .map = {land->courses, world, land_spacing(tile->zoom)},
        .values = values,
    };
    const unsigned spacing_log2 = network_spacing_log2(to.request.program);
    const unsigned most = spacing_log2 - DRAINAGE_FINEST_LOG2;
    const int cells_log2 = (int)log2(COURSES_CELL * to.map.spacing);
    const int finest = (int)spacing_log2 - cells_log2;
    for (int level = finest; level > finest - COURSES_LEVELS; level--) {
        if (level < 0 || level > (int)most)
            continue;
        const struct network_rect rect = cells_of(&to, tile, (unsigned)level);
        require(network_streams(&to.request, &rect, take_stream, &to), &error);
    }
    for (size_t i = 0; i < to.count; i++)
        add_stream(&to, &to.streams[i]);
    free(to.streams);
}
