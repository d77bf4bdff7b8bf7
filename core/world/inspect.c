/* Costs and contents of layers, from the operations that they need.
 *
 * Layers inspected together share operations, so the operations are marked first and counted once.
 * The noises of a layer itself are found by two marks: everything that its value depends on, less
 * everything that the layers named in its formula depend on.
 *
 * inspect_work() estimates nanoseconds (core/noise/work.h), so that a request can be refused before
 * it is rendered. */
#include "core/world/inspect.h"

#include "core/noise/noise.h"
#include "core/world/world_private.h"

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
        if (needed[i] && program->operations[i].code == OP_NOISE)
            cost += program_noise_cost(program, &program->operations[i]);
    return cost;
}

/* Nanoseconds of an operation that is no noise, for a sample of a grid and at a single place. */
static double operation_work(const struct operation *operation, bool places)
{
    switch (operation->code) {
    case OP_CYCLE:
        return places || operation->a >= 0 ? 12.0 : 4.0;
    case OP_DISTANCE:
        return places ? 2.0 : 3.0;
    case OP_SIN:
    case OP_COS:
    case OP_EXP:
    case OP_SPLINE:
        return places ? 1.2 : 0.6;
    case OP_SMOOTHSTEP_ROWS:
        return places ? 0.8 : 0.45;
    case OP_DIVIDE:
    case OP_SQRT:
    case OP_SMOOTHSTEP:
        return places ? 0.8 : 0.25;
    default:
        return places ? 0.8 : 0.12;
    }
}

#define OPERATION_CALL 60.0 /* nanoseconds, for each operation of a call */
#define GUARDED_SHARE 0.65  /* of the samples for which a guarded operand is needed, about */

/* Marks the operations that are needed at every place: not those whose only readers have a guard
 * that may decide without them. */
static void mark_unguarded(const struct program *program, const struct world *world,
                           const unsigned *layers, unsigned count, bool *marks)
{
    for (unsigned i = 0; i < count; i++)
        marks[world->values[layers[i]]] = true;
    for (uint32_t i = program->count; i-- > 0;) {
        const struct operation *operation = &program->operations[i];
        const int32_t guard = operation->guard == GUARD_B ? operation->b : operation->a;
        for (int k = 0; k < 3 && marks[i]; k++)
            if (operation->operands[k] >= 0 &&
                (operation->guard == GUARD_NONE || operation->operands[k] == guard))
                marks[operation->operands[k]] = true;
    }
}

struct sampling_work inspect_work(const struct world *world, const unsigned *layers, unsigned count,
                                  struct sampling sampling)
{
    const struct program *program = &world->program;
    bool needed[PROGRAM_OPERATIONS_MAX] = {false}, unguarded[PROGRAM_OPERATIONS_MAX] = {false};
    struct sampling_work work = {0.0, 0.0};
    mark_layers(world, layers, count, needed);
    mark_unguarded(program, world, layers, count, unguarded);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        const double share = unguarded[i] ? 1.0 : GUARDED_SHARE;
        if (!needed[i])
            continue;
        if (operation->code == OP_NOISE) {
            const struct sampling_work noise =
                noise_work(program->noises[operation->table_index], operation->a >= 0, sampling);
            work.call += share * noise.call;
            work.sample += share * noise.sample;
        }
        work.call += share * OPERATION_CALL;
        work.sample += share * operation_work(operation, sampling.step <= 0.0);
    }
    return work;
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
