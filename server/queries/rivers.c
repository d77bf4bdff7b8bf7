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
#include "server/queries/list_output.h"
#include "server/render/price.h"

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

static const struct river *river_at(const struct query_list *list, size_t i)
{
    const struct river_list *rivers = list->items;
    return &rivers->rivers[i];
}

static const struct course_vertex *line_of(const struct query_list *list, size_t i)
{
    const struct river_list *rivers = list->items;
    return rivers->course.vertices + rivers->rivers[i].first;
}

static uint64_t river_id(const struct query_list *list, size_t i)
{
    return river_at(list, i)->id;
}

static void write_members(const struct query_list *list, size_t i, struct json_writer *json)
{
    const struct river *river = river_at(list, i);
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

static void write_line(const struct query_list *list, size_t i, struct json_writer *json)
{
    const struct course_vertex *vertices = line_of(list, i);
    json_member_array(json, "line");
    for (size_t k = 0; k < river_at(list, i)->count; k++) {
        json_array_open(json);
        json_write_place(json, vertices[k].place.x);
        json_write_place(json, vertices[k].place.y);
        json_write_float(json, vertices[k].bed);
        json_array_close(json);
    }
    json_array_close(json);
}

static void write_geometry(const struct query_list *list, size_t i, struct json_writer *json)
{
    query_output_line_string(json, line_of(list, i), river_at(list, i)->count);
}

static void write_columns(const struct query_list *list, size_t i, struct buffer *out)
{
    const struct river *river = river_at(list, i);
    buffer_format(out, "%u\t%u\t", river->level, river->order);
    query_output_float(out, river->flow, '\t');
    query_output_float(out, river->width, '\t');
    buffer_format(out, "%s\t", end_name(river));
    if (river->end == DRAINAGE_JOINS)
        buffer_format(out, "%llu", (unsigned long long)river->downstream);
    buffer_byte(out, '\n');
}

static void write_list(const struct query_run *run, const struct river_list *rivers,
                       struct buffer *out)
{
    const struct query_list list = {
        .run = run,
        .items = rivers,
        .count = rivers->count,
        .name = "rivers",
        .columns = "level\torder\tflow\twidth\tend\tdownstream",
        .id = river_id,
        .write_columns = write_columns,
        .write_members = write_members,
        .write_line = write_line,
        .write_geometry = write_geometry,
    };
    query_list_write(&list, out);
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
    if (!rivers_exist(world, (float)run->values.min_flow) ||
        nodes_of(run, run->values.min_flow) <= NODES_MAX)
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
                     side * (double)((uint32_t)1 << network_spacing_log2(world_program(world))) /
                         1000.0);
}

/* Metres between vertices: what shows only large rivers is for small scales. */
static double apart_of(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const unsigned level = rivers_level(world, (float)run->values.min_flow);
    const unsigned log2 = drainage_cell_log2(network_spacing_log2(world_program(world)), level);
    return double_max(APART, (double)((uint32_t)1 << log2) / APART_SHARE);
}

static uint64_t rivers_price(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const struct area *area = &run->values.area;
    if (!rivers_exist(world, (float)run->values.min_flow))
        return 0;
    const struct price_rivers rivers = {
        .world = world,
        .level = rivers_level(world, (float)run->values.min_flow),
        .width = place_metres(area->high.x - area->low.x),
        .height = place_metres(area->high.y - area->low.y),
        .apart = apart_of(run),
        .each = STREAM_TIME,
        .whole = true,
    };
    return price_rivers(&rivers);
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
    if (done)
        write_list(run, &list, out);
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
    .price = rivers_price,
    .smaller = "a smaller bbox or a greater min_flow",
    .evaluate = rivers_evaluate,
};
