/* Plans a call of a sampler by walking the program from the requested layers down.
 *
 * An operation is uniform if all its samples of the call are equal: a constant, z and t, a noise
 * whose first octave has faded at this level of detail (however it is displaced), and everything
 * that depends on nothing else. Its value is computed here, once, by the kernel that would compute
 * its rows. A guard that is uniform decides here what else is needed. Most of what a zoomed-out
 * tile cannot show is thus never evaluated, and its displacements neither.
 *
 * The walk is recursive, as deep as the program's longest chain of operations. */
#include "core/sampling/sampler_plan.h"
#include "core/noise/work.h"
#include "core/program/operation_facts.h"
#include "core/sampling/coarse.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds of a sample of any operation but a noise, in a grid and in a list. */
static const float OPERATION_WORK = 0.3f, OPERATION_PLACE_WORK = 0.6f;
/* To look up the nodes around a sample, and to interpolate between them. */
static const float NODES_WORK = 4.0f, NODES_PLACE_WORK = 60.0f;

void sampling_plan_free(struct sampling_plan *plan)
{
    free(plan->operations);
}

bool sampling_plan_begin(struct sampling_plan *plan, const struct program *program, bool places)
{
    const uint32_t count = program->count;
    /* Of a large program a call for nodes needs little: only that is emptied again. */
    for (uint32_t i = 0; i < plan->needed_count; i++)
        memset(&plan->operations[plan->operations[i].needed], 0,
               offsetof(struct operation_plan, needed));
    plan->needed_count = 0; /* if memory is out */
    if (count > plan->capacity) {
        free(plan->operations);
        plan->operations = calloc(count, sizeof *plan->operations);
        plan->capacity = plan->operations ? count : 0;
    }
    if (count > plan->capacity)
        return false;
    plan->uniform_count = plan->coarse_count = plan->drainage_count = 0;
    plan->sample_work = 0.0f;
    plan->places = places;
    return true;
}

/* The number of the operand that guards the operation, 0 or 1, or -1. */
static int guard_operand(const struct operation *operation)
{
    return operation->guard == GUARD_NONE ? -1 : operation->guard == GUARD_B ? 1 : 0;
}

int32_t sampling_plan_guard(const struct operation *operation)
{
    const int guard = guard_operand(operation);
    return guard < 0 ? -1 : operation->operands[guard];
}

bool sampling_plan_guard_decides(const struct operation *operation, enum row_zeros zeros,
                                 int32_t *selected)
{
    *selected = -1;
    if (zeros == ROW_SOME_ZERO)
        return false;
    if (operation_rows[operation->code].guarding != GUARDS_BY_CONDITION)
        return zeros == ROW_ALL_ZERO;
    *selected = zeros == ROW_NONE_ZERO ? operation->b : operation->c;
    return true;
}

enum row_zeros sampling_plan_zeros(const struct operation_plan *plan)
{
    if (!plan->is_uniform)
        return ROW_SOME_ZERO;
    return plan->value == 0.0f ? ROW_ALL_ZERO : ROW_NONE_ZERO;
}

/* One call: what the functions below plan for. */
struct planning {
    struct sampling_plan *plan;
    const struct program *program;
    const struct noise_uniforms *uniforms;
    struct noise_scratch *scratch;
};

/* True if the noise is the same everywhere at this level of detail. */
static bool is_faded(const struct planning *planning, const struct operation *operation)
{
    return operation->code == OP_NOISE &&
           noise_is_faded(planning->program->noises[operation->table_index],
                          planning->uniforms->spacing);
}

/* The result of an operation that reads uniform operands only. */
static float uniform_value(const struct planning *planning, const struct operation *operation,
                           const int32_t operands[3])
{
    const struct operation_row *row = &operation_rows[operation->code];
    const struct band one = {.uniforms = *planning->uniforms, .count = 1};
    const float *values[3] = {0};
    float value;
    for (int k = 0; k < 3; k++)
        if (operands[k] >= 0)
            values[k] = &planning->plan->operations[operands[k]].value;
    if (operation->code == OP_BY_SPACING)
        coarse_by_spacing(1, values, planning->uniforms->spacing, operation->k[0], &value);
    else if (row->run_band)
        row->run_band(planning->program, operation, &one, values, &value);
    else
        row->run(planning->program, operation, 1, values, &value);
    return value;
}

static void plan_operation(const struct planning *planning, int32_t index);

/* Plans the guard of an operation. If it is uniform and decides, drops the operands that are then
 * not needed, and returns true with the selected one. */
static bool plan_guard(const struct planning *planning, const struct operation *operation,
                       int32_t operands[3], int32_t *selected)
{
    const int guard = guard_operand(operation);
    if (guard < 0)
        return false;
    plan_operation(planning, operands[guard]);
    if (!sampling_plan_guard_decides(
            operation, sampling_plan_zeros(&planning->plan->operations[operands[guard]]), selected))
        return false;
    for (int k = 0; k < 3; k++)
        if (k != guard && operands[k] != *selected)
            operands[k] = -1;
    return true;
}

/* Plans the operands besides the guard; true if all of them are uniform. */
static bool plan_operands(const struct planning *planning, const struct operation *operation,
                          const int32_t operands[3])
{
    bool all_uniform = true;
    for (int k = 0; k < 3; k++) {
        if (operands[k] < 0)
            continue;
        if (k != guard_operand(operation))
            plan_operation(planning, operands[k]);
        all_uniform &= planning->plan->operations[operands[k]].is_uniform;
    }
    return all_uniform;
}

/* Drops the displacement of a noise if it is 0 in all samples, as where the noises that displace
 * have faded: the noise along its lattice has the same bits and takes a third of the time. */
static void drop_no_displacement(const struct planning *planning, const struct operation *operation,
                                 int32_t operands[3])
{
    const struct operation_plan *plans = planning->plan->operations;
    if (operation->code == OP_NOISE && operands[0] >= 0 &&
        sampling_plan_zeros(&plans[operands[0]]) == ROW_ALL_ZERO &&
        sampling_plan_zeros(&plans[operands[1]]) == ROW_ALL_ZERO)
        operands[0] = operands[1] = -1;
}

/* The nanoseconds that each sample of an operation takes, roughly. */
static float work_of(const struct planning *planning, const struct operation *operation,
                     const int32_t operands[3])
{
    const bool places = planning->plan->places;
    if (operation->code == OP_NOISE)
        return noise_sample_work(planning->program->noises[operation->table_index],
                                 operands[0] >= 0, places, planning->uniforms->spacing);
    if (operation->code == OP_COARSE)
        return places ? NODES_PLACE_WORK : NODES_WORK;
    if (operation->code == OP_GULLIES)
        return (float)operation_time(operation, places);
    return places ? OPERATION_PLACE_WORK : OPERATION_WORK;
}

/* Adds a reader of an operation; with its first reader, also what it reads itself. */
static void plan_operation(const struct planning *planning, int32_t index)
{
    struct operation_plan *plans = planning->plan->operations, *plan = &plans[index];
    const struct operation *operation = &planning->program->operations[index];
    int32_t selected;
    if (plan->readers++ > 0)
        return;
    memcpy(plan->operands, operation->operands, sizeof plan->operands);
    coarse_drop_operands(operation, planning->uniforms->spacing, plan->operands);
    if (operation->code == OP_COARSE)
        plans[planning->plan->coarse_count++].coarse = (uint32_t)index;
    if (operation->code == OP_DRAINAGE)
        plans[planning->plan->drainage_count++].drainage = (uint32_t)index;
    if (is_faded(planning, operation)) {
        plan->operands[0] = plan->operands[1] = -1;
        plan->is_uniform = true;
        plan->value = noise_faded_value(planning->program->noises[operation->table_index],
                                        planning->uniforms->spacing, planning->scratch);
    } else if (plan_guard(planning, operation, plan->operands, &selected)) {
        plan->is_uniform = plan_operands(planning, operation, plan->operands);
        plan->value = selected < 0 ? 0.0f : plans[selected].value;
    } else {
        plan->is_uniform = plan_operands(planning, operation, plan->operands) &&
                           !operation_rows[operation->code].at_places;
        plan->value = plan->is_uniform ? uniform_value(planning, operation, plan->operands) : 0.0f;
        drop_no_displacement(planning, operation, plan->operands);
    }
    planning->plan->uniform_count += plan->is_uniform;
    if (!plan->is_uniform)
        planning->plan->sample_work += work_of(planning, operation, plan->operands);
    plans[planning->plan->needed_count++].needed = (uint32_t)index;
}

void sampling_plan_add(struct sampling_plan *plan, const struct program *program, int32_t index,
                       const struct noise_uniforms *uniforms, struct noise_scratch *scratch)
{
    const struct planning planning = {plan, program, uniforms, scratch};
    plan_operation(&planning, index);
}
