/* Reading the member "objects" of a world file. */
#include "core/world/world_private.h"

#include <string.h>

#include "core/base/colour.h"
#include "core/base/number.h"
#include "core/base/place.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const object_keys[] = {"spacing", "density", "min_distance", "max_slope",
                                          "title",   "color",   "radius"};

enum { COLOUR_DEFAULT = 0x4A6B3A };

/* A kind being read. */
struct reader {
    struct world *world;
    const struct json *value;
    const char *path;
    struct error *error;
};

static bool fail(const struct reader *reader, const char *key)
{
    return error_in_path(reader->error, "%s.%s", reader->path, key);
}

struct limits {
    double low, high,
        default_value; /* metres; the initial one may be outside: then there is none */
    const char *why;   /* behind the message */
};

static bool read_metres(const struct reader *reader, const char *key, struct limits limits,
                        double *metres)
{
    const struct json *value = json_member(reader->value, key);
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    *metres = limits.default_value;
    if (value ? json_number(value, metres) && *metres >= limits.low && *metres <= limits.high
              : limits.default_value >= limits.low)
        return true;
    number_format_double(limits.low, low);
    number_format_double(limits.high, high);
    error_set(reader->error, ERROR_VALUE, "%smust be a number of metres from %s to %s%s%.20s%s",
              value ? "" : "is missing; it ", low, high,
              json_type(value) == JSON_NUMBER ? ", not " : "",
              json_type(value) == JSON_NUMBER ? json_text(value) : "", limits.why);
    return fail(reader, key);
}

static bool read_distances(const struct reader *reader, struct world_object *object)
{
    double spacing, distance, radius;
    if (!read_metres(reader, "spacing", (struct limits){0.5, 65536.0, -1.0, ""}, &spacing))
        return false;
    const double most = 4.0 * spacing;
    const struct limits distances = {
        0.0, most, 0.0, " (4 times the spacing, so that few neighbours decide over an object)"};
    const struct limits radii = {0.0, spacing, spacing / 4.0,
                                 " (the spacing, so that few objects meet in a pixel)"};
    if (!read_metres(reader, "min_distance", distances, &distance) ||
        !read_metres(reader, "radius", radii, &radius))
        return false;
    object->spacing = place_from_metres(spacing);
    object->min_distance = place_from_metres(distance);
    object->radius = (float)radius;
    return true;
}

static bool read_slope(const struct reader *reader, struct world_object *object)
{
    const struct json *value = json_member(reader->value, "max_slope");
    double degrees = 90.0;
    if (value && !(json_number(value, &degrees) && degrees >= 1.0 && degrees <= 90.0)) {
        error_set(reader->error, ERROR_VALUE, "must be a number of degrees from 1 to 90%s%.20s",
                  json_type(value) == JSON_NUMBER ? ", not " : "",
                  json_type(value) == JSON_NUMBER ? json_text(value) : "");
        return fail(reader, "max_slope");
    }
    object->max_slope = (float)degrees;
    return true;
}

static bool read_appearance(const struct reader *reader, struct world_object *object)
{
    const struct json *title = json_member(reader->value, "title");
    const struct json *colour = json_member(reader->value, "color");
    if (title && json_type(title) != JSON_STRING) {
        error_set(reader->error, ERROR_VALUE, "must be a string, not %s",
                  json_type_name(json_type(title)));
        return fail(reader, "title");
    }
    object->title = title ? json_text(title) : object->name;
    object->colour = COLOUR_DEFAULT;
    if (!colour || colour_parse(json_text(colour), &object->colour))
        return true;
    error_set(reader->error, ERROR_VALUE, "must be a color like \"#2f7d32\" or \"#273\"");
    return fail(reader, "color");
}

static bool read_density(const struct reader *reader, uint32_t index)
{
    struct world *world = reader->world;
    const struct json *density = json_member(reader->value, "density");
    world->density_paths[index] = world_join_path(world, reader->path, "density");
    if (!world->density_paths[index])
        return error_memory(reader->error);
    world->densities[index] =
        world_read_formula(world, density, world->density_paths[index], reader->error);
    world->objects[index].density = json_text(density);
    return world->densities[index] != NULL;
}

static bool read_object(struct world *world, const struct json *member, struct error *error)
{
    struct world_object *object = &world->objects[world->object_count];
    const struct reader reader = {
        .world = world,
        .value = member,
        .path = world_join_path(world, "objects", json_key(member)),
        .error = error,
    };
    object->name = json_key(member);
    object->path = reader.path;
    if (!reader.path)
        return error_memory(error);
    return world_check_name(object->name, "objects", error) &&
           world_expect_type(member, JSON_OBJECT, reader.path, error) &&
           json_allow(member, reader.path, object_keys, COUNT(object_keys), error) &&
           read_distances(&reader, object) && read_slope(&reader, object) &&
           read_appearance(&reader, object) && read_density(&reader, world->object_count);
}

bool world_read_objects(struct world *world, const struct json *root, struct error *error)
{
    const struct json *objects = json_member(root, "objects");
    if (!objects)
        return true;
    if (!world_expect_type(objects, JSON_OBJECT, "objects", error))
        return false;
    size_t count = json_count(objects);
    if (count == 0 || count > WORLD_OBJECTS_MAX) {
        error_set(error, ERROR_LIMIT, "has %zu kinds of objects; 1 to %d are allowed", count,
                  WORLD_OBJECTS_MAX);
        return error_in_path(error, "objects");
    }
    world->objects = arena_allocate(&world->arena, count, sizeof *world->objects);
    world->densities = arena_allocate(&world->arena, count, sizeof *world->densities);
    world->density_paths = arena_allocate(&world->arena, count, sizeof *world->density_paths);
    world->density_highs = arena_allocate(&world->arena, count, sizeof *world->density_highs);
    world->early_reject_highs =
        arena_allocate(&world->arena, count, sizeof *world->early_reject_highs);
    if (!world->objects || !world->densities || !world->density_paths || !world->density_highs ||
        !world->early_reject_highs)
        return error_memory(error);
    for (const struct json *member = json_first(objects); member; member = json_next(member)) {
        if (!read_object(world, member, error))
            return false;
        world->object_count++;
    }
    return true;
}
