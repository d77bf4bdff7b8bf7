/* The noises of a layer itself are found by two marks: everything that its value depends on, less
 * everything that the layers named in its formula depend on. */
#include "core/worldfile/layer_noises.h"

#include "core/noise/noise.h"
#include "core/worldfile/world_private.h"

/* Marks the layers named in a formula. */
static void mark_named(const struct world *world, const struct formula *formula, bool *marks)
{
    if (!formula)
        return;
    if (formula->kind == FORMULA_NAME) {
        int layer = world_find_layer(world, formula->text);
        if (layer >= 0)
            marks[world->program.values[layer]] = true;
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

static struct layer_noise describe(const struct noise *noise, double spacing)
{
    struct layer_noise described = {noise->settings.wavelength, noise->settings.octaves, 0};
    for (unsigned i = 0; i < described.octaves; i++)
        described.active_octaves += noise_detail(noise->octaves[i].wavelength, spacing) > 0.0f;
    return described;
}

void layer_noises_find(const struct world *world, struct layer_noises *found)
{
    const struct program *program = &world->program;
    bool own[PROGRAM_OPERATIONS_MAX] = {false}, others[PROGRAM_OPERATIONS_MAX] = {false};
    program_mark(program, program->values[found->layer], own);
    mark_others(world, found->layer, others);
    found->count = 0;
    for (uint32_t i = 0; i < program->count && found->count < LAYER_NOISES_MAX; i++)
        if (own[i] && !others[i] && program->operations[i].code == OP_NOISE)
            found->noises[found->count++] =
                describe(program->noises[program->operations[i].table_index], found->spacing);
}
