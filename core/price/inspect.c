/* Costs and contents of layers, from the operations that they need.
 *
 * Layers inspected together share operations, so the operations are marked first and counted once.
 * The noises of a layer itself are found by two marks: everything that its value depends on, less
 * everything that the layers named in its formula depend on. */
#include "core/price/inspect.h"

#include <float.h>
#include <math.h>

#include "core/base/lanes.h"
#include "core/noise/noise.h"
#include "core/worldfile/world_private.h"

static void mark_layers(const struct world *world, const unsigned *layers, unsigned count,
                        bool *needed)
{
    for (unsigned i = 0; i < count; i++)
        needed[world->values[layers[i]]] = true;
    program_mark_all(&world->program, needed);
}

unsigned inspect_cost(const struct world *world, const unsigned *layers, unsigned count)
{
    const struct program *program = &world->program;
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    unsigned cost = 0;
    mark_layers(world, layers, count, needed);
    for (uint32_t i = 0; i < program->count; i++)
        if (needed[i])
            cost += program_noise_cost(program, &program->operations[i]);
    return cost;
}

double inspect_magnitude(const struct world *world, unsigned layer)
{
    const struct interval usual = world->program.operations[world->values[layer]].usual;
    const float most = max_float(-usual.low, usual.high);
    return most < FLT_MAX ? (double)most : (double)INFINITY;
}

/* Marks the layers named in a formula. */
static void mark_named(const struct world *world, const struct formula *formula, bool *marks)
{
    if (!formula)
        return;
    if (formula->kind == FORMULA_NAME) {
        int layer = world_find_layer(world, formula->text);
        if (layer >= 0)
            marks[world->values[layer]] = true;
    }
    for (uint32_t i = 0; i < formula->child_count; i++)
        mark_named(world, formula->children[i], marks);
}

/* Marks everything that the layers named by a layer depend on: in one walk for all names, as a
 * formula may have 2000. */
static void mark_others(const struct world *world, unsigned layer, bool *marks)
{
    if (layer < world->layer_count)
        mark_named(world, world->layer_formulas[layer].formula, marks);
    for (uint32_t i = 0; layer >= world->layer_count && i < world->biome_count; i++)
        mark_named(world, world->conditions[i].formula, marks);
    program_mark_all(&world->program, marks);
}

static struct inspect_noise describe(const struct noise *noise, double spacing)
{
    struct inspect_noise described = {noise->settings.wavelength, noise->settings.octaves, 0};
    for (unsigned i = 0; i < described.octaves; i++)
        described.active_octaves += noise_detail(noise->octaves[i].wavelength, spacing) > 0.0f;
    return described;
}

void inspect_noises(const struct world *world, struct inspect_layer *inspected)
{
    const struct program *program = &world->program;
    bool own[PROGRAM_OPERATIONS_MAX] = {false}, others[PROGRAM_OPERATIONS_MAX] = {false};
    program_mark(program, world->values[inspected->layer], own);
    mark_others(world, inspected->layer, others);
    inspected->count = 0;
    for (uint32_t i = 0; i < program->count && inspected->count < INSPECT_NOISES_MAX; i++)
        if (own[i] && !others[i] && program->operations[i].code == OP_NOISE)
            inspected->noises[inspected->count++] =
                describe(program->noises[program->operations[i].table_index], inspected->spacing);
}
