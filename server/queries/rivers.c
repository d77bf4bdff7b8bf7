/* /rivers: the rivers of a rectangle, as JSON, as a table, or as GeoJSON for maps.
 *
 * A river is a stream of the world's drainage network, from its source to where it joins another
 * one, or reaches the sea (core/terrain/rivers.h). A rectangle decides which rivers are listed, not
 * where they begin or end, so ids and lines are the same in all. Worlds without a network have no
 * rivers.
 *
 * JSON: for each river its id; the level and order of its stream; flow in square metres of land
 * upstream, and width in metres, both at its lower end; where it ends; the id of the river
 * downstream, or null; its line, downstream: places with the heights of the bed. Text: the same but
 * the line, in columns. GeoJSON: a line for each, in degrees. */
#include <math.h>
#include <string.h>

#include "core/base/extremes.h"
#include "core/terrain/rivers.h"
#include "server/queries/query_output.h"
#include "server/render/cost.h"

enum { NODES_MAX = 20000 }; /* of the network, that are looked at for a rectangle */
#define APART 256.0         /* metres between vertices, at most, */
#define APART_SHARE 32.0    /* or this part of the width of the cells of the finest streams */
#define STREAM_TIME 40000.0 /* nanoseconds to write a line */

static const char *end_name(const struct river *river)
{
    if (river->end == DRAINAGE_JOINS)
        return "river";
    return river->to_lake ? "lake" : "sea";
}

static void write_river(struct json_writer *json, const struct river *river)
{
    json_member_integer(json, "level", river->level);
    json_member_integer(json, "order", river->order);
    json_member_float(json, "flow", river->flow);
    json_member_float(json, "width", river->width);
    json_member_string(json, "end", end_name(river));
    if (river->end == DRAINAGE_JOINS)
        query_output_id(json, "downstream", river->downstream);
    else
        json_member_null(json, "downstream");
}

static const struct course_vertex *line_of(const struct river_list *list, size_t i)
{
    return list->course.vertices + list->rivers[i].first;
}

static void write_line(struct json_writer *json, const struct course_vertex *vertices, size_t count)
{
    json_member_array(json, "line");
    for (size_t i = 0; i < count; i++) {
        json_array_open(json);
        json_write_place(json, vertices[i].place.x);
        json_write_place(json, vertices[i].place.y);
        json_write_float(json, vertices[i].bed);
        json_array_close(json);
    }
    json_array_close(json);
}

static void write_json(const struct query_run *run, const struct river_list *list,
                       struct buffer *out)
{
    struct json_writer json;
    query_output_open(&json, run, out);
    query_output_area(&json, &run->values.area);
    json_member_double(&json, "min_flow", run->values.min_flow);
    json_member_integer(&json, "count", (int64_t)list->count);
    json_member_array(&json, "rivers");
    for (size_t i = 0; i < list->count; i++) {
        json_object_open(&json);
        query_output_id(&json, "id", list->rivers[i].id);
        write_river(&json, &list->rivers[i]);
        write_line(&json, line_of(list, i), list->rivers[i].count);
        json_object_close(&json);
    }
    json_array_close(&json);
    query_output_close(&json);
}

static void write_geojson(const struct query_run *run, const struct river_list *list,
                          struct buffer *out)
{
    struct json_writer json;
    json_begin(&json, out, run->values.pretty);
    json_object_open(&json);
    json_member_string(&json, "type", "FeatureCollection");
    json_member_array(&json, "features");
    for (size_t i = 0; i < list->count; i++) {
        json_object_open(&json);
        json_member_string(&json, "type", "Feature");
        query_output_id(&json, "id", list->rivers[i].id);
        query_output_line_string(&json, line_of(list, i), list->rivers[i].count);
        json_member_object(&json, "properties");
        write_river(&json, &list->rivers[i]);
        json_object_close(&json);
        json_object_close(&json);
    }
    json_array_close(&json);
    query_output_close(&json);
}

static void write_text(const struct river_list *list, struct buffer *out)
{
    buffer_text(out, "id\tlevel\torder\tflow\twidth\tend\tdownstream\n");
    for (size_t i = 0; i < list->count; i++) {
        const struct river *river = &list->rivers[i];
        buffer_format(out, "%llu\t%u\t%u\t", (unsigned long long)river->id, river->level,
                      river->order);
        query_output_float(out, river->flow, '\t');
        query_output_float(out, river->width, '\t');
        buffer_format(out, "%s\t", end_name(river));
        if (river->end == DRAINAGE_JOINS)
            buffer_format(out, "%llu", (unsigned long long)river->downstream);
        buffer_byte(out, '\n');
    }
}

static bool rivers_prepare(struct query_run *run, struct error *error)
{
    return run->form != QUERY_GEOJSON || query_check_degrees(&run->values.area, "bbox", error);
}

static double nodes_of(const struct query_run *run, double min_flow)
{
    const struct world *world = run->world->world;
    const struct area *area = &run->values.area;
    return rivers_nodes(world, rivers_level(world, (float)min_flow),
                        place_metres(area->high.x - area->low.x),
                        place_metres(area->high.y - area->low.y));
}

/* Too many nodes are refused with the least flow, among 1, 2 and 5 times powers of ten, that fits;
 * if none does, with the size of a rectangle that does. */
static bool rivers_check(const struct query_run *run, struct error *error)
{
    const struct world *world = run->world->world;
    if (!world_has_drainage(world) || nodes_of(run, run->values.min_flow) <= NODES_MAX)
        return true;
    static const double steps[] = {2.0, 2.5, 2.0};
    double flow = 1.0;
    for (int i = 0; i < 36; flow *= steps[i++ % 3]) /* below 10¹² m² */
        if (flow > run->values.min_flow && nodes_of(run, flow) <= NODES_MAX)
            return error_set(error, ERROR_LIMIT,
                             "so many rivers are too much for one answer: min_flow=%.0f fits here, "
                             "or a smaller bbox",
                             flow);
    const double side = sqrt((double)NODES_MAX) - 7.0;
    return error_set(error, ERROR_LIMIT,
                     "so large a rectangle is too much for one answer: at most %.0f km a side fit",
                     side * (double)((uint32_t)1 << network_spacing_log2(world)) / 1000.0);
}

/* Metres between vertices: what shows only large rivers is for small scales. */
static double apart_of(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const unsigned level = rivers_level(world, (float)run->values.min_flow);
    const unsigned log2 = drainage_cell_log2(network_spacing_log2(world), level);
    return double_max(APART, (double)((uint32_t)1 << log2) / APART_SHARE);
}

static uint64_t rivers_cost(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const struct area *area = &run->values.area;
    if (!world_has_drainage(world))
        return COST_REQUEST;
    const struct cost_rivers rivers = {
        .world = world,
        .level = rivers_level(world, (float)run->values.min_flow),
        .width = place_metres(area->high.x - area->low.x),
        .height = place_metres(area->high.y - area->low.y),
        .apart = apart_of(run),
        .each = STREAM_TIME,
    };
    return cost_rivers(&rivers);
}

static bool rivers_evaluate(const struct query_run *run, struct sampler *sampler,
                            struct buffer *out, struct error *error)
{
    const struct world *world = run->world->world;
    const struct river_search search = {
        .low = run->values.area.low,
        .high = run->values.area.high,
        .min_flow = (float)run->values.min_flow,
        .apart = world_has_drainage(world) ? apart_of(run) : APART,
        .limit = QUERY_OBJECTS_MAX,
    };
    struct river_list list = {0};
    const bool done =
        rivers_check(run, error) && rivers_find(sampler, world, &search, &list, error);
    if (done && run->form == QUERY_TEXT)
        write_text(&list, out);
    else if (done && run->form == QUERY_GEOJSON)
        write_geojson(run, &list, out);
    else if (done)
        write_json(run, &list, out);
    river_list_free(&list);
    return done;
}

const struct query query_rivers = {
    .name = "rivers",
    .summary = "the rivers of a rectangle, as lines",
    .url = "?bbox={x0},{y0},{x1},{y1}",
    .parameters = PARAMETER_BIT(BBOX) | PARAMETER_BIT(MIN_FLOW) | PARAMETERS_OUTPUT,
    .schema = "Rivers",
    .geojson_schema = "LineCollection",
    .examples = "/rivers?bbox=0,0,200,200 "
                "/rivers?bbox=0,0,200000,100000&min_flow=500000000&format=text "
                "/rivers?bbox=0,0,200000,100000&min_flow=5000000000&pretty=1",
    .more_examples[QUERY_GEOJSON] = "/rivers.geojson?bbox=0,0,200,200 "
                                    "/rivers.geojson?bbox=0,0,200000,100000&min_flow=500000000"
                                    "&pretty=1",
    .limited = true,
    .prepare = rivers_prepare,
    .check = rivers_check,
    .cost = rivers_cost,
    .smaller = "a smaller bbox or a greater min_flow",
    .evaluate = rivers_evaluate,
};
