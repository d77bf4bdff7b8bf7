/* /trace: the way of the water from a place to the sea or to a lake.
 *
 * The line follows the streams of the world's drainage network (core/terrain/trace.h). Its first
 * height is that of the ground at the place, the others are those of the streams' beds, so they
 * never rise. In a world without a network there is no way: the line is empty and `end` null.
 *
 * JSON: length and fall in metres; where it ends, at which place and level; the streams, each from
 * a distance on; then, of each vertex, the distance from the place along the line, the height, the
 * flow in square metres of land upstream, and the place. Text: a line of columns for each vertex.
 * GeoJSON: a line, with the same facts; longitudes go on beyond 180 degrees. SVG: the heights as a
 * profile. */
#include <stdlib.h>

#include "core/terrain/trace.h"
#include "server/queries/list_output.h"
#include "server/queries/profile_svg.h"
#include "server/render/price.h"

static const struct course_vertex *vertices_of(const struct trace *trace)
{
    return trace->line.vertices;
}

static double fall_of(const struct trace *trace)
{
    const struct course_vertex *vertices = vertices_of(trace);
    return trace->line.count > 0
               ? (double)vertices[0].bed - (double)vertices[trace->line.count - 1].bed
               : 0.0;
}

/* The distances of vertices from the first; null when memory is out. */
static double *distances_of(const struct trace *trace)
{
    const struct course_vertex *vertices = vertices_of(trace);
    double *distances = malloc((trace->line.count + 1) * sizeof *distances), distance = 0.0;
    for (size_t i = 0; distances && i < trace->line.count; i++) {
        distance += i > 0 ? course_distance(vertices[i - 1].place, vertices[i].place) : 0.0;
        distances[i] = distance;
    }
    return distances;
}

static void write_streams(struct json_writer *json, const struct trace *trace,
                          const double *distances)
{
    json_member_array(json, "streams");
    for (unsigned i = 0; i < trace->stream_count; i++) {
        const struct trace_stream *stream = &trace->streams[i];
        json_object_open(json);
        query_output_id(json, "id", stream->id);
        json_member_integer(json, "order", stream->order);
        json_member_double(json, "distance", distances[stream->first]);
        json_object_close(json);
    }
    json_array_close(json);
}

/* Writes the members that JSON and GeoJSON both have. */
static void write_facts(struct json_writer *json, const struct trace *trace,
                        const double *distances)
{
    json_member_double(json, "length", trace->length);
    json_member_double(json, "fall", fall_of(trace));
    json_member_bool(json, "complete", trace->complete);
    query_output_trace_end(json, trace);
    write_streams(json, trace, distances);
}

static void write_vertices(struct json_writer *json, const struct trace *trace,
                           const double *distances)
{
    const struct course_vertex *vertices = vertices_of(trace);
    const size_t count = trace->line.count;
    json_member_array(json, "distances");
    for (size_t i = 0; i < count; i++)
        json_write_double(json, distances[i]);
    json_array_close(json);
    json_member_array(json, "heights");
    for (size_t i = 0; i < count; i++)
        json_write_float(json, vertices[i].bed);
    json_array_close(json);
    json_member_array(json, "flows");
    for (size_t i = 0; i < count; i++)
        json_write_float(json, vertices[i].flow);
    json_array_close(json);
    json_member_array(json, "places");
    for (size_t i = 0; i < count; i++) {
        json_array_open(json);
        json_write_place(json, vertices[i].place.x);
        json_write_place(json, vertices[i].place.y);
        json_array_close(json);
    }
    json_array_close(json);
}

static void write_json(const struct query_run *run, const struct trace *trace,
                       const double *distances, struct buffer *out)
{
    struct json_writer json;
    query_output_open(&json, run, out);
    query_output_place(&json, run->values.place);
    write_facts(&json, trace, distances);
    write_vertices(&json, trace, distances);
    json_finish_object(&json);
}

/* A line needs two positions (RFC 7946); with fewer, the feature has no geometry. */
static void write_geojson(const struct query_run *run, const struct trace *trace,
                          const double *distances, struct buffer *out)
{
    struct json_writer json;
    query_output_open_features(&json, run, out);
    json_object_open(&json);
    json_member_string(&json, "type", "Feature");
    query_output_line_string(&json, vertices_of(trace), trace->line.count);
    json_member_object(&json, "properties");
    query_output_place(&json, run->values.place);
    write_facts(&json, trace, distances);
    json_object_close(&json);
    json_object_close(&json);
    query_output_close_features(&json);
}

static void write_text(const struct trace *trace, const double *distances, struct buffer *out)
{
    buffer_text(out, "distance\theight\tflow\tx\ty\n");
    for (size_t i = 0; i < trace->line.count; i++) {
        const struct course_vertex *vertex = &vertices_of(trace)[i];
        query_output_double(out, distances[i], '\t');
        query_output_float(out, vertex->bed, '\t');
        query_output_float(out, vertex->flow, '\t');
        query_output_coordinate(out, vertex->place.x, '\t');
        query_output_coordinate(out, vertex->place.y, '\n');
    }
}

/* Heights never rise, so the first is the highest. An empty line is drawn as the place at 0 m. */
static bool write_svg(const struct trace *trace, const double *distances, struct buffer *out)
{
    const uint32_t count = trace->line.count > 0 ? (uint32_t)trace->line.count : 1;
    struct profile profile = {.points = calloc(count, sizeof *profile.points),
                              .count = count,
                              .length = trace->length,
                              .lowest = count - 1};
    for (size_t i = 0; profile.points && i < trace->line.count; i++)
        profile.points[i] = (struct profile_point){.place = vertices_of(trace)[i].place,
                                                   .distance = distances[i],
                                                   .height = vertices_of(trace)[i].bed};
    if (profile.points)
        profile_write_svg(&profile, out);
    free(profile.points);
    return profile.points != NULL;
}

static bool write_trace(const struct query_run *run, const struct trace *trace, struct buffer *out,
                        struct error *error)
{
    double *distances = distances_of(trace);
    bool done = distances != NULL;
    if (done && run->form == QUERY_SVG)
        done = write_svg(trace, distances, out);
    else if (done && run->form == QUERY_GEOJSON)
        write_geojson(run, trace, distances, out);
    else if (done && run->form == QUERY_TEXT)
        write_text(trace, distances, out);
    else if (done)
        write_json(run, trace, distances, out);
    free(distances);
    return done || error_memory(error);
}

static uint64_t trace_price(const struct query_run *run)
{
    const struct world *world = run->world->world;
    return world_has_drainage(world)
               ? price_trace(world) + (uint64_t)(TRACE_PIECES_MAX * 5 * PRICE_TEXT)
               : 0;
}

static bool trace_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                           struct error *error)
{
    struct trace trace = {.place = run->values.place};
    const bool done = trace_follow(sampler, run->world->world, &trace, error) &&
                      write_trace(run, &trace, out, error);
    trace_free(&trace);
    return done;
}

const struct query query_trace = {
    .name = "trace",
    .summary = "the way of the water from a place to the sea or to a lake",
    .url = "?x={x}&y={y}",
    .parameters = PARAMETERS_PLACE | PARAMETERS_OUTPUT,
    .schema = "Trace",
    .geojson_schema = "LineCollection",
    .examples = "/trace?x=1000&y=-250.5 /trace?lon=0.5&lat=-0.25&format=text "
                "/trace?x=1000&y=-250.5&pretty=1",
    .more_examples[QUERY_SVG] = "/trace.svg?x=1000&y=-250.5 /trace.svg?lon=0.5&lat=-0.25",
    .more_examples[QUERY_GEOJSON] = "/trace.geojson?x=1000&y=-250.5 "
                                    "/trace.geojson?lon=0.5&lat=-0.25&pretty=1",
    .limited = true,
    .price = trace_price,
    .smaller = "a place of a world with simpler formulas",
    .evaluate = trace_evaluate,
};
