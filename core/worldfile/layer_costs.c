/* Octaves are counted by the formulas that call the noises: each noise knows its formula, and
 * copies of it at other places, which slope() and warp() make, have the same key. A noise without
 * key, which several formulas may call, is counted apart then. */
#include "core/worldfile/layer_costs.h"

#include <stdio.h>
#include <string.h>

#include "core/worldfile/world_private.h"

enum {
    MOST = 3,
    FORMULAS_MAX = 1024,
    SHARED = FORMULAS_MAX, /* what several formulas call is counted as of this one */
    COUNTS
};
_Static_assert(WORLD_LAYERS_MAX + WORLD_BIOMES_MAX + DRAINAGE_FORMULAS + WORLD_OBJECTS_MAX +
                       WORLD_MATERIALS_MAX <=
                   FORMULAS_MAX,
               "all formulas of a world have a count");

/* The octaves of each formula, and of its first noise: the key, and at how many places it is. */
struct counts {
    uint32_t octaves[COUNTS], places[COUNTS];
    uint64_t key[COUNTS];
    uint32_t all; /* octaves */
};

static void count_noises(const struct program *program, const bool *needed, struct counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        if (!needed[i] || operation->code != OP_NOISE)
            continue;
        const struct noise *noise = program->noises[operation->table_index];
        const uint32_t formula = noise->formula == NOISE_SHARED ? SHARED : noise->formula;
        const uint32_t octaves = program_octaves(program, operation);
        if (counts->places[formula] == 0)
            counts->key[formula] = noise->settings.key;
        counts->octaves[formula] += octaves;
        counts->places[formula] += counts->key[formula] == noise->settings.key;
        counts->all += octaves;
    }
}

struct layer_cost layer_cost_find(const struct world *world, unsigned layer)
{
    const struct program *program = &world->program;
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    struct layer_cost cost = {.octaves = world->layers[layer].octaves};
    struct counts counts;
    program_mark(program, program->values[layer], needed);
    for (uint32_t i = 0; i < program->count; i++)
        cost.operations += needed[i];
    const uint32_t first_weight = world_material_layer(world, 0);
    if (layer >= world->layer_count && layer < first_weight)
        return cost;
    const uint32_t weights = (uint32_t)(world->weights - world->layer_formulas);
    const uint32_t formula = layer < world->layer_count ? layer : weights + layer - first_weight;
    count_noises(program, needed, &counts);
    cost.own = counts.octaves[formula];
    cost.places = counts.places[formula];
    return cost;
}

/* The formula with the most octaves. */
static uint32_t find_most(const struct counts *counts)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < COUNTS; i++)
        if (counts->octaves[i] > counts->octaves[most])
            most = i;
    return most;
}

static const char *name_of(const struct world *world, uint32_t formula)
{
    const struct compile_layer *of = &world->layer_formulas[formula];
    return formula == SHARED              ? "noises of several layers"
           : formula < world->layer_count ? of->name
                                          : of->path;
}

void layer_costs_explain(const struct world *world, int32_t value, char *text, size_t size)
{
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    bool told = false;
    struct counts counts;
    size_t used = 0;
    text[0] = '\0';
    program_mark(&world->program, value, needed);
    count_noises(&world->program, needed, &counts);
    for (int i = 0; i < MOST && counts.all > 0 && used < size; i++) {
        const uint32_t formula = find_most(&counts), octaves = counts.octaves[formula];
        if (octaves == 0)
            break;
        counts.octaves[formula] = 0;
        used += (size_t)snprintf(text + used, size - used, "%s%s %u (%u %%)", i > 0 ? "; " : "",
                                 name_of(world, formula), octaves,
                                 (100 * octaves + counts.all / 2) / counts.all);
        if (counts.places[formula] > 1 && used < size) {
            used += (size_t)snprintf(text + used, size - used, ", at %u places%s",
                                     counts.places[formula],
                                     told ? "" : " by slope(), warp() and the like");
            told = true;
        }
    }
}
