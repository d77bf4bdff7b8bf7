/* The life of a world, and access to it. Parsing is three steps in other files: reader.c fills the
 * tables from the file, build_program.c compiles their formulas, fingerprint.c names the result. A
 * step that fails releases everything at once, as all memory hangs on the world: texts and tables
 * in its arena, strings of the file in its JSON document, operations in its program.
 *
 * A reseeded world is parsed again from the kept text, as a seed changes the key of every noise.
 * The reference count is the only member that changes later: releasing uses acquire-release order,
 * so that the thread that frees sees all earlier reads done. */
#include "core/world/world_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/number.h"

uint64_t world_parse_seed(const char *seed)
{
    uint64_t number;
    size_t length = strlen(seed);
    if (number_parse_unsigned(seed, length, &number))
        return number;
    return hash_bytes(seed, length, 0).low;
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
    if (((world->text && world->file) || error_memory(error)) && world_read(world, error) &&
        world_compile(world, error) && world_make_fingerprint(world, error))
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
    return world_layer_count(world) + object;
}

float world_density_high(const struct world *world, unsigned object)
{
    return world->density_bounds[object].high;
}

bool world_density_early_reject(const struct world *world, unsigned object,
                                struct world_early_reject *early_reject)
{
    const unsigned layer = world_layer_count(world) + world->object_count + object;
    *early_reject =
        (struct world_early_reject){layer, world->density_bounds[object].early_reject_high};
    return world->values[layer] >= 0;
}

uint64_t world_seed_number(const struct world *world)
{
    return world->seed_number;
}

bool world_layer_uses_time(const struct world *world, unsigned index)
{
    return world->uses[index] & USES_T;
}

const struct json *world_styles(const struct world *world)
{
    return json_member(json_root(world->document), "styles");
}
