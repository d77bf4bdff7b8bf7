/* Reads a world file into struct world: the document, then every member in a fixed order, so that
 * of several mistakes the same one is reported first on every machine. With diagnostics an error
 * ends only the member that has it.
 *
 * Each object of the file is read through a struct reader, which knows its JSON path; the tools
 * below read one member each and report its path on failure. Texts are not copied: they belong to
 * the document, which the world owns. Formulas are only parsed here; build_program.c compiles them
 * once all names are known. Keys that no table lists are refused, so a misspelt member is never
 * ignored. */
#include "core/worldfile/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/colour.h"
#include "core/base/number.h"

const char *const world_keys[WORLD_KEYS] = {
    "title",  "description", "attribution", "generator", "seed",  "layers", "biomes", "objects",
    "styles", "drainage",    "materials",   "view",      "names", "paths",  "areas",  "$schema"};
const struct reader_keys reader_layer_keys = READER_KEYS("formula", "unit", "range");
const struct reader_keys reader_biome_keys = READER_KEYS("name", "title", "color", "when");

/* Adds the path of a member to the error, unless a longer path is there already. */
static bool fail_in(const struct reader *reader, const char *key)
{
    const bool both = reader->path[0] && key[0];
    return error_in_path(reader->error, "%s%s%s", reader->path, both ? "." : "", key);
}

bool reader_fail(const struct reader *reader, const char *key, const char *format, ...)
{
    char message[sizeof reader->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(reader->error, ERROR_VALUE, "%s", message);
    return fail_in(reader, key);
}

bool reader_take(const struct reader *reader, bool done)
{
    return diagnostics_take(reader->world->diagnostics, done, reader->error);
}

bool reader_expect(const struct reader *reader, const char *key, const struct json *value,
                   enum json_type type)
{
    if (json_type(value) == type)
        return true;
    if (!value)
        return reader_fail(reader, key, "is missing; it must be %s", json_type_name(type));
    return reader_fail(reader, key, "must be %s, not %s", json_type_name(type),
                       json_type_name(json_type(value)));
}

const struct json *reader_list(const struct reader *reader, const char *key, enum json_type type,
                               size_t most)
{
    const struct json *list = json_member(reader->value, key);
    const size_t count = json_count(list);
    if (!reader_expect(reader, key, list, type))
        return NULL;
    if (count > 0 && count <= most)
        return list;
    error_set(reader->error, ERROR_LIMIT, "has %zu entries; 1 to %zu are allowed", count, most);
    fail_in(reader, key);
    return NULL;
}

bool reader_check_object(const struct reader *reader, const struct reader_keys *keys)
{
    const struct json_keys allowed = {reader->path, keys->names, keys->count};
    return reader_expect(reader, "", reader->value, JSON_OBJECT) &&
           diagnostics_allow(reader->world->diagnostics, reader->value, &allowed, reader->error);
}

bool reader_text(const struct reader *reader, const char *key, const char **text)
{
    const struct json *value = json_member(reader->value, key);
    if (!value)
        return true;
    *text = json_text(value);
    return reader_expect(reader, key, value, JSON_STRING);
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t length = strlen(name);
    return length > 0 && length <= WORLD_NAME_MAX && !(name[0] >= '0' && name[0] <= '9') &&
           strspn(name, letters) == length;
}

bool reader_check_word(const struct reader *reader, const char *key, const char *name)
{
    return is_name(name) ||
           reader_fail(reader, key,
                       "\"%.40s\" is not a valid name: a name has 1 to %d letters, digits or _, "
                       "and does not start with a digit",
                       name, WORLD_NAME_MAX);
}

bool reader_check_name(const struct reader *reader, const char *key, const char *name)
{
    if (!reader_check_word(reader, key, name))
        return false;
    if (compile_is_reserved(name))
        return reader_fail(reader, key, "\"%s\" is reserved in formulas; choose another name",
                           name);
    return true;
}

bool reader_take_name(const struct reader *root, const char *list, const struct json *member)
{
    return diagnostics_take_key(root->world->diagnostics, member,
                                reader_check_name(root, list, json_key(member)), root->error);
}

bool reader_colour(const struct reader *reader, const char *key, uint32_t *colour)
{
    const struct json *value = json_member(reader->value, key);
    return colour_parse(json_text(value), colour) ||
           reader_fail(reader, key, "%smust be a color like \"#2f7d32\" or \"#273\"",
                       value ? "" : "is missing; it ");
}

const char *reader_join_path(const struct reader *reader, const char *a, const char *b)
{
    char path[2 * sizeof reader->error->path];
    int length = snprintf(path, sizeof path, "%s%s%s", a, *b ? "." : "", b);
    length = length < (int)sizeof path ? length : (int)sizeof path - 1;
    return arena_copy(&reader->world->arena, path, (size_t)length);
}

bool reader_formula(const struct reader *reader, const char *key, struct compile_layer *out)
{
    const struct json *value = *key ? json_member(reader->value, key) : reader->value;
    if (!reader_expect(reader, key, value, JSON_STRING))
        return false;
    out->path = reader_join_path(reader, reader->path, key);
    if (!out->path)
        return error_memory(reader->error);
    out->formula = formula_parse(&reader->world->arena, json_text(value), reader->error);
    reader->world->read_work += out->formula ? out->formula->work : 0;
    return out->formula || fail_in(reader, key);
}

static bool read_generator(const struct reader *root)
{
    const struct json *value = json_member(root->value, "generator");
    double number;
    if (!reader_expect(root, "generator", value, JSON_NUMBER))
        return false;
    if (!json_number(value, &number) || number != 1.0)
        return reader_fail(root, "generator", "must be 1, the only generator there is, not %.20s",
                           json_text(value));
    root->world->generator = 1;
    return true;
}

static bool read_seed(const struct reader *root)
{
    struct world *world = root->world;
    const struct json *value = json_member(root->value, "seed");
    const char *text = value ? json_text(value) : "0";
    uint64_t number;
    if (!text)
        return reader_fail(root, "seed", "must be a text or a whole number, not %s",
                           json_type_name(json_type(value)));
    if (json_type(value) == JSON_NUMBER && !number_parse_unsigned(text, strlen(text), &number))
        return reader_fail(
            root, "seed",
            "must be a whole number from 0 to 18446744073709551615, or a text, not %.40s", text);
    if (text[0] == '\0' || strlen(text) > WORLD_SEED_MAX)
        return reader_fail(root, "seed", "must have 1 to %d bytes", WORLD_SEED_MAX);
    world->seed = arena_copy(&world->arena, text, strlen(text));
    if (!world->seed)
        return error_memory(root->error);
    world->seed_number = world_parse_seed(world->seed);
    return true;
}

/* Reads the range of a layer; without one it is −1 … 1, the range of most noises. */
static bool read_range(const struct reader *reader, struct world_layer *layer)
{
    const struct json *value = json_member(reader->value, "range");
    const struct json *low = json_first(value), *high = json_next(low);
    double range[2];
    layer->range_low = -1.0f;
    layer->range_high = 1.0f;
    layer->has_range = value != NULL;
    if (!value)
        return true;
    if (json_type(value) != JSON_ARRAY || json_count(value) != 2 || !json_number(low, &range[0]) ||
        !json_number(high, &range[1]) || (float)range[0] >= (float)range[1] ||
        __builtin_fabs(range[0]) > 1e30 || __builtin_fabs(range[1]) > 1e30)
        return reader_fail(reader, "range",
                           "must be [low, high], two numbers, the lower one first");
    layer->range_low = (float)range[0];
    layer->range_high = (float)range[1];
    return true;
}

/* A layer is its formula alone, or an object with more about it. */
static bool read_layer(const struct reader *reader, uint32_t index)
{
    struct world_layer *layer = &reader->world->layers[index];
    struct compile_layer *formula = &reader->world->layer_formulas[index];
    const bool is_object = json_type(reader->value) == JSON_OBJECT;
    if (!is_object && json_type(reader->value) != JSON_STRING)
        return reader_fail(reader, "", "must be a formula or an object with a formula, not %s",
                           json_type_name(json_type(reader->value)));
    layer->formula = json_text(is_object ? json_member(reader->value, "formula") : reader->value);
    return (!is_object || reader_check_object(reader, &reader_layer_keys)) &&
           reader_take(reader, reader_formula(reader, is_object ? "formula" : "", formula)) &&
           reader_take(reader, read_range(reader, layer)) &&
           reader_take(reader, reader_text(reader, "unit", &layer->unit));
}

static bool read_named_layer(const struct reader *root, const struct json *member, uint32_t index)
{
    struct world *world = root->world;
    const struct reader reader = {world, member, reader_join_path(root, "layers", json_key(member)),
                                  root->error};
    world->layers[index].name = world->layer_formulas[index].name = json_key(member);
    world->layers[index].unit = "";
    if (!reader.path)
        return error_memory(root->error);
    return reader_take_name(root, "layers", member) &&
           reader_take(root, read_layer(&reader, index));
}

/* Makes the tables of layers and of all formulas. That of layers has room for the layer "biome" of
 * read_biomes(), and the weights of reader_materials(). */
static bool reserve_formulas(const struct reader *root)
{
    struct world *world = root->world;
    const size_t count = json_count(json_member(root->value, "layers")),
                 biomes = json_count(json_member(root->value, "biomes"));
    const size_t objects = json_count(json_member(root->value, "objects")),
                 materials = json_count(json_member(root->value, "materials"));
    world->layers = arena_allocate(&world->arena, count + 1 + materials, sizeof *world->layers);
    world->formula_count = (uint32_t)(count + biomes + DRAINAGE_FORMULAS + objects + materials);
    world->layer_formulas =
        arena_allocate(&world->arena, world->formula_count, sizeof *world->layer_formulas);
    if (!world->layers || !world->layer_formulas)
        return error_memory(root->error);
    world->conditions = world->layer_formulas + count;
    world->drainage = world->conditions + biomes;
    world->densities = world->drainage + DRAINAGE_FORMULAS;
    world->weights = world->densities + objects;
    return true;
}

static bool read_layers(const struct reader *root)
{
    struct world *world = root->world;
    const struct json *layers = reader_list(root, "layers", JSON_OBJECT, WORLD_LAYERS_MAX);
    if (!layers)
        return false;
    if (!reader_take(root, json_member(layers, "height") ||
                               reader_fail(root, "layers",
                                           "the layer \"height\" is missing; every world has one")))
        return false;
    for (const struct json *member = json_first(layers); member; member = json_next(member)) {
        if (!read_named_layer(root, member, world->layer_count))
            return false;
        if (strcmp(json_key(member), "height") == 0)
            world->height = world->layer_count;
        world->layer_count++;
    }
    return true;
}

static bool read_biome_name(const struct reader *reader, uint32_t index)
{
    const struct world_biome *biomes = reader->world->biomes;
    struct world_biome *biome = &reader->world->biomes[index];
    if (!reader_expect(reader, "name", json_member(reader->value, "name"), JSON_STRING))
        return false;
    const char *name = json_text(json_member(reader->value, "name"));
    if (!reader_check_name(reader, "name", name))
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(biomes[i].name, name) == 0)
            return reader_fail(reader, "name", "is the name of an earlier biome, too");
    biome->name = biome->title = name;
    return true;
}

/* Conditions are tried in order, so all biomes but the last need one, and the last is used where no
 * condition holds. */
static bool read_condition(const struct reader *reader, uint32_t index)
{
    struct world *world = reader->world;
    world->conditions[index].name = "biome";
    world->biomes[index].when = json_text(json_member(reader->value, "when"));
    if (!json_member(reader->value, "when"))
        return !json_next(reader->value) ||
               reader_fail(reader, "when",
                           "is missing; only the last biome may be without a condition");
    return reader_formula(reader, "when", &world->conditions[index]);
}

static bool read_biome(const struct reader *reader, uint32_t index)
{
    struct world_biome *biome = &reader->world->biomes[index];
    biome->name = biome->title = "";
    return reader_check_object(reader, &reader_biome_keys) &&
           reader_take(reader, read_biome_name(reader, index)) &&
           reader_take(reader, reader_text(reader, "title", &biome->title)) &&
           reader_take(reader, reader_colour(reader, "color", &biome->colour)) &&
           reader_take(reader, read_condition(reader, index));
}

static bool read_biomes(const struct reader *root)
{
    struct world *world = root->world;
    if (!json_member(root->value, "biomes"))
        return true;
    const struct json *biomes = reader_list(root, "biomes", JSON_ARRAY, WORLD_BIOMES_MAX);
    if (!biomes)
        return false;
    const size_t count = json_count(biomes);
    world->biomes = arena_allocate(&world->arena, count, sizeof *world->biomes);
    if (!world->biomes)
        return error_memory(root->error);
    for (const struct json *value = json_first(biomes); value; value = json_next(value)) {
        char path[16];
        snprintf(path, sizeof path, "biomes[%u]", world->biome_count);
        const struct reader reader = {world, value, path, root->error};
        if (!reader_take(root, read_biome(&reader, world->biome_count)))
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

static uint64_t count_values(const struct json *value)
{
    uint64_t count = 1;
    for (const struct json *child = json_first(value); child; child = json_next(child))
        count += count_values(child);
    return count;
}

/* Styles are read by tile/style.h, so only their number is checked, as each gets a painter, and
 * their work is counted. */
static bool check_styles(const struct reader *root)
{
    const struct json *styles = json_member(root->value, "styles");
    root->world->read_work += count_values(styles) * WORK_VALUE;
    if (json_type(styles) == JSON_OBJECT && json_count(styles) == 0)
        return true;
    return !styles || reader_list(root, "styles", JSON_OBJECT, WORLD_STYLES_MAX);
}

/* Without layers there is nothing to compile: then all errors have been taken. */
bool world_read(struct world *world, const char *text, size_t length, struct error *error)
{
    const struct json_limits limits = {.bytes = WORLD_BYTES_MAX};
    world->read_work = length / WORK_BYTES;
    world->document = json_parse(text, length, &limits, error);
    if (!world->document)
        return false;
    const struct reader root = {world, json_root(world->document), "", error};
    const struct reader_keys keys = {world_keys, WORLD_KEYS};
    const char *schema;
    if (world->diagnostics)
        world->diagnostics->root = root.value;
    if (json_type(root.value) != JSON_OBJECT)
        return reader_fail(&root, "", "a world must be an object, not %s",
                           json_type_name(json_type(root.value)));
    world->title = world->description = world->attribution = "";
    return reader_check_object(&root, &keys) &&
           reader_take(&root, reader_text(&root, "$schema", &schema)) &&
           reader_take(&root, reader_text(&root, "title", &world->title)) &&
           reader_take(&root, reader_text(&root, "description", &world->description)) &&
           reader_take(&root, reader_text(&root, "attribution", &world->attribution)) &&
           reader_take(&root, reader_view(&root)) && reader_take(&root, read_generator(&root)) &&
           reader_take(&root, read_seed(&root)) && reserve_formulas(&root) &&
           reader_take(&root, read_layers(&root)) && reader_take(&root, read_biomes(&root)) &&
           reader_take(&root, reader_materials(&root)) &&
           reader_take(&root, reader_objects(&root)) &&
           reader_take(&root, reader_drainage(&root)) &&
           reader_take(&root, reader_polylines(&root)) && reader_take(&root, reader_names(&root)) &&
           reader_take(&root, check_styles(&root)) &&
           reader_take(&root, reader_view_condition(&root)) && world->layer_count > 0;
}
