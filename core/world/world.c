#include "core/world/world_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/number.h"

enum { COST_DEFAULT = 400 };

uint64_t world_seed_number(const char *seed)
{
    uint64_t number;
    size_t length = strlen(seed);
    if (number_parse_unsigned(seed, length, &number))
        return number;
    return hash_bytes(seed, length, 0).low;
}

/* Layers and biome conditions in one list for the compiler: conditions belong to the layer "biome".
 */
static struct compile_layer *list_sources(struct world *world)
{
    size_t count = world->layer_count + world->biome_count;
    struct compile_layer *list = arena_allocate(&world->arena, count, sizeof *list);
    for (uint32_t i = 0; list && i < world->layer_count; i++)
        list[i] = (struct compile_layer){
            .name = world->layers[i].name,
            .path = world->layer_paths[i],
            .formula = world->formulas[i],
        };
    return list;
}

static uint32_t list_conditions(struct world *world, struct compile_layer *list)
{
    uint32_t count = world->layer_count;
    for (uint32_t i = 0; i < world->biome_count; i++) {
        if (!world->conditions[i])
            continue;
        list[count++] = (struct compile_layer){
            .name = "biome",
            .path = world->condition_paths[i],
            .formula = world->conditions[i],
        };
    }
    return count;
}

/* The index of the first biome whose condition holds; the last one if none does. */
static int32_t build_biome(struct world *world, const struct compile_layer *conditions,
                           struct error *error)
{
    struct program *program = &world->program;
    int32_t value = program_constant(program, (float)(world->biome_count - 1), error);
    uint32_t condition = 0;
    for (uint32_t i = 0; i < world->biome_count; i++)
        condition += world->conditions[i] != NULL;
    for (uint32_t i = world->biome_count; i-- > 0;) {
        if (!world->conditions[i])
            continue;
        condition--;
        int32_t index = program_constant(program, (float)i, error);
        value = program_choose(program, conditions[condition].value, index, value, error);
    }
    return value;
}

/* What a layer costs and depends on, from the operations it needs. */
static void survey_layer(struct world *world, uint32_t layer, bool *needed)
{
    const struct program *program = &world->program;
    memset(needed, 0, program->count * sizeof *needed);
    program_mark(program, world->values[layer], needed);
    for (uint32_t i = 0; i < program->count; i++) {
        if (!needed[i])
            continue;
        const struct operation *operation = &program->operations[i];
        if (operation->code == OP_NOISE) {
            const enum noise_axes axes = program->noises[operation->table].settings.axes;
            world->layers[layer].cost += program_noise_cost(program, operation);
            world->uses[layer] |= axes == NOISE_XYZ || axes == NOISE_XYZT ? 1 : 0;
            world->uses[layer] |= axes == NOISE_XYT || axes == NOISE_XYZT ? 2 : 0;
        }
        if (operation->code == OP_Z)
            world->uses[layer] |= 1;
        if (operation->code == OP_T)
            world->uses[layer] |= 2;
    }
}

static bool check_costs(struct world *world, struct error *error)
{
    unsigned limit = world->limits.cost ? world->limits.cost : COST_DEFAULT;
    bool *needed = malloc(world->program.count * sizeof *needed);
    bool done = needed || error_memory(error);
    uint32_t count = world->layer_count + (world->biome_count > 0);
    for (uint32_t i = 0; i < count && done; i++) {
        survey_layer(world, i, needed);
        if (world->layers[i].cost <= limit)
            continue;
        error_set(error, ERROR_LIMIT,
                  "too costly: %u noise evaluations (octaves) a sample; at most %u are allowed",
                  world->layers[i].cost, limit);
        done =
            error_in_path(error, "%s", i < world->layer_count ? world->layer_paths[i] : "biomes");
    }
    free(needed);
    return done;
}

static bool compile_world(struct world *world, struct error *error)
{
    struct compile_layer *list = list_sources(world);
    if (!list)
        return error_memory(error);
    const struct compile_source source = {
        .layers = list,
        .layer_count = list_conditions(world, list),
        .named_count = world->layer_count,
        .seed = world->seed_number,
    };
    if (!compile_layers(&source, &world->program, error))
        return false;
    for (uint32_t i = 0; i < world->layer_count; i++)
        world->values[i] = list[i].value;
    if (world->biome_count > 0) {
        int32_t biome = build_biome(world, list + world->layer_count, error);
        if (biome < 0)
            return false;
        world->values[world->layer_count] = biome;
    }
    return check_costs(world, error) && (program_finish(&world->program) || error_memory(error));
}

struct source {
    const char *text, *file, *seed;
    size_t length;
};

static struct world *make_world(const struct source *source, const struct world_limits *limits,
                                struct error *error)
{
    struct world *world = calloc(1, sizeof *world);
    if (!world) {
        error_memory(error);
        return NULL;
    }
    world->references = 1;
    if (limits)
        world->limits = *limits;
    world->text = arena_copy(&world->arena, source->text, source->length);
    world->text_length = source->length;
    world->file = arena_copy(&world->arena, source->file, strlen(source->file));
    world->seed = source->seed;
    bool done = world->text && world->file;
    if (!done)
        error_memory(error);
    done = done && world_read(world, error) && compile_world(world, error) &&
           world_make_fingerprint(world, error);
    if (done)
        return world;
    error_in_file(error, source->file);
    world_release(world);
    return NULL;
}

struct world *world_parse(const char *text, size_t length, const char *file,
                          const struct world_limits *limits, struct error *error)
{
    const struct source source = {.text = text, .length = length, .file = file};
    return make_world(&source, limits, error);
}

struct world *world_reseed(const struct world *world, const char *seed, size_t length,
                           struct error *error)
{
    char copy[WORLD_SEED_MAX + 1];
    if (length == 0 || length > WORLD_SEED_MAX) {
        error_set(error, ERROR_VALUE, "a seed has 1 to %d bytes, not %zu", WORLD_SEED_MAX, length);
        return NULL;
    }
    memcpy(copy, seed, length);
    copy[length] = '\0';
    const struct source source = {world->text, world->file, copy, world->text_length};
    return make_world(&source, &world->limits, error);
}

struct world *world_retain(struct world *world)
{
    __atomic_add_fetch(&world->references, 1, __ATOMIC_RELAXED);
    return world;
}

void world_release(struct world *world)
{
    if (!world || __atomic_sub_fetch(&world->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    program_free(&world->program);
    json_free(world->document);
    arena_free(&world->arena);
    free(world);
}

const char *world_title(const struct world *world)
{
    return world->title;
}

const char *world_description(const struct world *world)
{
    return world->description;
}

const char *world_attribution(const struct world *world)
{
    return world->attribution;
}

unsigned world_generator(const struct world *world)
{
    return world->generator;
}

const char *world_seed(const struct world *world)
{
    return world->seed;
}

const char *world_fingerprint(const struct world *world)
{
    return world->fingerprint;
}

unsigned world_layer_count(const struct world *world)
{
    return world->layer_count + (world->biome_count > 0);
}

const struct world_layer *world_layer(const struct world *world, unsigned index)
{
    return &world->layers[index];
}

int world_find_layer(const struct world *world, const char *name)
{
    unsigned count = world_layer_count(world);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(world->layers[i].name, name) == 0)
            return (int)i;
    return -1;
}

unsigned world_height_layer(const struct world *world)
{
    return world->height;
}

int world_biome_layer(const struct world *world)
{
    return world->biome_count > 0 ? (int)world->layer_count : -1;
}

unsigned world_biome_count(const struct world *world)
{
    return world->biome_count;
}

const struct world_biome *world_biome(const struct world *world, unsigned index)
{
    return &world->biomes[index];
}

bool world_layer_uses_time(const struct world *world, unsigned index)
{
    return world->uses[index] & 2;
}

bool world_layer_uses_z(const struct world *world, unsigned index)
{
    return world->uses[index] & 1;
}

const struct json *world_styles(const struct world *world)
{
    return json_member(json_root(world->document), "styles");
}
