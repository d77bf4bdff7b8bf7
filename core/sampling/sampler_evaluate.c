/* Evaluates operations over a band.
 *
 * Evaluation is by demand, from the requested layers down. A guarded operation evaluates its guard
 * first; where the guard decides over the whole band (a factor is 0 everywhere, a condition holds
 * everywhere or nowhere), the other operand and everything that only it needs are skipped. That
 * changes no bit, as products have one zero only (row_kernels.c).
 *
 * A result is found in one of six kinds of rows:
 * - a row of the caller's, if the result is a requested layer and the grid has one block of
 * columns;
 * - a uniform row, filled once a call, if all samples of the call are equal (sampler_plan.c);
 * - a row of the drainage network's plan (drainage_plan.c);
 * - the row of zeros, which is all that a product needs whose guard is 0;
 * - the row of an operand, if every sample is that operand's: where a condition decides, and where
 *   samples are so near or so far apart that OP_BY_SPACING is one of its operands. The operand
 *   counts as read when all readers of the result have run;
 * - else a recycled row: the readers of each result are counted before the first band, and an
 *   operand whose last reader has run gives back its row, which is taken again first because it is
 *   still in the cache. Skipped operations never release their operands, so those keep their rows
 *   until the band ends; there are as many rows as operations, so acquire_row() cannot fail.
 *
 * Recursion in evaluate() is as deep as the program's longest chain of operations. */
#include "core/sampling/polyline_rows.h"
#include "core/sampling/sampler_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 64,
    OPERATION_CALL = 60, /* nanoseconds to evaluate an operation, whatever the band */
};

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Makes the memory at least `size` bytes large; its content is lost if it grows. */
static bool reserve(struct sampler_memory *memory, size_t size)
{
    if (size <= memory->size)
        return true;
    free(memory->bytes);
    memory->bytes = aligned_alloc(ALIGNMENT, size);
    memory->size = memory->bytes ? size : 0;
    return memory->bytes != NULL;
}

/* Row 0 is the row of zeros; then come the recycled rows and the uniform ones. */
static float *row_at(const struct sampler *sampler, uint32_t row)
{
    return (float *)(void *)(sampler->rows.bytes + row * sampler->row_bytes);
}

static uint32_t recycled_count(const struct sampler *sampler)
{
    return sampler->plan.needed_count - sampler->plan.uniform_count;
}

/* Reserves one row of `samples` floats for each needed operation, few of which are ever touched. */
bool sampler_reserve_rows(struct sampler *sampler, size_t samples)
{
    sampler->row_bytes = aligned(samples * sizeof(float));
    sampler->uniform_rows = 0;
    if (!reserve(&sampler->rows, (1 + (size_t)sampler->plan.needed_count) * sampler->row_bytes))
        return false;
    memset(row_at(sampler, 0), 0, sampler->row_bytes);
    return true;
}

void sampler_use_output_rows(struct sampler *sampler)
{
    const struct sampler_operations *wanted = &sampler->wanted;
    for (unsigned i = 0; i < wanted->count; i++)
        sampler->plan.operations[wanted->operations[i]].output = wanted->outputs[i];
}

static struct noise_block block_of(const struct sampler *sampler)
{
    const struct band *band = &sampler->band;
    return (struct noise_block){band->x, band->step, band->columns, band->uniforms};
}

static bool is_displaced(const struct operation_plan *plan)
{
    return plan->operands[0] >= 0;
}

bool sampler_reserve_grids(struct sampler *sampler)
{
    const struct noise_block block = block_of(sampler);
    struct operation_plan *plans = sampler->plan.operations;
    size_t used = 0;
    for (uint32_t i = 0; i < sampler->plan.needed_count; i++) {
        struct operation_plan *plan = &plans[plans[i].needed];
        const struct operation *operation = &sampler->program->operations[plans[i].needed];
        if (operation->code != OP_NOISE || plan->is_uniform)
            continue;
        plan->grid = NULL;
        plan->grid_offset = used;
        used += aligned(noise_grid_size(sampler->program->noises[operation->table_index], &block,
                                        is_displaced(plan)));
    }
    return reserve(&sampler->grids, used);
}

static struct noise_grid *grid_of(struct sampler *sampler, uint32_t index)
{
    struct operation_plan *plan = &sampler->plan.operations[index];
    const struct operation *operation = &sampler->program->operations[index];
    const struct noise_block block = block_of(sampler);
    if (!plan->grid)
        plan->grid = noise_grid_begin(sampler->program->noises[operation->table_index], &block,
                                      is_displaced(plan), sampler->grids.bytes + plan->grid_offset);
    return plan->grid;
}

static void run_noise(struct sampler *sampler, uint32_t index, const float *const moved[3],
                      float *out)
{
    const struct operation *operation = &sampler->program->operations[index];
    const struct band *band = &sampler->band;
    if (band->places) {
        const struct noise_point_list list = {band->places, band->count, band->uniforms, moved[0],
                                              moved[1]};
        noise_points(sampler->program->noises[operation->table_index], &list, &sampler->scratch,
                     out);
    } else if (is_displaced(&sampler->plan.operations[index])) {
        const struct noise_displaced_rows rows = {band->y, band->rows, moved[0], moved[1]};
        noise_grid_displaced(grid_of(sampler, index), &rows, &sampler->scratch, out);
    } else {
        noise_grid_rows(grid_of(sampler, index), band->y, band->rows, &sampler->scratch, out);
    }
}

/* When memory is out, the samples are 0, and the call fails at its end. */
static void run_coarse(struct sampler *sampler, uint32_t index, const float *const rows[3],
                       float *out)
{
    if (sampler->failed || !coarse_run(sampler->coarse, index, &sampler->band, rows + 1, out)) {
        sampler->failed = true;
        row_kernel_fill(sampler->band.count, 0.0f, out);
    }
}

/* The row of an operation of the network, which belongs to the plan. Likewise. */
static const float *drainage_row(struct sampler *sampler, uint32_t index,
                                 const float *const moved[3])
{
    const float *row =
        sampler->failed ? NULL : drainage_plan_run(sampler->drainage, index, &sampler->band, moved);
    sampler->failed |= !row;
    return row ? row : row_at(sampler, 0);
}

static void run_by_spacing(struct sampler *sampler, uint32_t index, const float *const rows[3],
                           float *out)
{
    coarse_by_spacing(sampler->band.count, rows, sampler->band.uniforms.spacing,
                      sampler->program->operations[index].k[0], out);
}

/* Writes zeros, and lets the sampler fail, when the meter has stopped. */
static void run_polyline(struct sampler *sampler, uint32_t index, const float *const moved[3],
                         float *out)
{
    const struct polyline_rows rows = {sampler->program, &sampler->program->operations[index],
                                       &sampler->band, moved, &sampler->kept->work};
    if (sampler->failed || !polyline_rows_run(&rows, out)) {
        sampler->failed = true;
        row_kernel_fill(sampler->band.count, 0.0f, out);
    }
}

/* The operations that need the state of the sampler, besides rows and the band. */
typedef void sampler_run(struct sampler *sampler, uint32_t index, const float *const rows[3],
                         float *out);
static sampler_run *const sampler_runs[OP_COUNT] = {
    [OP_NOISE] = run_noise,
    [OP_COARSE] = run_coarse,
    [OP_BY_SPACING] = run_by_spacing,
    [OP_POLYLINE_DISTANCE] = run_polyline,
    [OP_POLYLINE_ALONG] = run_polyline,
    [OP_POLYLINE_SIDE] = run_polyline,
    [OP_POLYLINE_X] = run_polyline,
    [OP_POLYLINE_Y] = run_polyline,
    [OP_POLYLINE_SIGNED] = run_polyline,
    [OP_POLYLINE_MOVE] = run_polyline,
};

static void run_operation(struct sampler *sampler, uint32_t index, const float *const rows[3],
                          float *out)
{
    const struct program *program = sampler->program;
    const struct operation *operation = &program->operations[index];
    const struct operation_row *row = &operation_rows[operation->code];
    if (row->run)
        row->run(program, operation, sampler->band.count, rows, out);
    else if (row->run_band)
        row->run_band(program, operation, &sampler->band, rows, out);
    else
        sampler_runs[operation->code](sampler, index, rows, out);
}

static const float *evaluate(struct sampler *sampler, int32_t index);

/* Evaluates the guard of an operation, if it has one. True if it decides for the whole band: then
 * *selected is the operand that is the result, or -1 for a result of 0. */
static bool resolve_guard(struct sampler *sampler, const struct operation *operation,
                          int32_t *selected)
{
    const int32_t guard = sampling_plan_guard(operation);
    if (guard < 0)
        return false;
    enum row_zeros zeros = sampling_plan_zeros(&sampler->plan.operations[guard]);
    if (zeros == ROW_SOME_ZERO)
        zeros = row_kernel_zeros(sampler->band.count, evaluate(sampler, guard));
    return sampling_plan_guard_decides(operation, zeros, selected);
}

/* Counts one read of a result. After the last one its row is given back. */
static void release(struct sampler *sampler, int32_t index)
{
    struct operation_plan *plan = &sampler->plan.operations[index];
    if (--plan->reads_left > 0)
        return;
    if (plan->row)
        sampler->plan.operations[sampler->free_count++].free_row = plan->row;
    if (plan->row || plan->lender >= 0)
        plan->result = NULL;
    plan->row = NULL;
    if (plan->lender >= 0)
        release(sampler, plan->lender);
}

/* Counts one read of each operand, but not of the lender: that lasts as long as the result. */
static void release_operands(struct sampler *sampler, const struct operation_plan *plan)
{
    int32_t lender = plan->lender;
    for (int k = 0; k < 3; k++) {
        const int32_t operand = plan->operands[k];
        if (operand >= 0 && operand == lender)
            lender = -1;
        else if (operand >= 0)
            release(sampler, operand);
    }
}

/* The row that an operation's result is to be written to. */
static float *acquire_row(struct sampler *sampler, struct operation_plan *plan)
{
    if (plan->output)
        return plan->output + sampler->output_offset;
    return plan->row = sampler->plan.operations[--sampler->free_count].free_row;
}

static const float *fill_uniform_row(struct sampler *sampler, const struct operation_plan *plan)
{
    float *row = row_at(sampler, 1 + recycled_count(sampler) + sampler->uniform_rows++);
    row_kernel_fill(sampler->row_bytes / sizeof *row, plan->value, row);
    return row;
}

/* True if all samples of the operation in the band are those of its operand *selected, or, if that
 * is -1, are 0. */
static bool is_decided(struct sampler *sampler, uint32_t index, int32_t *selected)
{
    const struct operation *operation = &sampler->program->operations[index];
    const struct operation_plan *plan = &sampler->plan.operations[index];
    if (operation->code != OP_BY_SPACING)
        return resolve_guard(sampler, operation, selected);
    *selected = plan->operands[0] < 0 ? plan->operands[1] : plan->operands[0];
    return plan->operands[0] < 0 || plan->operands[1] < 0;
}

/* The row of the lender of a result. If nothing else reads that, it is computed where the caller
 * wants the result, in this band: in the next one the result may be computed, and not lent. */
static const float *evaluate_lender(struct sampler *sampler, const struct operation_plan *plan)
{
    struct operation_plan *lender = &sampler->plan.operations[plan->lender];
    const bool alone = plan->output && !lender->output && lender->readers == 1;
    if (alone)
        lender->output = plan->output;
    const float *row = evaluate(sampler, plan->lender);
    if (alone)
        lender->output = NULL;
    return row;
}

static const float *compute(struct sampler *sampler, uint32_t index)
{
    struct operation_plan *plan = &sampler->plan.operations[index];
    const float *rows[3] = {0};
    if (is_decided(sampler, index, &plan->lender))
        return plan->lender < 0 ? row_at(sampler, 0) : evaluate_lender(sampler, plan);
    plan->lender = -1;
    for (int k = 0; k < 3; k++)
        if (plan->operands[k] >= 0)
            rows[k] = evaluate(sampler, plan->operands[k]);
    if (sampler->program->operations[index].code == OP_DRAINAGE)
        return drainage_row(sampler, index, rows);
    float *out = acquire_row(sampler, plan);
    run_operation(sampler, index, rows, out);
    return out;
}

/* The row of an operation's result in this band; computes it if that has not happened. */
static const float *evaluate(struct sampler *sampler, int32_t index)
{
    struct operation_plan *plan = &sampler->plan.operations[index];
    if (plan->result)
        return plan->result;
    if (plan->is_uniform)
        return plan->result = fill_uniform_row(sampler, plan);
    plan->result = compute(sampler, (uint32_t)index);
    release_operands(sampler, plan);
    return plan->result;
}

static void begin_band(struct sampler *sampler)
{
    struct operation_plan *plans = sampler->plan.operations;
    if (sampler->plan.coarse_count > 0)
        coarse_begin_band(sampler->coarse, sampler->band.rows + sampler->rows_left);
    if (sampler->plan.drainage_count > 0)
        drainage_plan_begin_band(sampler->drainage, sampler->rows_left);
    for (uint32_t i = 0; i < sampler->plan.needed_count; i++) {
        struct operation_plan *plan = &plans[plans[i].needed];
        plan->reads_left = plan->readers;
        plan->row = NULL;
        plan->lender = -1;
        if (!plan->is_uniform)
            plan->result = NULL;
    }
    sampler->free_count = recycled_count(sampler);
    for (uint32_t i = 0; i < sampler->free_count; i++) /* the first rows are taken first */
        plans[i].free_row = row_at(sampler, sampler->free_count - i);
}

/* The work of a band, without what nodes and the network take, which count for themselves. */
static bool add_band_work(struct sampler *sampler)
{
    const struct sampling_plan *plan = &sampler->plan;
    return work_add(&sampler->kept->work,
                    (uint64_t)((float)sampler->band.count * plan->sample_work) +
                        OPERATION_CALL * plan->needed_count);
}

/* Copies the samples of a band to the caller's rows. */
static void copy_band(const struct sampler *sampler, const float *from, float *to)
{
    const struct band *band = &sampler->band;
    const bool apart = !band->places && sampler->output_stride != band->columns;
    const size_t width = apart ? band->columns : band->count;
    for (size_t done = 0; done < band->count; done += width, to += sampler->output_stride)
        memcpy(to, from + done, width * sizeof *to);
}

void sampler_run_band(struct sampler *sampler)
{
    const struct sampler_operations *wanted = &sampler->wanted;
    if (!add_band_work(sampler)) {
        sampler->failed = true;
        return;
    }
    begin_band(sampler);
    for (unsigned i = 0; i < wanted->count; i++) {
        const float *from = evaluate(sampler, wanted->operations[i]);
        float *to = wanted->outputs[i] + sampler->output_offset;
        if (from != to)
            copy_band(sampler, from, to);
    }
}
