/* /objects: the objects in a rectangle, as JSON, as a table, as GeoJSON for maps, or in binary.
 *
 * An object depends on its neighbourhood alone (core/terrain/objects.h), so rectangles that touch
 * list each object once. GeoJSON is in degrees, so it is refused beyond the central square of the
 * map, where none are defined. An id is written as a string, because JSON numbers are exact to 53
 * bits only.
 *
 * JSON: the count, and for each object its id, kind, place, the height of the ground in metres, its
 * scale and its rotation. Text: the same in columns. GeoJSON: a point of longitude, latitude and
 * height for each object, with the rest as properties. Binary: a record for each
 * (server/render/object_records.h), for games that read many of them. More than QUERY_OBJECTS_MAX
 * objects are refused rather than cut off, so a client never takes a part for the whole. */
#include "server/queries/list_output.h"
#include "server/render/object_records.h"

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
    query_unknown_name("kind of object", kind, names, count, error);
    return error_in_path(error, "kind");
}

static bool objects_prepare(struct query_run *run, struct error *error)
{
    const struct area *area = &run->values.area;
    run->kinds = OBJECTS_ALL_KINDS;
    if (run->values.kind && !find_kind(run->values.kind, run, error))
        return false;
    return run->form != QUERY_GEOJSON || query_check_degrees(area, "bbox", error);
}

static const struct object *object_at(const struct query_list *list, size_t i)
{
    const struct object_list *objects = list->items;
    return &objects->objects[i];
}

static const char *kind_name(const struct query_list *list, size_t i)
{
    return world_object(list->run->world->world, object_at(list, i)->kind)->name;
}

static uint64_t object_id(const struct query_list *list, size_t i)
{
    return object_at(list, i)->id;
}

static void write_members(const struct query_list *list, size_t i, struct json_writer *json)
{
    const struct object *object = object_at(list, i);
    json_member_string(json, "kind", kind_name(list, i));
    query_output_place(json, object->place);
    json_member_float(json, "height", object->ground);
    json_member_float(json, "scale", object->scale);
    json_member_float(json, "rotation", object->rotation);
}

/* RFC 7946: longitude, latitude, and the height above the sea. */
static void write_geometry(const struct query_list *list, size_t i, struct json_writer *json)
{
    json_member_object(json, "geometry");
    json_member_string(json, "type", "Point");
    json_member_array(json, "coordinates");
    query_output_degrees(json, object_at(list, i)->place, object_at(list, i)->ground);
    json_array_close(json);
    json_object_close(json);
}

static void write_columns(const struct query_list *list, size_t i, struct buffer *out)
{
    const struct object *object = object_at(list, i);
    buffer_format(out, "%s\t", kind_name(list, i));
    query_output_coordinate(out, object->place.x, '\t');
    query_output_coordinate(out, object->place.y, '\t');
    query_output_float(out, object->ground, '\t');
    query_output_float(out, object->scale, '\t');
    query_output_float(out, object->rotation, '\n');
}

static void write_list(const struct query_run *run, const struct object_list *objects,
                       struct buffer *out)
{
    const struct query_list list = {
        .run = run,
        .items = objects,
        .count = objects->count,
        .name = "objects",
        .columns = "kind\tx\ty\theight\tscale\trotation",
        .id = object_id,
        .write_columns = write_columns,
        .write_members = write_members,
        .write_geometry = write_geometry,
    };
    query_list_write(&list, out);
}

#define OBJECT_TIME 1000.0 /* nanoseconds to write an object */

static struct object_search search_of(const struct query_run *run)
{
    return (struct object_search){
        .low = run->values.area.low,
        .high = run->values.area.high,
        .kinds = run->kinds,
        .limit = QUERY_OBJECTS_MAX,
        .ground = true,
    };
}

static uint64_t objects_price(const struct query_run *run)
{
    const struct object_search search = search_of(run);
    return price_object_search(run->world->world, &search, OBJECT_TIME, NULL);
}

static bool objects_evaluate(const struct query_run *run, struct sampler *sampler,
                             struct buffer *out, struct error *error)
{
    const struct object_search search = search_of(run);
    struct object_list list = {0};
    if (run->form == QUERY_BINARY)
        return object_records_find(sampler, run->world->world, &search, out, error);
    const bool done = objects_find(sampler, run->world->world, &search, &list, error);
    if (done)
        write_list(run, &list, out);
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
    .more_examples[QUERY_BINARY] = "/objects.bin?bbox=0,0,200,200 "
                                   "/objects.bin?bbox=0,0,200,200&kind=rock",
    .quotes_world = true,
    .limited = true,
    .prepare = objects_prepare,
    .price = objects_price,
    .smaller = "a smaller bbox, or one kind",
    .evaluate = objects_evaluate,
};
