/* /objects: the objects in a rectangle, as JSON, as a table, or as GeoJSON for maps.
 *
 * An object depends on its neighbourhood alone (core/terrain/objects.h), so rectangles that touch
 * list each object once. GeoJSON is in degrees, so it is refused beyond the central square of the
 * map, where none are defined. An id is written as a string, because JSON numbers are exact to 53
 * bits only.
 *
 * JSON: the count, and for each object its id, kind, place, the height of the ground in metres, its
 * scale and its rotation. Text: the same in columns. GeoJSON: a point of longitude, latitude and
 * height for each object, with the rest as properties. More than QUERY_OBJECTS_MAX objects are
 * refused rather than cut off, so a client never takes a part for the whole. */
#include <string.h>

#include "core/base/extremes.h"
#include "core/terrain/objects.h"
#include "server/queries/query_output.h"
#include "server/render/cost.h"

static bool find_kind(const char *kind, struct query_run *run, struct error *error)
{
    const struct world *world = run->world->world;
    const char *names[WORLD_OBJECTS_MAX];
    const unsigned count = world_object_count(world);
    const int found = world_find_object(world, kind);
    if (found >= 0) {
        run->kinds = (uint64_t)1 << found;
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        names[i] = world_object(world, i)->name;
    return query_unknown_name("kind", "kind of object", kind, names, count, error);
}

static bool objects_prepare(struct query_run *run, struct error *error)
{
    const struct area *area = &run->values.area;
    run->kinds = OBJECTS_ALL_KINDS;
    if (run->values.kind && !find_kind(run->values.kind, run, error))
        return false;
    return run->form != QUERY_GEOJSON || query_check_degrees(area, "bbox", error);
}

static void write_object(struct json_writer *json, const struct world *world,
                         const struct object *object)
{
    json_member_string(json, "kind", world_object(world, object->kind)->name);
    query_output_place(json, object->place);
    json_member_float(json, "height", object->ground);
    json_member_float(json, "scale", object->scale);
    json_member_float(json, "rotation", object->rotation);
}

static void write_json(const struct query_run *run, const struct object_list *list,
                       struct buffer *out)
{
    struct json_writer json;
    query_output_open(&json, run, out);
    query_output_area(&json, &run->values.area);
    json_member_integer(&json, "count", list->count);
    json_member_array(&json, "objects");
    for (uint32_t i = 0; i < list->count; i++) {
        json_object_open(&json);
        query_output_id(&json, "id", list->objects[i].id);
        write_object(&json, run->world->world, &list->objects[i]);
        json_object_close(&json);
    }
    json_array_close(&json);
    query_output_close(&json);
}

/* RFC 7946: longitude, latitude, and the height above the sea. */
static void write_feature(struct json_writer *json, const struct world *world,
                          const struct object *object)
{
    json_object_open(json);
    json_member_string(json, "type", "Feature");
    query_output_id(json, "id", object->id);
    json_member_object(json, "geometry");
    json_member_string(json, "type", "Point");
    json_member_array(json, "coordinates");
    query_output_degrees(json, object->place, object->ground);
    json_array_close(json);
    json_object_close(json);
    json_member_object(json, "properties");
    write_object(json, world, object);
    json_object_close(json);
    json_object_close(json);
}

static void write_geojson(const struct query_run *run, const struct object_list *list,
                          struct buffer *out)
{
    struct json_writer json;
    json_begin(&json, out, run->values.pretty);
    json_object_open(&json);
    json_member_string(&json, "type", "FeatureCollection");
    json_member_array(&json, "features");
    for (uint32_t i = 0; i < list->count; i++)
        write_feature(&json, run->world->world, &list->objects[i]);
    json_array_close(&json);
    query_output_close(&json);
}

static void write_text(const struct query_run *run, const struct object_list *list,
                       struct buffer *out)
{
    buffer_text(out, "id\tkind\tx\ty\theight\tscale\trotation\n");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct object *object = &list->objects[i];
        buffer_format(out, "%llu\t%s\t", (unsigned long long)object->id,
                      world_object(run->world->world, object->kind)->name);
        query_output_coordinate(out, object->place.x, '\t');
        query_output_coordinate(out, object->place.y, '\t');
        query_output_float(out, object->ground, '\t');
        query_output_float(out, object->scale, '\t');
        query_output_float(out, object->rotation, '\n');
    }
}

#define OBJECT_TIME 1000.0 /* nanoseconds to write an object */

/* The density at every candidate of each kind, and the ground under those that may stand. */
static uint64_t objects_cost(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const struct area *area = &run->values.area;
    const double width = place_metres(area->high.x - area->low.x);
    const double height = place_metres(area->high.y - area->low.y);
    const unsigned ground = world_height_layer(world);
    uint64_t cost = 0;
    double all = 0;
    for (unsigned i = 0; i < world_object_count(world); i++) {
        const double spacing = place_metres(world_object(world, i)->spacing);
        const double cells =
            double_min((width / spacing + 2) * (height / spacing + 2), OBJECTS_CANDIDATES_MAX);
        const unsigned density = world_density_layer(world, i);
        const struct cost_layers kind = {world, &density, 1, {.extent = width, .places = cells}};
        if (!(run->kinds >> i & 1))
            continue;
        all += cells;
        cost += cost_points(&kind, cells, 1, COST_NUMBER);
    }
    all = double_min(all, QUERY_OBJECTS_MAX);
    const struct cost_layers under = {world, &ground, 1, {.extent = width, .places = all}};
    return cost + cost_points(&under, all, 1, OBJECT_TIME);
}

static bool objects_evaluate(const struct query_run *run, struct sampler *sampler,
                             struct buffer *out, struct error *error)
{
    const struct object_search search = {
        .low = run->values.area.low,
        .high = run->values.area.high,
        .kinds = run->kinds,
        .limit = QUERY_OBJECTS_MAX,
        .ground = true,
    };
    struct object_list list = {0};
    const bool done = objects_find(sampler, run->world->world, &search, &list, error);
    if (done && run->form == QUERY_TEXT)
        write_text(run, &list, out);
    else if (done && run->form == QUERY_GEOJSON)
        write_geojson(run, &list, out);
    else if (done)
        write_json(run, &list, out);
    object_list_free(&list);
    return done;
}

const struct query query_objects = {
    .name = "objects",
    .summary = "the trees and rocks of a rectangle",
    .url = "?bbox={x0},{y0},{x1},{y1}",
    .parameters = PARAMETER_BIT(BBOX) | PARAMETER_BIT(KIND) | PARAMETERS_OUTPUT,
    .schema = "Objects",
    .examples = "/objects?bbox=0,0,100,100 /objects?bbox=0,0,200,200&kind=rock&format=text "
                "/objects?bbox=0,0,200,200&pretty=1",
    .more_examples[QUERY_GEOJSON] = "/objects.geojson?bbox=0,0,200,200 "
                                    "/objects.geojson?bbox=0,0,200,200&kind=rock&pretty=1",
    .quotes_world = true,
    .limited = true,
    .prepare = objects_prepare,
    .cost = objects_cost,
    .smaller = "a smaller bbox, or one kind",
    .evaluate = objects_evaluate,
};
