/* Compiles a world that was read: lists its formulas for the compiler, stores the operations that
 * hold their results, checks what each layer costs and depends on, bounds the densities, finds
 * their early rejects, and finishes the program.
 *
 * The cost of a layer is the number of octaves that a sample needs at full detail, each noise
 * counted once however often it is used. It is known before anything is sampled, so a world file
 * cannot make the server slow: a layer above the limit is refused here. */
#include "core/world/world_private.h"

#include <stdlib.h>
#include <string.h>

enum { COST_DEFAULT = 400 };

/* Lists what is compiled: layers, then the conditions of biomes, then densities. */
static uint32_t list_formulas(const struct world *world, struct compile_layer *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->layer_count; i++)
        list[count++] = world->layer_formulas[i];
    for (uint32_t i = 0; i < world->biome_count; i++)
        if (world->conditions[i].formula)
            list[count++] = world->conditions[i];
    for (uint32_t i = 0; i < world->object_count; i++)
        list[count++] = world->densities[i];
    return count;
}

static void list_biomes(const struct world *world, struct compile_biome *list)
{
    int32_t condition = (int32_t)world->layer_count;
    for (uint32_t i = 0; i < world->biome_count; i++)
        list[i] = (struct compile_biome){world->biomes[i].name,
                                         world->conditions[i].formula ? condition++ : -1};
}

/* The cost of a layer and the variables it depends on, from the operations that it needs. */
struct layer_usage {
    unsigned cost;
    uint8_t uses; /* USES_Z, USES_T */
};

/* `needed` is scratch memory, one element for each operation. */
static struct layer_usage layer_usage_of(const struct program *program, int32_t value, bool *needed)
{
    struct layer_usage layer_usage = {0};
    memset(needed, 0, program->count * sizeof *needed);
    program_mark(program, value, needed);
    for (uint32_t i = 0; i < program->count; i++) {
        if (!needed[i])
            continue;
        const struct operation *operation = &program->operations[i];
        if (operation->code == OP_NOISE) {
            const enum noise_axes axes = program->noises[operation->table_index].settings.axes;
            layer_usage.cost += program_noise_cost(program, operation);
            layer_usage.uses |= noise_axes_have_z(axes) ? USES_Z : 0;
            layer_usage.uses |= noise_axes_have_t(axes) ? USES_T : 0;
        }
        layer_usage.uses |= operation->code == OP_Z ? USES_Z : 0;
        layer_usage.uses |= operation->code == OP_T ? USES_T : 0;
    }
    return layer_usage;
}

static bool check_cost(const struct world *world, const struct layer_usage *layer_usage,
                       const char *path, struct error *error)
{
    unsigned limit = world->limits.cost ? world->limits.cost : COST_DEFAULT;
    if (layer_usage->cost <= limit)
        return true;
    error_set(error, ERROR_LIMIT,
              "too expensive: %u noise evaluations (octaves) a sample; at most %u are allowed",
              layer_usage->cost, limit);
    return error_in_path(error, "%s", path);
}

/* A density depends on x and y only: objects do not move, and there are none above others. */
static bool check_density(const struct world *world, const struct layer_usage *layer_usage,
                          uint32_t object, struct error *error)
{
    const char *path = world->densities[object].path;
    if (layer_usage->uses == 0)
        return check_cost(world, layer_usage, path, error);
    error_set(error, ERROR_VALUE, "depends on %s; a density may depend on x and y only",
              layer_usage->uses & USES_T ? "the time t" : "the height z");
    return error_in_path(error, "%s", path);
}

/* Checks every layer and density, and stores what they cost and depend on. */
static bool check_values(struct world *world, struct error *error)
{
    bool *needed = malloc(world->program.count * sizeof *needed);
    bool done = needed || error_memory(error);
    uint32_t layers = world_layer_count(world);
    for (uint32_t i = 0; i < layers + world->object_count && done; i++) {
        struct layer_usage layer_usage = layer_usage_of(&world->program, world->values[i], needed);
        world->uses[i] = layer_usage.uses;
        if (i >= layers) {
            world->objects[i - layers].cost = layer_usage.cost;
            done = check_density(world, &layer_usage, i - layers, error);
            continue;
        }
        world->layers[i].cost = layer_usage.cost;
        done = check_cost(world, &layer_usage,
                          i < world->layer_count ? world->layer_formulas[i].path : "biomes", error);
    }
    free(needed);
    return done;
}

static void store_values(struct world *world, const struct compile_source *source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->layer_count; i++)
        world->values[count++] = source->layers[i].value;
    if (world->biome_count > 0)
        world->values[count++] = source->biome;
    for (uint32_t i = 0; i < world->object_count; i++)
        world->values[count++] = source->layers[source->density_first + i].value;
}

/* Stores the upper bound of each density: candidates above it are never sampled. */
static bool bound_densities(struct world *world)
{
    uint32_t first = world_layer_count(world);
    for (uint32_t i = 0; i < world->object_count; i++) {
        struct interval bounds;
        if (!program_bound(&world->program, world->values[first + i], &bounds))
            return false;
        world->density_bounds[i].high = bounds.high;
    }
    return true;
}

bool world_compile(struct world *world, struct error *error)
{
    size_t most = (size_t)world->layer_count + world->biome_count + world->object_count;
    struct compile_layer *list = arena_allocate(&world->arena, most, sizeof *list);
    struct compile_biome *biomes =
        arena_allocate(&world->arena, (size_t)world->biome_count + 1, sizeof *biomes);
    if (!list || !biomes)
        return error_memory(error);
    uint32_t count = list_formulas(world, list);
    list_biomes(world, biomes);
    struct compile_source source = {
        .layers = list,
        .layer_count = count,
        .named_count = world->layer_count,
        .density_first = count - world->object_count,
        .biomes = biomes,
        .biome_count = world->biome_count,
        .seed = world->seed_number,
    };
    if (!compile_layers(&source, &world->program, error))
        return false;
    store_values(world, &source);
    return check_values(world, error) && (bound_densities(world) || error_memory(error)) &&
           world_find_early_rejects(world, error) &&
           (program_finish(&world->program) || error_memory(error));
}
