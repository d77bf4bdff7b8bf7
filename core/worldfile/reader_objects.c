/* Reads the member "objects" of a world file: kinds of objects with their distances, slope limit,
 * appearance and density.
 *
 * The limits keep the search for objects local: min_distance is at most 4 × spacing, so a cell has
 * a bounded number of neighbours that can displace its object (terrain/objects.h), and a radius of
 * at most the spacing bounds how many objects meet in a pixel. Distances become whole units of 2⁻¹⁶
 * m here, so placement compares integers. */
#include "core/worldfile/reader.h"

#include "core/base/place.h"

const struct reader_keys reader_object_keys =
    READER_KEYS("spacing", "density", "min_distance", "max_slope", "title", "color", "radius");

enum { COLOUR_DEFAULT = 0x4A6B3A };

/* The limits of distances follow from the spacing. */
static bool read_distances(const struct reader *reader, struct world_object *object)
{
    double spacing, distance, radius, slope;
    const struct reader_limits spacings = {0.5, 65536.0, -1.0, "metres", ""};
    if (!reader_number(reader, "spacing", spacings, &spacing))
        return false;
    const struct reader_limits distances = {
        0.0, 4.0 * spacing, 0.0, "metres",
        " (4 times the spacing, so that few neighbours decide over an object)"};
    const struct reader_limits radii = {0.0, spacing, spacing / 4.0, "metres",
                                        " (the spacing, so that few objects meet in a pixel)"};
    const struct reader_limits slopes = {1.0, 90.0, 90.0, "degrees", ""};
    if (!reader_take(reader, reader_number(reader, "min_distance", distances, &distance)) ||
        !reader_take(reader, reader_number(reader, "radius", radii, &radius)) ||
        !reader_take(reader, reader_number(reader, "max_slope", slopes, &slope)))
        return false;
    object->spacing = place_from_metres(spacing);
    object->min_distance = place_from_metres(distance);
    object->radius = (float)radius;
    object->max_slope = (float)slope;
    return true;
}

static bool read_colour(const struct reader *reader, struct world_object *object)
{
    object->colour = COLOUR_DEFAULT;
    return !json_member(reader->value, "color") || reader_colour(reader, "color", &object->colour);
}

static bool read_object(const struct reader *reader, uint32_t index)
{
    struct world_object *object = &reader->world->objects[index];
    struct compile_layer *density = &reader->world->densities[index];
    object->path = density->name = reader->path; /* no layer's name has a point */
    object->name = object->title = json_key(reader->value);
    object->density = json_text(json_member(reader->value, "density"));
    return reader_check_object(reader, &reader_object_keys) &&
           reader_take(reader, read_distances(reader, object)) &&
           reader_take(reader, reader_text(reader, "title", &object->title)) &&
           reader_take(reader, read_colour(reader, object)) &&
           reader_take(reader, reader_formula(reader, "density", density));
}

bool reader_objects(const struct reader *root)
{
    struct world *world = root->world;
    if (!json_member(root->value, "objects"))
        return true;
    const struct json *objects = reader_list(root, "objects", JSON_OBJECT, WORLD_OBJECTS_MAX);
    if (!objects)
        return false;
    const size_t count = json_count(objects);
    world->objects = arena_allocate(&world->arena, count, sizeof *world->objects);
    world->density_bounds = arena_allocate(&world->arena, count, sizeof *world->density_bounds);
    if (!world->objects || !world->density_bounds)
        return error_memory(root->error);
    for (const struct json *member = json_first(objects); member; member = json_next(member)) {
        const struct reader reader = {
            world, member, reader_join_path(root, "objects", json_key(member)), root->error};
        if (!reader.path)
            return error_memory(root->error);
        if (!reader_take_name(root, "objects", member) ||
            !reader_take(root, read_object(&reader, world->object_count)))
            return false;
        world->object_count++;
    }
    return true;
}
