/* Compiles a world that was read: hands its formulas to the compiler, stores the operations that
 * hold their results, checks what each layer costs and depends on, bounds the densities, finds
 * their early rejects, and finishes the program.
 *
 * The cost of a layer is the number of octaves that a sample needs at full detail, each noise
 * counted once however often it is used. It is known before anything is sampled, so a world file
 * cannot make the server slow: a layer above the limit is refused here. */
#include "core/world/world_private.h"

enum { COST_DEFAULT = 400 };
_Static_assert((int)WORLD_LAYERS_MAX <= (int)COMPILE_LAYERS_MAX &&
                   (int)WORLD_BIOMES_MAX <= (int)COMPILE_BIOMES_MAX,
               "the compiler takes all names of a world");

/* The cost of a layer and the variables it depends on, from the operations that it needs. */
struct layer_usage {
    unsigned cost;
    uint8_t uses; /* USES_Z, USES_T */
};

static struct layer_usage layer_usage_of(const struct program *program, int32_t value)
{
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    struct layer_usage layer_usage = {0};
    program_mark(program, value, needed);
    for (uint32_t i = 0; i < program->count; i++) {
        if (!needed[i])
            continue;
        const struct operation *operation = &program->operations[i];
        if (operation->code == OP_NOISE) {
            const enum noise_axes axes = program->noises[operation->table_index]->settings.axes;
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
    bool done = true;
    uint32_t layers = world_layer_count(world);
    for (uint32_t i = 0; i < layers + world->object_count && done; i++) {
        struct layer_usage layer_usage = layer_usage_of(&world->program, world->values[i]);
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
    return done;
}

static void store_values(struct world *world, const struct compile_source *source)
{
    int32_t *value = world->values;
    for (uint32_t i = 0; i < world->layer_count; i++)
        *value++ = world->layer_formulas[i].value;
    if (world->biome_count > 0)
        *value++ = source->biome;
    for (uint32_t i = 0; i < world->object_count; i++)
        *value++ = world->densities[i].value;
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
    const char **biomes = arena_allocate(&world->arena, world->biome_count + 1, sizeof *biomes);
    if (!biomes)
        return error_memory(error);
    for (uint32_t i = 0; i < world->biome_count; i++)
        biomes[i] = world->biomes[i].name;
    struct compile_source source = {
        .layers = world->layer_formulas,
        .layer_count = world->layer_count + world->biome_count + world->object_count,
        .named_count = world->layer_count,
        .density_first = world->layer_count + world->biome_count,
        .biomes = biomes,
        .biome_count = world->biome_count,
        .seed = world->seed_number,
    };
    if (!compile_layers(&source, &world->program, error))
        return false;
    store_values(world, &source);
    if (!check_values(world, error) || !(bound_densities(world) || error_memory(error)) ||
        !world_find_early_rejects(world, error))
        return false;
    program_finish(&world->program);
    return true;
}
