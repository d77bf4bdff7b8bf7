/* The life of a world, and access to it. Parsing is three steps in other files: reader.c fills the
 * tables from the file, build_program.c compiles their formulas, fingerprint.c names the result. A
 * step that fails releases everything at once, as all memory hangs on the world: texts and tables
 * in its arena, strings of the file in its JSON document, operations in its program.
 *
 * A reseeded world is compiled again, as a seed changes the key of every noise, but not read again:
 * it has a program and copies of the tables that compiling fills in, and borrows texts, formulas
 * and the document from the world that was read, whose reference it holds.
 *
 * The reference count is the only member that changes later: releasing uses acquire-release order,
 * so that the thread that frees sees all earlier reads done. */
#include "core/worldfile/world_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/number.h"
#include "core/price/sampling.h"
#include "core/price/spread.h"
#include "core/sampling/sample_request.h"

_Static_assert((int)WORLD_SAMPLED_MAX <= (int)SAMPLER_LAYERS_MAX,
               "all layers and materials of a world can be sampled together");

uint64_t world_parse_seed(const char *seed)
{
    uint64_t number;
    size_t length = strlen(seed);
    if (number_parse_unsigned(seed, length, &number))
        return number;
    return hash_bytes(seed, length, 0).low;
}

/* An empty world, with what errors and limits need. */
static struct world *new_world(const char *file, const struct world_limits *limits,
                               struct error *error)
{
    struct world *world = calloc(1, sizeof *world);
    if (!world)
        return error_memory_null(error);
    world->references = 1;
    if (limits)
        world->limits = *limits;
    world->file = arena_copy(&world->arena, file, strlen(file));
    if (world->file)
        return world;
    error_memory(error);
    world_release(world);
    return NULL;
}

static bool build_world(struct world *world, const char *text, size_t length, struct error *error)
{
    return world_read(world, text, length, error) && world_compile(world, error) &&
           world_make_fingerprint(world, error);
}

struct world *world_parse(const char *text, size_t length, const char *file,
                          const struct world_limits *limits, struct error *error)
{
    struct world *world = new_world(file, limits, error);
    if (world && build_world(world, text, length, error))
        return world;
    error_in_file(error, file);
    world_release(world);
    return NULL;
}

struct world *world_diagnose(struct diagnostics *diagnostics, const struct world_limits *limits)
{
    struct error error = {0};
    struct world *world = new_world(diagnostics->file, limits, &error);
    if (world)
        world->diagnostics = diagnostics;
    const bool done = world && build_world(world, diagnostics->text, diagnostics->length, &error);
    if (!done && error.code != ERROR_NONE)
        diagnostics_add(diagnostics, &error);
    if (world)
        world->diagnostics = NULL;
    if (done)
        return world;
    diagnostics->root = NULL;
    world_release(world);
    return NULL;
}

/* A copy of a table in the arena; null when memory is out. */
static void *copy_table(struct arena *arena, const void *table, size_t count, size_t size)
{
    void *copy = arena_allocate(arena, count, size);
    if (copy && count > 0)
        memcpy(copy, table, count * size);
    return copy;
}

/* Gives a world that borrows all tables copies of those that world_compile() writes to. */
static bool copy_compiled_tables(struct world *world)
{
    struct arena *arena = &world->arena;
    const size_t layers = world_layer_count(world) + world->material_count,
                 objects = world->object_count;
    world->layers = copy_table(arena, world->layers, layers, sizeof *world->layers);
    world->objects = copy_table(arena, world->objects, objects, sizeof *world->objects);
    world->density_bounds =
        copy_table(arena, world->density_bounds, objects, sizeof *world->density_bounds);
    world->layer_formulas = copy_table(arena, world->layer_formulas, world->formula_count,
                                       sizeof *world->layer_formulas);
    if (!world->layers || !world->objects || !world->density_bounds || !world->layer_formulas)
        return false;
    world->conditions = world->layer_formulas + world->layer_count;
    world->drainage = world->conditions + world->biome_count;
    world->densities = world->drainage + DRAINAGE_FORMULAS;
    world->weights = world->densities + world->object_count;
    return true;
}

/* A world that has everything of `base` but the program. */
static struct world *borrow_world(const struct world *base)
{
    struct world *world = malloc(sizeof *world);
    if (!world)
        return NULL;
    memcpy(world, base, offsetof(struct world, references)); /* which other threads may change */
    world->base = world_retain((struct world *)(base->base ? base->base : base));
    world->arena = (struct arena){0};
    world->program = (struct program){0};
    world->references = 1;
    if (copy_compiled_tables(world))
        return world;
    world_release(world);
    return NULL;
}

static bool compile_seed(struct world *world, const char *seed, size_t length, struct error *error)
{
    world->seed = arena_copy(&world->arena, seed, length);
    if (!world->seed)
        return error_memory(error);
    world->seed_number = world_parse_seed(world->seed);
    return world_compile(world, error) &&
           (world_fingerprint_reseeded(world, world->seed, world->fingerprint) ||
            error_memory(error));
}

struct world *world_reseed(const struct world *world, const char *seed, size_t length,
                           struct error *error)
{
    if (length == 0 || length > WORLD_SEED_MAX) {
        error_set(error, ERROR_VALUE, "a seed has 1 to %d bytes, not %zu", WORLD_SEED_MAX, length);
        return NULL;
    }
    struct world *reseeded = borrow_world(world);
    if (!reseeded)
        return error_memory_null(error);
    if (compile_seed(reseeded, seed, length, error))
        return reseeded;
    error_in_file(error, world->file);
    world_release(reseeded);
    return NULL;
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
    if (world->base)
        world_release(world->base);
    else
        json_free(world->document);
    arena_free(&world->arena);
    free(world);
}

uint64_t world_work(const struct world *world)
{
    return world->read_work + world->program.work;
}

size_t world_bytes(const struct world *world)
{
    return sizeof *world + world->arena.bytes + program_bytes(&world->program);
}

const char *world_title(const struct world *world)
{
    return world->title;
}

const struct world_view *world_view(const struct world *world)
{
    return &world->view;
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

unsigned world_material_count(const struct world *world)
{
    return world->material_count;
}

const struct world_material *world_material(const struct world *world, unsigned index)
{
    return &world->materials[index];
}

unsigned world_material_layer(const struct world *world, unsigned material)
{
    return world_layer_count(world) + material;
}

const char *world_materials_fingerprint(const struct world *world)
{
    return world->materials_fingerprint;
}

const struct names *world_names(const struct world *world)
{
    return &world->names;
}

const char *world_names_fingerprint(const struct world *world)
{
    return world->names_fingerprint;
}

unsigned world_object_count(const struct world *world)
{
    return world->object_count;
}

const struct world_object *world_object(const struct world *world, unsigned index)
{
    return &world->objects[index];
}

int world_find_object(const struct world *world, const char *name)
{
    for (unsigned i = 0; i < world->object_count; i++)
        if (strcmp(world->objects[i].name, name) == 0)
            return (int)i;
    return -1;
}

unsigned world_density_layer(const struct world *world, unsigned object)
{
    return world_material_layer(world, world->material_count) + object;
}

float world_density_high(const struct world *world, unsigned object)
{
    return world->density_bounds[object].high;
}

bool world_density_early_reject(const struct world *world, unsigned object,
                                struct world_early_reject *early_reject)
{
    const unsigned layer = world_density_layer(world, world->object_count) + object;
    *early_reject =
        (struct world_early_reject){layer, world->density_bounds[object].early_reject_high};
    return world->program.values[layer] >= 0;
}

bool world_has_drainage(const struct world *world)
{
    return world->drainage_spacing_log2 > 0;
}

unsigned world_drainage_layer(const struct world *world, enum drainage_output output)
{
    return world_density_layer(world, 2 * world->object_count) + (unsigned)output;
}

static struct sampling_price find_place_price(const struct world *world)
{
    unsigned layers[WORLD_SAMPLED_MAX];
    const unsigned count = world_layer_count(world) + world->material_count;
    for (unsigned i = 0; i < count; i++)
        layers[i] = i;
    return price_sampling(&world->program, layers, count, (struct sampling){.step = 0.0});
}

bool world_prepare_prices(struct world *world, const struct world *base)
{
    if (!(base ? spread_copy(&world->program, &base->program) : spread_measure(&world->program)) ||
        !price_keep_fields(&world->program))
        return false;
    world->place_price = find_place_price(world);
    world->prices_prepared = true;
    return true;
}

struct sampling_price world_place_price(const struct world *world)
{
    return world->prices_prepared ? world->place_price : find_place_price(world);
}

const struct program *world_program(const struct world *world)
{
    return &world->program;
}

uint64_t world_seed_number(const struct world *world)
{
    return world->seed_number;
}

bool world_layer_uses_time(const struct world *world, unsigned index)
{
    return world->program.operations[world->program.values[index]].uses & USES_T;
}

const struct json *world_styles(const struct world *world)
{
    return json_member(json_root(world->document), "styles");
}
