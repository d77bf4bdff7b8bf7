/* The objects in a rectangle: as JSON, as a table, or as GeoJSON for maps. */
#include <stdio.h>
#include <string.h>

#include "core/terrain/objects.h"
#include "core/tile/mercator.h"
#include "server/queries/query_output.h"
#include "server/queries/query_params.h"
#include "server/render/cost.h"

/* The map's square: only there places have degrees. */
#define MAP_EDGE ((int64_t)1 << (24 + PLACE_BITS))

static bool read_kind(const char *kind, struct inquiry *inquiry, struct error *error)
{
    const struct world *world = inquiry->world->world;
    const char *names[WORLD_OBJECTS_MAX];
    unsigned count = world_object_count(world);
    int found = world_find_object(world, kind);
    if (found >= 0) {
        inquiry->kinds = (uint64_t)1 << found;
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        names[i] = world_object(world, i)->name;
    const char *near = error_suggest(kind, names, count);
    error_set(error, ERROR_UNKNOWN, "unknown kind of object \"%s\"%s%s%s", kind,
              near    ? " (did you mean \""
              : count ? ""
                      : ": this world has none",
              near ? near : "", near ? "\"?)" : "");
    return error_in_path(error, "kind");
}

static bool objects_read(const struct question_source *source, struct inquiry *inquiry)
{
    const char *kind = input_text(source, "kind");
    const struct area *area = &inquiry->area;
    inquiry->kinds = OBJECTS_ALL_KINDS;
    if (!input_bbox(source, &inquiry->area) || (kind && !read_kind(kind, inquiry, source->error)))
        return false;
    if (inquiry->form != QUESTION_GEOJSON ||
        (area->low.x >= -MAP_EDGE && area->low.y >= -MAP_EDGE && area->high.x <= MAP_EDGE &&
         area->high.y <= MAP_EDGE))
        return true;
    error_set(source->error, ERROR_VALUE,
              "must be within ±16777216 m: GeoJSON is in degrees, and beyond there are none");
    return error_in_path(source->error, "bbox");
}

static void write_object(struct json_writer *json, const struct world *world,
                         const struct object *object)
{
    json_member_string(json, "kind", world_object(world, object->kind)->name);
    answer_place(json, object->place);
    json_member_float(json, "height", object->ground);
    json_member_float(json, "scale", object->scale);
    json_member_float(json, "rotation", object->rotation);
}

/* JSON numbers are not exact at 64 bits. */
static void write_id(struct json_writer *json, const struct object *object)
{
    char id[24];
    snprintf(id, sizeof id, "%llu", (unsigned long long)object->id);
    json_member_string(json, "id", id);
}

static bool write_json(const struct inquiry *inquiry, const struct object_list *list,
                       struct buffer *out, struct error *error)
{
    struct json_writer json;
    answer_open(&json, inquiry, out);
    answer_area(&json, &inquiry->area);
    json_member_integer(&json, "count", list->count);
    json_write_key(&json, "objects");
    json_array_open(&json);
    for (uint32_t i = 0; i < list->count; i++) {
        json_object_open(&json);
        write_id(&json, &list->objects[i]);
        write_object(&json, inquiry->world->world, &list->objects[i]);
        json_object_close(&json);
    }
    json_array_close(&json);
    answer_close(&json);
    return answer_done(out, error);
}

/* RFC 7946: longitude, latitude, and the height above the sea. */
static void write_feature(struct json_writer *json, const struct world *world,
                          const struct object *object)
{
    json_object_open(json);
    json_member_string(json, "type", "Feature");
    write_id(json, object);
    json_write_key(json, "geometry");
    json_object_open(json);
    json_member_string(json, "type", "Point");
    json_write_key(json, "coordinates");
    json_array_open(json);
    json_write_double(json, mercator_longitude(place_metres(object->place.x)));
    json_write_double(json, mercator_latitude(place_metres(object->place.y)));
    json_write_float(json, object->ground);
    json_array_close(json);
    json_object_close(json);
    json_write_key(json, "properties");
    json_object_open(json);
    write_object(json, world, object);
    json_object_close(json);
    json_object_close(json);
}

static bool write_geojson(const struct inquiry *inquiry, const struct object_list *list,
                          struct buffer *out, struct error *error)
{
    struct json_writer json;
    json_begin(&json, out, inquiry->pretty);
    json_object_open(&json);
    json_member_string(&json, "type", "FeatureCollection");
    json_write_key(&json, "features");
    json_array_open(&json);
    for (uint32_t i = 0; i < list->count; i++)
        write_feature(&json, inquiry->world->world, &list->objects[i]);
    json_array_close(&json);
    answer_close(&json);
    return answer_done(out, error);
}

static bool write_text(const struct inquiry *inquiry, const struct object_list *list,
                       struct buffer *out, struct error *error)
{
    buffer_text(out, "id\tkind\tx\ty\theight\tscale\trotation\n");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct object *object = &list->objects[i];
        buffer_format(out, "%llu\t%s\t", (unsigned long long)object->id,
                      world_object(inquiry->world->world, object->kind)->name);
        answer_coordinate(out, object->place.x, '\t');
        answer_coordinate(out, object->place.y, '\t');
        answer_float(out, object->ground, '\t');
        answer_float(out, object->scale, '\t');
        answer_float(out, object->rotation, '\n');
    }
    return answer_done(out, error);
}

/* Each kind's candidates, and the ground under those that stand. */
static uint64_t objects_cost(const struct inquiry *inquiry)
{
    const struct world *world = inquiry->world->world;
    const struct area *area = &inquiry->area;
    const double width = place_metres(area->high.x - area->low.x);
    const double height = place_metres(area->high.y - area->low.y);
    const unsigned ground = world_height_layer(world);
    const struct cost_layers under = {world, &ground, 1, 0};
    uint64_t cost = cost_points(&under, 1);
    double all = 0;
    for (unsigned i = 0; i < world_object_count(world); i++) {
        const double spacing = place_metres(world_object(world, i)->spacing);
        const double cells = (width / spacing + 2) * (height / spacing + 2);
        const unsigned density = world_density_layer(world, i);
        const struct cost_layers kind = {world, &density, 1, 0};
        if (!(inquiry->kinds >> i & 1))
            continue;
        all += cells;
        cost += cost_points(&kind, cells < OBJECTS_CANDIDATES_MAX ? (uint64_t)cells
                                                                  : OBJECTS_CANDIDATES_MAX);
    }
    return cost +
           cost_points(&under, all < QUESTION_OBJECTS_MAX ? (uint64_t)all : QUESTION_OBJECTS_MAX);
}

static bool objects_answer(const struct inquiry *inquiry, struct sampler *sampler,
                           struct buffer *out, struct error *error)
{
    const struct object_search search = {
        .low = inquiry->area.low,
        .high = inquiry->area.high,
        .kinds = inquiry->kinds,
        .limit = QUESTION_OBJECTS_MAX,
        .ground = true,
    };
    struct object_list list = {0};
    bool done = objects_find(sampler, inquiry->world->world, &search, &list, error);
    if (done && inquiry->form == QUESTION_TEXT)
        done = write_text(inquiry, &list, out, error);
    else if (done)
        done = inquiry->form == QUESTION_GEOJSON ? write_geojson(inquiry, &list, out, error)
                                                 : write_json(inquiry, &list, out, error);
    object_list_free(&list);
    return done;
}

static const struct question_parameter parameters[] = {
    {"bbox", "x0,y0,x1,y1 in metres: west, north, east, south"},
    {"kind", "a kind of the world's objects"},
    {NULL, NULL},
};

const struct question question_objects = {
    .name = "objects",
    .forms = 1 << QUESTION_JSON | 1 << QUESTION_TEXT | 1 << QUESTION_GEOJSON,
    .example = "/objects?bbox=0,0,100,100",
    .parameters = parameters,
    .read = objects_read,
    .cost = objects_cost,
    .smaller = "a smaller bbox, or one kind",
    .answer = objects_answer,
};
