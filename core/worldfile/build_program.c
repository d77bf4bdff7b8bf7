/* Compiles a world that was read: hands its formulas to the compiler, stores the operations that
 * hold their results, checks the octaves of each layer and what it depends on, bounds the
 * densities, finds their early rejects, and finishes the program.
 *
 * The octaves of a layer are those that a sample needs at full detail, each noise counted once
 * however often it is used. It is known before anything is sampled, so a world file cannot make the
 * server slow: a layer above the limit is refused here. */
#include <stdlib.h>
#include <string.h>

#include "core/worldfile/layer_costs.h"
#include "core/worldfile/world_private.h"

enum {
    OCTAVES_DEFAULT = 400,
    VIEW_ZOOM_PLAIN = 6, /* of a view without a zoom, in a world whose height has no waves */
};
_Static_assert((int)WORLD_LAYERS_MAX <= (int)COMPILE_LAYERS_MAX &&
                   (int)WORLD_BIOMES_MAX <= (int)COMPILE_BIOMES_MAX,
               "the compiler takes all names of a world");

/* A formula's operation, with the octaves of all noises that it needs, and its JSON path. */
struct formula_cost {
    int32_t value;
    uint32_t octaves;
    const char *path;
};

static bool check_cost(const struct world *world, struct formula_cost cost, struct error *error)
{
    char most[sizeof error->message];
    const unsigned limit = world->limits.octaves ? world->limits.octaves : OCTAVES_DEFAULT;
    if (cost.octaves <= limit)
        return true;
    layer_costs_explain(world, cost.value, most, sizeof most);
    error_set(error, ERROR_LIMIT, "too expensive: %u of %u octaves a sample (--world-cost)%s%s",
              cost.octaves, limit, *most ? "; most in " : "", most);
    return error_in_path(error, "%s", cost.path);
}

/* A density depends on x and y only: objects do not move, and there are none above others. */
static bool check_density(const struct world *world, struct formula_cost cost, struct error *error)
{
    const uint8_t uses = world->program.operations[cost.value].uses;
    if ((uses & (USES_Z | USES_T)) == 0)
        return check_cost(world, cost, error);
    error_set(error, ERROR_VALUE, "depends on %s; a density may depend on x and y only",
              uses & USES_T ? "the time t" : "the height z");
    return error_in_path(error, "%s", cost.path);
}

/* The network depends on x and y only, as nothing moves, and not on itself. */
static bool check_drainage_formula(const struct world *world, struct formula_cost cost,
                                   struct error *error)
{
    const uint8_t uses = world->program.operations[cost.value].uses;
    if (uses == 0)
        return check_cost(world, cost, error);
    error_set(error, ERROR_VALUE, "depends on %s; the drainage network may depend on x and y only",
              uses & USES_DRAINAGE ? "drainage(), the network itself"
              : uses & USES_T      ? "the time t"
                                   : "the height z");
    return error_in_path(error, "%s", cost.path);
}

/* Where the bounds tell nothing, requests may still fail: see core/sampling/network.h. */
static bool check_warp(const struct world *world, uint32_t formula, struct error *error)
{
    const struct compile_layer *warp = &world->drainage[formula];
    const struct interval bounds = world->program.operations[warp->value].bounds;
    if ((formula != DRAINAGE_WARP_X && formula != DRAINAGE_WARP_Y) ||
        ((double)bounds.low <= PROGRAM_WARP_MAX && (double)bounds.high >= -PROGRAM_WARP_MAX))
        return true;
    error_set(error, ERROR_VALUE,
              "moves every place by more than 2^40 m (about 1.1e12), the most that is allowed");
    return error_in_path(error, "%s", warp->path);
}

static bool check_drainage(const struct world *world, const struct operation_facts *facts,
                           struct error *error)
{
    bool done = true;
    for (uint32_t i = 0; i < DRAINAGE_FORMULAS && done; i++) {
        const struct compile_layer *formula = &world->drainage[i];
        if (!formula->formula)
            continue;
        const struct formula_cost cost = {formula->value, facts[formula->value].octaves,
                                          formula->path};
        done = check_drainage_formula(world, cost, error) && check_warp(world, i, error);
        done = diagnostics_take(world->diagnostics, done, error);
    }
    return done;
}

/* The JSON path of a layer or of a material's weight, for messages. */
static const char *layer_path(const struct world *world, uint32_t layer)
{
    if (layer < world->layer_count)
        return world->layer_formulas[layer].path;
    const uint32_t first = world_material_layer(world, 0);
    return layer < first ? "biomes" : world->weights[layer - first].path;
}

static void set_usual_range(struct world_layer *layer, struct interval usual)
{
    layer->usual_low = layer->has_range ? layer->range_low : usual.low;
    layer->usual_high = layer->has_range ? layer->range_high : usual.high;
}

/* Stores what is known of a layer or weight, and checks its cost. */
static bool take_layer(struct world *world, uint32_t layer, struct formula_cost cost,
                       struct error *error)
{
    world->layers[layer].octaves = cost.octaves;
    set_usual_range(&world->layers[layer], world->program.operations[cost.value].usual);
    return check_cost(world, cost, error);
}

/* The same of a density, with its upper bound: candidates above it are never sampled. */
static bool take_density(struct world *world, uint32_t object, struct formula_cost cost,
                         struct error *error)
{
    world->objects[object].octaves = cost.octaves;
    world->density_bounds[object].high = world->program.operations[cost.value].bounds.high;
    return check_density(world, cost, error);
}

/* Takes every layer, weight and density. */
static bool check_values(struct world *world, const struct operation_facts *facts,
                         struct error *error)
{
    bool done = true;
    const uint32_t layers = world_density_layer(world, 0);
    for (uint32_t i = 0; i < layers + world->object_count && done; i++) {
        const int32_t value = world->program.values[i];
        const struct formula_cost cost = {value, facts[value].octaves,
                                          i < layers ? layer_path(world, i)
                                                     : world->densities[i - layers].path};
        done = i < layers ? take_layer(world, i, cost, error)
                          : take_density(world, i - layers, cost, error);
        done = diagnostics_take(world->diagnostics, done, error);
    }
    return done;
}

static bool store_values(struct world *world, const struct compile_source *source)
{
    const uint32_t count = world_drainage_layer(world, DRAINAGE_OUTPUTS) + DRAINAGE_FORMULAS;
    if (!program_reserve_values(&world->program, count))
        return false;
    int32_t *value = world->program.values;
    for (uint32_t i = 0; i < world->layer_count; i++)
        *value++ = world->layer_formulas[i].value;
    if (world->biome_count > 0)
        *value++ = source->biome;
    for (uint32_t i = 0; i < world->material_count; i++)
        *value++ = world->weights[i].value;
    for (uint32_t i = 0; i < world->object_count; i++)
        *value++ = world->densities[i].value;
    value += world->object_count; /* their early rejects */
    for (uint32_t i = 0; i < DRAINAGE_OUTPUTS; i++)
        *value++ = world->drainage_spacing_log2 > 0 ? source->drainage_outputs[i] : -1;
    for (uint32_t i = 0; i < DRAINAGE_FORMULAS; i++)
        *value++ = world->drainage[i].formula ? world->drainage[i].value : -1;
    return true;
}

/* The network's fields are operations of their own, which operations OP_DRAINAGE do not read. */
static void set_drainage(struct world *world, const struct compile_source *source)
{
    const struct compile_layer *formulas = world->drainage;
    if (world->drainage_spacing_log2 == 0)
        return;
    world->program.drainage = (struct program_drainage){
        .potential = formulas[DRAINAGE_POTENTIAL].value,
        .target = formulas[DRAINAGE_TARGET].value,
        .relief = formulas[DRAINAGE_RELIEF].value,
        .lakes = formulas[DRAINAGE_LAKES].formula ? formulas[DRAINAGE_LAKES].value : -1,
        .warp = {formulas[DRAINAGE_WARP_X].formula ? formulas[DRAINAGE_WARP_X].value : -1,
                 formulas[DRAINAGE_WARP_Y].formula ? formulas[DRAINAGE_WARP_Y].value : -1},
        .spacing_log2 = world->drainage_spacing_log2,
        .deltas = (float)world->drainage_deltas,
        .key = hash_bytes("drainage", sizeof "drainage" - 1, hash_mix(world->seed_number)).low,
    };
    memcpy(world->program.drainage.outputs, source->drainage_outputs,
           sizeof source->drainage_outputs);
}

/* How much the warp moves two places apart that are a metre apart, at most: by the lengths of the
 * gradients of both axes. */
static bool find_warp_steepness(struct program *program)
{
    double squares = 0.0;
    for (int axis = 0; axis < 2 && program->drainage.spacing_log2 > 0; axis++) {
        const int32_t warp = program->drainage.warp[axis];
        double steepness = 0.0;
        if (warp >= 0 && !program_find_steepness(program, warp, &steepness))
            return false;
        squares += steepness * steepness;
    }
    program->drainage.warp_steepness = __builtin_sqrt(squares);
    return true;
}

/* Where the file names no zoom: that of which a tile, 2^(25−z) m, is about as wide as the longest
 * waves of the height. */
static void set_usual_zoom(struct world *world, float wave)
{
    if (world->view.zoom >= 0)
        return;
    world->view.zoom = 25;
    for (; wave >= 2.0f && world->view.zoom > 0; wave /= 2.0f)
        world->view.zoom--;
    if (wave == 0.0f)
        world->view.zoom = VIEW_ZOOM_PLAIN;
    if (world->view.zoom > WORLD_ZOOM_MAX)
        world->view.zoom = WORLD_ZOOM_MAX;
}

/* True if errors were taken: then the program is of no use. */
static bool has_errors(const struct world *world)
{
    return world->diagnostics && world->diagnostics->count > 0;
}

/* Checks the program, and finishes it. */
static bool finish(struct world *world, struct error *error)
{
    struct operation_facts *facts = program_analyze(&world->program);
    if (!facts)
        return error_memory(error);
    const float wave = facts[world->program.values[world->height]].wave;
    const bool done = check_drainage(world, facts, error) && check_values(world, facts, error) &&
                      !has_errors(world) && world_find_early_rejects(world, facts) &&
                      (find_warp_steepness(&world->program) || error_memory(error)) &&
                      program_finish(&world->program);
    if (done)
        set_usual_zoom(world, wave);
    free(facts);
    return done;
}

/* For the compiler: `context` are the world's diagnostics, or null. */
static bool take_error(void *context, struct error *error)
{
    return diagnostics_take(context, false, error);
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
        .layer_count = world->formula_count,
        .named_count = world->layer_count,
        .drainage_first = world->layer_count + world->biome_count,
        .drainage_spacing_log2 = world->drainage_spacing_log2,
        .density_first = world->layer_count + world->biome_count + DRAINAGE_FORMULAS,
        .biomes = biomes,
        .biome_count = world->biome_count,
        .paths = world->paths,
        .path_count = world->path_count,
        .areas = world->areas,
        .area_count = world->area_count,
        .seed = world->seed_number,
        .take_error = take_error,
        .context = world->diagnostics,
    };
    if (!compile_layers(&source, &world->program, error) || has_errors(world))
        return false;
    set_drainage(world, &source);
    return store_values(world, &source) ? finish(world, error) : error_memory(error);
}
