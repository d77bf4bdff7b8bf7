/* Octaves are counted by the formulas that call the noises: each noise knows its formula, and
 * copies of it at other places, which slope() and warp() make, have the same key. */
#include "core/worldfile/layer_costs.h"

#include <stdio.h>
#include <string.h>

#include "core/worldfile/world_private.h"

enum { MOST = 3, FORMULAS_MAX = 1024 };
_Static_assert(WORLD_LAYERS_MAX + WORLD_BIOMES_MAX + DRAINAGE_FORMULAS + WORLD_OBJECTS_MAX +
                       WORLD_MATERIALS_MAX <=
                   FORMULAS_MAX,
               "all formulas of a world have a count");

/* The octaves of each formula, and of its first noise: the key, and at how many places it is. */
struct counts {
    uint32_t octaves[FORMULAS_MAX], places[FORMULAS_MAX];
    uint64_t key[FORMULAS_MAX];
};

static void count_noises(const struct program *program, const bool *needed, struct counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        if (!needed[i] || operation->code != OP_NOISE)
            continue;
        const struct noise *noise = program->noises[operation->table_index];
        const uint32_t formula = noise->formula;
        if (counts->places[formula] == 0)
            counts->key[formula] = noise->settings.key;
        counts->octaves[formula] += program_octaves(program, operation);
        counts->places[formula] += counts->key[formula] == noise->settings.key;
    }
}

struct layer_cost layer_cost_find(const struct world *world, unsigned layer)
{
    const struct program *program = &world->program;
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    struct layer_cost cost = {0};
    struct counts counts;
    program_mark(program, program->values[layer], needed);
    for (uint32_t i = 0; i < program->count; i++)
        if (needed[i]) {
            cost.operations++;
            cost.octaves += program_octaves(program, &program->operations[i]);
        }
    count_noises(program, needed, &counts);
    const uint32_t first_weight = world_material_layer(world, 0);
    const uint32_t weights = (uint32_t)(world->weights - world->layer_formulas);
    const uint32_t formula = layer < world->layer_count ? layer : weights + layer - first_weight;
    if (layer >= world->layer_count && layer < first_weight)
        return cost;
    cost.own = counts.octaves[formula];
    cost.places = counts.places[formula];
    return cost;
}

/* The formula with the most octaves; its count becomes 0. */
static uint32_t take_most(const struct world *world, struct counts *counts, uint32_t *octaves)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < world->formula_count; i++)
        if (counts->octaves[i] > counts->octaves[most])
            most = i;
    *octaves = counts->octaves[most];
    counts->octaves[most] = 0;
    return most;
}

void layer_costs_explain(const struct world *world, int32_t value, char *text, size_t size)
{
    const struct program *program = &world->program;
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    bool told = false;
    struct counts counts;
    uint32_t all = 0, octaves;
    size_t used = 0;
    text[0] = '\0';
    program_mark(program, value, needed);
    count_noises(program, needed, &counts);
    for (uint32_t i = 0; i < world->formula_count; i++)
        all += counts.octaves[i];
    for (int i = 0; i < MOST && used < size; i++) {
        const uint32_t formula = take_most(world, &counts, &octaves);
        const struct compile_layer *of = &world->layer_formulas[formula];
        if (octaves == 0)
            break;
        used += (size_t)snprintf(text + used, size - used, "%s%s %u (%u %%)", i > 0 ? "; " : "",
                                 formula < world->layer_count ? of->name : of->path, octaves,
                                 (100 * octaves + all / 2) / all);
        if (counts.places[formula] > 1 && used < size) {
            used += (size_t)snprintf(text + used, size - used, ", at %u places%s",
                                     counts.places[formula],
                                     told ? "" : " by slope(), warp() and the like");
            told = true;
        }
    }
}
