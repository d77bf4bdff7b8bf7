/* Reading a world file: every member checked, every refusal with its JSON path. */
#include "core/world/world_private.h"

#include <stdio.h>
#include <string.h>

#include "core/base/colour.h"
#include "core/base/number.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const world_keys[] = {"title",     "description", "attribution",
                                         "generator", "seed",        "layers",
                                         "biomes",    "objects",     "styles"};
static const char *const layer_keys[] = {"formula", "unit", "range"};
static const char *const biome_keys[] = {"name", "title", "color", "when"};
static const char *const reserved_names[] = {"x", "y", "z", "t", "pi", "biome"};

bool world_expect_type(const struct json *value, enum json_type type, const char *path,
                       struct error *error)
{
    if (json_type(value) == type)
        return true;
    if (!value)
        error_set(error, ERROR_VALUE, "is missing; it must be %s", json_type_name(type));
    else
        error_set(error, ERROR_VALUE, "must be %s, not %s", json_type_name(type),
                  json_type_name(json_type(value)));
    return error_in_path(error, "%s", path);
}

/* An optional text of at most `most` bytes; "" if it is missing. */
static bool read_text(const struct json *object, const char *key, const char **text,
                      struct error *error)
{
    const struct json *value = json_member(object, key);
    *text = "";
    if (!value)
        return true;
    if (!world_expect_type(value, JSON_STRING, key, error))
        return false;
    *text = json_text(value);
    return true;
}

static bool read_generator(struct world *world, const struct json *root, struct error *error)
{
    const struct json *value = json_member(root, "generator");
    double number;
    if (!world_expect_type(value, JSON_NUMBER, "generator", error))
        return false;
    if (!json_number(value, &number) || number != 1.0) {
        error_set(error, ERROR_VALUE, "must be 1, the only generator this program has, not %.20s",
                  json_text(value));
        return error_in_path(error, "generator");
    }
    world->generator = 1;
    return true;
}

static bool read_seed(struct world *world, const struct json *root, struct error *error)
{
    const struct json *value = json_member(root, "seed");
    const char *text = value ? json_text(value) : "0";
    uint64_t number;
    if (value && json_type(value) != JSON_NUMBER && json_type(value) != JSON_STRING) {
        error_set(error, ERROR_VALUE, "must be a text or a whole number, not %s",
                  json_type_name(json_type(value)));
        return error_in_path(error, "seed");
    }
    if (json_type(value) == JSON_NUMBER && !number_parse_unsigned(text, strlen(text), &number)) {
        error_set(error, ERROR_VALUE,
                  "must be a whole number from 0 to 18446744073709551615, "
                  "or a text, not %.40s",
                  text);
        return error_in_path(error, "seed");
    }
    if (text[0] == '\0' || strlen(text) > WORLD_SEED_MAX) {
        error_set(error, ERROR_VALUE, "must have 1 to %d bytes", WORLD_SEED_MAX);
        return error_in_path(error, "seed");
    }
    if (world->seed)
        text = world->seed; /* given from outside */
    world->seed = arena_copy(&world->arena, text, strlen(text));
    if (!world->seed)
        return error_memory(error);
    world->seed_number = world_seed_number(world->seed);
    return true;
}

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > WORLD_NAME_MAX || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
              (name[i] >= '0' && name[i] <= '9') || name[i] == '_'))
            return false;
    return true;
}

bool world_check_name(const char *name, const char *path, struct error *error)
{
    if (!is_name(name)) {
        error_set(error, ERROR_VALUE,
                  "\"%.40s\" is no name; a name is a letter or _, then letters, digits or _, at "
                  "most %d",
                  name, WORLD_NAME_MAX);
        return error_in_path(error, "%s", path);
    }
    for (size_t i = 0; i < COUNT(reserved_names); i++) {
        if (strcmp(name, reserved_names[i]) != 0)
            continue;
        error_set(error, ERROR_VALUE, "\"%s\" has a meaning of its own; choose another name", name);
        return error_in_path(error, "%s", path);
    }
    return true;
}

/* The path "a.b" (or "a[i].b" by the format of the caller) in the arena. */
const char *world_join_path(struct world *world, const char *a, const char *b)
{
    struct buffer text = {0};
    buffer_format(&text, "%s%s%s", a, *b ? "." : "", b);
    char *path = text.failed ? NULL : arena_copy(&world->arena, (char *)text.data, text.length);
    buffer_free(&text);
    return path;
}

static bool read_range(const struct json *value, const char *path, struct world_layer *layer,
                       struct error *error)
{
    double range[2];
    layer->range_low = -1.0f;
    layer->range_high = 1.0f;
    if (!value)
        return true;
    const struct json *low = json_first(value), *high = json_next(low);
    if (json_type(value) != JSON_ARRAY || json_count(value) != 2 || !json_number(low, &range[0]) ||
        !json_number(high, &range[1]) || (float)range[0] >= (float)range[1] ||
        __builtin_fabs(range[0]) > 1e30 || __builtin_fabs(range[1]) > 1e30) {
        error_set(error, ERROR_VALUE, "must be [low, high], two numbers, the lower one first");
        return error_in_path(error, "%s.range", path);
    }
    layer->range_low = (float)range[0];
    layer->range_high = (float)range[1];
    return true;
}

const struct formula *world_read_formula(struct world *world, const struct json *value,
                                         const char *path, struct error *error)
{
    if (!world_expect_type(value, JSON_STRING, path, error))
        return NULL;
    const struct formula *formula = formula_parse(&world->arena, json_text(value), error);
    if (!formula)
        error_in_path(error, "%s", path);
    return formula;
}

static bool read_layer(struct world *world, const struct json *member, uint32_t index,
                       struct error *error)
{
    struct world_layer *layer = &world->layers[index];
    const char *path = world_join_path(world, "layers", json_key(member));
    layer->name = json_key(member);
    layer->unit = "";
    if (!path)
        return error_memory(error);
    if (!world_check_name(layer->name, "layers", error))
        return false;
    const struct json *formula = member, *unit = NULL, *range = NULL;
    world->layer_paths[index] = path;
    if (json_type(member) == JSON_OBJECT) {
        if (!json_allow(member, path, layer_keys, COUNT(layer_keys), error))
            return false;
        formula = json_member(member, "formula");
        unit = json_member(member, "unit");
        range = json_member(member, "range");
        world->layer_paths[index] = world_join_path(world, path, "formula");
        if (!world->layer_paths[index])
            return error_memory(error);
    } else if (json_type(member) != JSON_STRING) {
        error_set(error, ERROR_VALUE, "must be a formula or an object with one, not %s",
                  json_type_name(json_type(member)));
        return error_in_path(error, "%s", path);
    }
    world->formulas[index] = world_read_formula(world, formula, world->layer_paths[index], error);
    if (!world->formulas[index] || !read_range(range, path, layer, error))
        return false;
    layer->formula = json_text(formula);
    if (unit && json_type(unit) != JSON_STRING) {
        error_set(error, ERROR_VALUE, "must be a string, not %s", json_type_name(json_type(unit)));
        return error_in_path(error, "%s.unit", path);
    }
    layer->unit = unit ? json_text(unit) : "";
    return true;
}

static bool read_layers(struct world *world, const struct json *root, struct error *error)
{
    const struct json *layers = json_member(root, "layers");
    if (!world_expect_type(layers, JSON_OBJECT, "layers", error))
        return false;
    size_t count = json_count(layers);
    if (count > WORLD_LAYERS_MAX) {
        error_set(error, ERROR_LIMIT, "has %zu layers; at most %d are allowed", count,
                  WORLD_LAYERS_MAX);
        return error_in_path(error, "layers");
    }
    /* One more for the layer "biome". */
    world->layers = arena_allocate(&world->arena, count + 1, sizeof *world->layers);
    world->formulas = arena_allocate(&world->arena, count + 1, sizeof *world->formulas);
    world->layer_paths = arena_allocate(&world->arena, count + 1, sizeof *world->layer_paths);
    if (!world->layers || !world->formulas || !world->layer_paths)
        return error_memory(error);
    bool height = false;
    for (const struct json *member = json_first(layers); member; member = json_next(member)) {
        if (!read_layer(world, member, world->layer_count, error))
            return false;
        if (strcmp(json_key(member), "height") == 0) {
            world->height = world->layer_count;
            height = true;
        }
        world->layer_count++;
    }
    if (height)
        return true;
    error_set(error, ERROR_VALUE, "the layer \"height\" is missing; every world has one");
    return error_in_path(error, "layers");
}

static bool fail_biome(struct error *error, uint32_t index, const char *key, const char *message)
{
    error_set(error, ERROR_VALUE, "%s", message);
    return error_in_path(error, "biomes[%u].%s", index, key);
}

static bool read_biome_texts(const struct json *value, uint32_t index, struct world_biome *biome,
                             struct error *error)
{
    char path[48];
    const struct json *name = json_member(value, "name"), *title = json_member(value, "title");
    if (json_type(name) != JSON_STRING)
        return fail_biome(error, index, "name", "must be a name in quotes");
    snprintf(path, sizeof path, "biomes[%u].name", index);
    biome->name = biome->title = json_text(name);
    if (!world_check_name(biome->name, path, error))
        return false;
    if (title && json_type(title) != JSON_STRING)
        return fail_biome(error, index, "title", "must be a string");
    if (title)
        biome->title = json_text(title);
    if (!colour_parse(json_text(json_member(value, "color")), &biome->colour))
        return fail_biome(error, index, "color", "must be a color like \"#2f7d32\" or \"#273\"");
    return true;
}

static bool read_biome(struct world *world, const struct json *value, struct error *error)
{
    uint32_t index = world->biome_count;
    struct world_biome *biome = &world->biomes[index];
    struct buffer text = {0};
    buffer_format(&text, "biomes[%u]", index);
    const char *path =
        text.failed ? NULL : arena_copy(&world->arena, (char *)text.data, text.length);
    buffer_free(&text);
    world->condition_paths[index] = path ? world_join_path(world, path, "when") : NULL;
    if (!world->condition_paths[index])
        return error_memory(error);
    if (!world_expect_type(value, JSON_OBJECT, path, error) ||
        !json_allow(value, path, biome_keys, COUNT(biome_keys), error) ||
        !read_biome_texts(value, index, biome, error))
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(world->biomes[i].name, biome->name) == 0)
            return fail_biome(error, index, "name", "is the name of a biome before it");
    const struct json *when = json_member(value, "when");
    if (!when)
        return json_next(value) == NULL ||
               fail_biome(error, index, "when",
                          "is missing; only the last biome may be without a condition");
    world->conditions[index] =
        world_read_formula(world, when, world->condition_paths[index], error);
    biome->when = json_text(when);
    return world->conditions[index] != NULL;
}

static bool read_biomes(struct world *world, const struct json *root, struct error *error)
{
    const struct json *biomes = json_member(root, "biomes");
    if (!biomes)
        return true;
    if (!world_expect_type(biomes, JSON_ARRAY, "biomes", error))
        return false;
    size_t count = json_count(biomes);
    if (count == 0 || count > WORLD_BIOMES_MAX) {
        error_set(error, ERROR_LIMIT, "has %zu biomes; 1 to %d are allowed", count,
                  WORLD_BIOMES_MAX);
        return error_in_path(error, "biomes");
    }
    world->biomes = arena_allocate(&world->arena, count, sizeof *world->biomes);
    world->conditions = arena_allocate(&world->arena, count, sizeof *world->conditions);
    world->condition_paths = arena_allocate(&world->arena, count, sizeof *world->condition_paths);
    if (!world->biomes || !world->conditions || !world->condition_paths)
        return error_memory(error);
    for (const struct json *value = json_first(biomes); value; value = json_next(value)) {
        if (!read_biome(world, value, error))
            return false;
        world->biome_count++;
    }
    world->layers[world->layer_count] = (struct world_layer){
        .name = "biome",
        .formula = "",
        .unit = "",
        .range_high = count > 1 ? (float)(count - 1) : 1.0f,
    };
    return true;
}

static bool reserve_values(struct world *world, struct error *error)
{
    size_t count = (size_t)world->layer_count + 1 + 2 * (size_t)world->object_count;
    world->values = arena_allocate(&world->arena, count, sizeof *world->values);
    world->uses = arena_allocate(&world->arena, count, sizeof *world->uses);
    return (world->values && world->uses) || error_memory(error);
}

bool world_read(struct world *world, struct error *error)
{
    const struct json_limits limits = {.bytes = WORLD_BYTES_MAX};
    world->document = json_parse(world->text, world->text_length, &limits, error);
    if (!world->document)
        return false;
    const struct json *root = json_root(world->document);
    if (json_type(root) != JSON_OBJECT)
        return error_set(error, ERROR_VALUE, "a world must be an object, not %s",
                         json_type_name(json_type(root)));
    const struct json *styles = json_member(root, "styles");
    return json_allow(root, "", world_keys, COUNT(world_keys), error) &&
           read_text(root, "title", &world->title, error) &&
           read_text(root, "description", &world->description, error) &&
           read_text(root, "attribution", &world->attribution, error) &&
           read_generator(world, root, error) && read_seed(world, root, error) &&
           read_layers(world, root, error) && read_biomes(world, root, error) &&
           world_read_objects(world, root, error) && reserve_values(world, error) &&
           (!styles || world_expect_type(styles, JSON_OBJECT, "styles", error));
}
