/* First the streams are followed in the network's plane, then vertices are put on their lines, as
 * far apart as the length of the whole allows, and moved to the map. */
#include "core/terrain/trace.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/extremes.h"
#include "core/base/lanes.h"
#include "core/terrain/shore.h"

enum {
    CHECK_APART = 64,     /* metres between the places of a stream that are checked, and their
                             level of detail, */
    CHECK_FINE = 16,      /* and of a stream that is too fine to be seen there, in full detail */
    CHECK_BATCH = 256,    /* so many at once */
    CHECK_PLACES = 16384, /* after so many of a way they are twice as far apart, and again */
};
static const float LOWER =
    0.05f; /* metres: streams that are lower by less are not passed over to */

/* Flows that differ by a smaller share of them, and places nearer to a line, in metres, differ by
 * rounding errors. */
static const float SAME_FLOW = 1e-6f, ON_LINE = 0.01f;

/* A lower bed near a stream that does not own its land is looked at again where one is so many
 * times lower, and less so with each vertex. */
static const float KNOWN_TIMES = 3.0f, KNOWN_LEFT = 0.97f;
/* How near vertices are at the least, in the distance that is asked for. */
static const double NEAR_SHARE = 0.4, CHECK_NEAR = 0.25;
/* Where they are farther apart than usual, parts of a course that are not longer than this share of
 * it have none within. */
static const double LEAST_SHARE = 0.1;

/* The streams that were followed; the first is that of the land. */
struct walk {
    struct sampler *sampler;
    const struct world *world;
    struct course checked;
    struct drainage_stream *streams;
    unsigned count;
    double length; /* metres in the network's plane, of lines that were checked */
};

void trace_free(struct trace *trace)
{
    course_free(&trace->line);
}

/* Cuts the way where it reaches the level of the lake that it ends in: streams have a point there.
 */
static void cut_at_lake(struct walk *walk, float level)
{
    for (unsigned i = 0; i < walk->count; i++)
        for (unsigned k = 0; k < walk->streams[i].count; k++)
            if (walk->streams[i].points[k].bed <= level) {
                walk->streams[i].count = k + 1;
                walk->count = i + 1;
            }
}

static bool same_node(const struct drainage_node *a, const struct drainage_node *b)
{
    return a->level == b->level && a->x == b->x && a->y == b->y;
}

/* A stream whose line is checked. */
struct check {
    struct drainage_stream *stream;
    double spacing;
    float known; /* so much lower beds are near, but not of land at the stream: as of a part of the
                    stream itself further down, where a bend brings it near */
    bool joined; /* a lower one owns the land at a vertex: the stream was cut there */
};

/* The stream that owns the land at a vertex of another one, if it is a lower one: then the other
 * one ends there, and joins it. */
static bool join_owner(struct walk *walk, const struct course_vertex *at, struct check *check,
                       struct error *error)
{
    const struct drainage_stream *stream = check->stream;
    struct drainage_position owner;
    if (!network_find(
            &(struct network_request){walk->sampler, world_program(walk->world), 0.0, error},
            at->place, &owner))
        return false;
    const bool own = same_node(&owner.node, &stream->node);
    check->joined = !own && owner.bed < at->bed - LOWER;
    if (check->joined) {
        check->stream->next = owner;
        check->stream->end = DRAINAGE_JOINS;
    }
    return true;
}

/* Ends a stream at a vertex of its line. */
static void cut_at(struct drainage_stream *stream, const struct course_vertex *vertex)
{
    const unsigned before = vertex->at > 1.0f ? (unsigned)ceilf(vertex->at) - 1 : 0;
    float *shares = stream->points[before].curve.shares;
    shares[1] = shares[0] + (shares[1] - shares[0]) * (vertex->at - (float)before);
    stream->points[before + 1] =
        (struct drainage_point){.place = vertex->place, .bed = vertex->bed, .flow = vertex->flow};
    stream->count = before + 2;
}

/* What samples at vertices of a line have of the streams whose land these are on. */
struct check_samples {
    float beds[CHECK_BATCH], flows[CHECK_BATCH], orders[CHECK_BATCH], distances[CHECK_BATCH];
};

static bool sample_vertices(const struct walk *walk, double spacing,
                            const struct course_vertex *vertices, size_t count,
                            struct check_samples *samples, struct error *error)
{
    struct place places[CHECK_BATCH] = {vertices->place};
    for (size_t i = 1; i < count; i++)
        places[i] = vertices[i].place;
    return network_beds(
        &(struct network_request){walk->sampler, world_program(walk->world), spacing, error},
        places, count,
        &(struct network_beds){samples->beds, samples->flows, samples->orders, samples->distances});
}

/* True if the land at a vertex is that of its own stream further down, where a bend brings it near:
 * where its bed is as low as that of sample i, it has the sample's flow and lies as far away. No
 * other stream of its order has all three. Samples of flat streams have the distance of parts that
 * come just before: 0 if these go through the vertex. */
static bool is_further_down(const struct walk *walk, const struct check *check, size_t vertex,
                            const struct check_samples *samples, size_t i)
{
    const struct course_vertex *vertices = walk->checked.vertices;
    const float bed = samples->beds[i];
    size_t above = vertex, below = walk->checked.count - 1;
    if (samples->orders[i] != (float)check->stream->order || vertices[below].bed > bed)
        return false;
    while (below - above > 1) {
        const size_t middle = above + (below - above) / 2;
        if (vertices[middle].bed > bed)
            above = middle;
        else
            below = middle;
    }
    const double fall = (double)vertices[above].bed - (double)vertices[below].bed;
    const double share = ((double)vertices[above].bed - (double)bed) / fall;
    const struct course_vertex point = course_between(&vertices[above], share);
    const double away = course_distance(vertices[vertex].place, point.place);
    const float room = vertices[below].flow - vertices[above].flow + SAME_FLOW * point.flow;
    return fabsf(samples->flows[i] - point.flow) <= room &&
           (samples->distances[i] < ON_LINE ||
            fabs(away - (double)samples->distances[i]) <= double_max(check->spacing, CHECK_FINE));
}

/* Checks some vertices of the stream's line, at least one. */
static bool check_vertices(struct walk *walk, struct check *check, size_t first, size_t count,
                           struct error *error)
{
    const struct course_vertex *vertices = walk->checked.vertices + first;
    struct check_samples samples;
    if (!sample_vertices(walk, check->spacing, vertices, count, &samples, error))
        return false;
    for (size_t i = 0; i < count && !check->joined; i++) {
        const float lower = vertices[i].bed - samples.beds[i];
        check->known *= KNOWN_LEFT;
        if (lower <= max_float(check->known, LOWER))
            continue;
        check->known = KNOWN_TIMES * lower;
        if (is_further_down(walk, check, first + i, &samples, i))
            continue;
        if (!join_owner(walk, &vertices[i], check, error))
            return false;
        if (check->joined) {
            cut_at(check->stream, &vertices[i]);
            walk->checked.count = first + i + 1;
        }
    }
    return true;
}

/* Metres between the places that are checked, after those of the way so far: the work of a long way
 * grows by as much whenever its length doubles. */
static double check_apart(const struct walk *walk)
{
    double apart = CHECK_APART;
    while (walk->length > apart * CHECK_PLACES)
        apart *= 2.0;
    return apart;
}

/* How exactly the land of a spacing has the course of a stream, metres. */
static double exactness(const struct walk *walk, const struct drainage_stream *stream,
                        double spacing)
{
    return drainage_exactness(network_spacing_log2(world_program(walk->world)), spacing,
                              stream->node.level);
}

/* Cuts a stream where a lower one owns the land that it flows over: where they cross, or it flows
 * beside a deeper valley. Adds its length. */
static bool pass_over(struct walk *walk, struct drainage_stream *stream, struct error *error)
{
    struct course *checked = &walk->checked;
    const double apart = check_apart(walk);
    const unsigned seen = drainage_level(network_spacing_log2(world_program(walk->world)), apart);
    const bool fine = stream->node.level > seen;
    struct check check = {.stream = stream, .spacing = fine ? 0.0 : apart};
    checked->count = 0;
    const double most = fine ? CHECK_FINE : apart;
    const struct course_detail detail = {
        most, CHECK_NEAR * most, {exactness(walk, stream, check.spacing), 0.0}};
    if (!course_add_stream(checked, stream, detail))
        return error_memory(error);
    for (size_t first = 0, some; first < checked->count && !check.joined; first += some) {
        some = checked->count - first < CHECK_BATCH ? checked->count - first : CHECK_BATCH;
        if (!check_vertices(walk, &check, first, some, error))
            return false;
    }
    for (size_t i = 1; i < checked->count; i++)
        walk->length += course_distance(checked->vertices[i - 1].place, checked->vertices[i].place);
    return true;
}

/* Follows streams from a position in the network's plane on. */
static bool walk_down(struct walk *walk, struct drainage_position position, struct trace *trace,
                      struct error *error)
{
    while (walk->count < TRACE_STREAMS_MAX && walk->length < TRACE_LENGTH_MAX) {
        struct drainage_stream *stream = &walk->streams[walk->count];
        if (!network_follow(
                &(struct network_request){walk->sampler, world_program(walk->world), 0.0, error},
                &position, stream))
            return false;
        if (!pass_over(walk, stream, error))
            return false;
        walk->count++;
        position = stream->next;
        trace->complete = stream->end != DRAINAGE_JOINS;
        if (!trace->complete)
            continue;
        trace->end = TRACE_SEA;
        if (stream->end == DRAINAGE_SINKS && stream->lake > 0.0f) {
            trace->end = TRACE_LAKE;
            trace->water = stream->lake;
            cut_at_lake(walk, stream->lake);
        }
        return true;
    }
    return true;
}

/* Puts vertices on the lines, but on none twice in a row. */
static bool add_lines(const struct walk *walk, struct trace *trace)
{
    const double apart =
        trace->coarse ? 0x1p40 : double_max(TRACE_APART, walk->length / TRACE_PIECES_MAX);
    const double least = apart > TRACE_APART ? LEAST_SHARE * apart : 0.0;
    for (unsigned i = 0; i < walk->count; i++) {
        const struct drainage_stream *stream = &walk->streams[i];
        const size_t first = trace->line.count;
        if (i > 0) /* it begins where the one before ends */
            trace->line.count--;
        const double exact = trace->coarse ? apart : exactness(walk, stream, 0.0);
        if (!course_add_stream(&trace->line, stream,
                               (struct course_detail){apart, NEAR_SHARE * apart, {exact, least}}))
            return false;
        trace->streams[trace->stream_count++] =
            (struct trace_stream){stream->id, stream->order, i > 0 ? first - 1 : first};
    }
    return true;
}

static void measure(struct trace *trace)
{
    struct course_vertex *vertices = trace->line.vertices;
    for (size_t i = 1; i < trace->line.count; i++) {
        vertices[i].bed =
            vertices[i].bed < vertices[i - 1].bed ? vertices[i].bed : vertices[i - 1].bed;
        trace->length += course_distance(vertices[i - 1].place, vertices[i].place);
    }
}

/* The ground of the network at the place. */
static bool sample_ground(struct sampler *sampler, const struct world *world, struct place place,
                          float *ground, struct error *error)
{
    const unsigned layer = world_drainage_layer(world, DRAINAGE_HEIGHT);
    const struct sample_points points = {&place, 1, 0.0, 0, 0};
    const struct sample_request request = {&layer, &ground, 1};
    return sampler_points(sampler, world_program(world), &points, &request, error);
}

/* Ends the line where it meets the shore, if it does. */
static bool end_at_shore(struct trace *trace, const struct course_map *map, struct error *error)
{
    struct course *line = &trace->line;
    size_t sea = 1;
    if (!shore_exists(map->world))
        return true;
    float *values = malloc(line->count * sizeof *values);
    const bool done = values ? shore_sample(line, 0, map, values, error) : error_memory(error);
    while (done && sea < line->count && values[sea] > 0.0f)
        sea++;
    if (done && sea < line->count) {
        line->vertices[sea] = shore_between(line->vertices + sea - 1, values + sea - 1);
        line->count = sea + 1;
        while (trace->streams[trace->stream_count - 1].first >= sea && trace->stream_count > 1)
            trace->stream_count--;
        trace->end = TRACE_SEA;
        trace->water = 0.0f;
        trace->complete = true;
    }
    free(values);
    return done;
}

/* Follows the streams; a place below the level of the lake that they end in, where its own stream
 * is, too, lies in it. */
static bool follow_from(struct walk *walk, struct trace *trace, struct error *error)
{
    struct sampler *sampler = walk->sampler;
    const struct world *world = walk->world;
    struct drainage_position position;
    struct place moved;
    const struct network_request request = {sampler, world_program(world), 0.0, error};
    if (!network_displace(&request, &trace->place, 1, &moved) ||
        !network_find(&request, moved, &position) || !walk_down(walk, position, trace, error))
        return false;
    if (trace->end == TRACE_LAKE && position.bed <= trace->water &&
        trace->line.vertices[0].bed <= trace->water)
        return true;
    trace->line.vertices[0].bed = max_float(trace->line.vertices[0].bed, position.bed);
    if (!add_lines(walk, trace))
        return error_memory(error);
    const struct course_map map = {sampler, world, 0.0};
    if (!course_restore(&trace->line, 1, &map, error) || !end_at_shore(trace, &map, error))
        return false;
    measure(trace);
    return true;
}

bool trace_follow(struct sampler *sampler, const struct world *world, struct trace *trace,
                  struct error *error)
{
    struct walk walk = {.sampler = sampler, .world = world};
    float ground, coast = 1.0f;
    trace->line.count = 0;
    trace->stream_count = 0;
    trace->end = TRACE_NOWHERE;
    trace->water = 0.0f;
    trace->length = 0.0;
    trace->complete = true;
    if (!world_has_drainage(world))
        return true;
    if (!sample_ground(sampler, world, trace->place, &ground, error))
        return false;
    if (!course_add_vertex(&trace->line, (struct course_vertex){trace->place, ground, 0.0f, 0.0f}))
        return error_memory(error);
    const struct course_map map = {sampler, world, 0.0};
    if (shore_exists(world) && !shore_sample(&trace->line, 0, &map, &coast, error))
        return false;
    trace->end = ground <= 0.0f || coast <= 0.0f ? TRACE_SEA : TRACE_NOWHERE;
    if (trace->end == TRACE_SEA)
        return true;
    walk.streams = malloc(TRACE_STREAMS_MAX * sizeof *walk.streams);
    const bool done = walk.streams ? follow_from(&walk, trace, error) : error_memory(error);
    free(walk.streams);
    course_free(&walk.checked);
    return done;
}
