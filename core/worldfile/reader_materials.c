/* Reads the member "materials" of a world file: what the ground is made of, each with a weight. */
#include "core/worldfile/materials.h"
#include "core/worldfile/reader.h"

#include <stdio.h>
#include <string.h>

const struct reader_keys reader_material_keys = READER_KEYS("name", "title", "color", "weight");

static bool read_name(const struct reader *reader, uint32_t index)
{
    const struct json *value = json_member(reader->value, "name");
    const struct world_material *materials = reader->world->materials;
    if (!reader_expect(reader, "name", value, JSON_STRING) ||
        !reader_check_name(reader, "name", json_text(value)))
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(materials[i].name, json_text(value)) == 0)
            return reader_fail(reader, "name", "is the name of an earlier material, too");
    reader->world->materials[index].name = json_text(value);
    return true;
}

static bool read_material(const struct reader *reader, uint32_t index)
{
    struct world *world = reader->world;
    struct world_material *material = &world->materials[index];
    struct compile_layer *weight = &world->weights[index];
    material->name = "";
    material->weight = json_text(json_member(reader->value, "weight"));
    if (!reader_check_object(reader, &reader_material_keys) ||
        !reader_take(reader, read_name(reader, index)))
        return false;
    material->title = material->name;
    weight->name = reader_join_path(reader, "materials", material->name); /* no layer's: a point */
    if (!weight->name)
        return error_memory(reader->error);
    world->layers[world_material_layer(world, index)] =
        (struct world_layer){.name = weight->name,
                             .formula = material->weight ? material->weight : "",
                             .unit = "",
                             .range_high = MATERIALS_WHOLE};
    return reader_take(reader, reader_text(reader, "title", &material->title)) &&
           reader_take(reader, reader_colour(reader, "color", &material->colour)) &&
           reader_take(reader, reader_formula(reader, "weight", weight));
}

/* Requests name all materials together as if they were a layer. */
static bool check_layers(const struct reader *root)
{
    return world_find_layer(root->world, "materials") < 0 ||
           reader_fail(root, "materials", "a layer is named \"materials\"; rename the layer");
}

bool reader_materials(const struct reader *root)
{
    struct world *world = root->world;
    if (!json_member(root->value, "materials"))
        return true;
    if (!reader_take(root, check_layers(root)))
        return false;
    const struct json *materials = reader_list(root, "materials", JSON_ARRAY, WORLD_MATERIALS_MAX);
    if (!materials)
        return false;
    world->materials =
        arena_allocate(&world->arena, json_count(materials), sizeof *world->materials);
    if (!world->materials)
        return error_memory(root->error);
    for (const struct json *value = json_first(materials); value; value = json_next(value)) {
        char path[24];
        snprintf(path, sizeof path, "materials[%u]", world->material_count);
        const struct reader reader = {world, value, path, root->error};
        if (!reader_take(root, read_material(&reader, world->material_count)))
            return false;
        world->material_count++;
    }
    return true;
}
