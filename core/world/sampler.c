/* Runs a program over a grid or a list of places.
 *
 * A grid is cut into blocks of columns, and a block into bands of rows whose results stay in the
 * first-level cache; one operation at a time runs over a whole band, so every inner loop is a
 * simple loop over floats that the compiler vectorises, and the cost of dispatch is spread over
 * 2048 samples. Points run as bands of NOISE_ROW_MAX places.
 *
 * Evaluation is by demand, from the requested layers down. A guarded operation evaluates its guard
 * first; where the guard decides over the whole band (a factor is 0 everywhere, a condition holds
 * everywhere or nowhere), the other operand and everything that only it needs are skipped. That
 * changes no bit, as products have one zero only (row_kernels.c).
 *
 * Rows are recycled: readers of each result are counted before the first band, and an operand whose
 * last reader has run gives back its row, which is taken again first because it is still in the
 * cache. Skipped operations never release their operands, so those keep their rows until the band
 * ends; there are as many rows as operations, so acquire_row() cannot fail.
 *
 * Recursion in evaluate() is as deep as the program's longest chain of operations. */
#include "core/world/sampler.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/world/coarse.h"
#include "core/world/coarse_kernels.h"
#include "core/world/row_kernels.h"
#include "core/world/sampler_nested.h"
#include "core/world/world_private.h"

enum {
    BAND_SAMPLES = 2048, /* 8 KB for a result */
    ALIGNMENT = 64,
};
#define SAMPLER_SLACK ((int64_t)1 << (25 + PLACE_BITS))

/* The plan for one operation of the program, and its state in a band. */
struct operation_plan {
    int32_t operands[3]; /* those to evaluate at this level of detail; -1 for the others */
    uint32_t readers;    /* how often its result is read in a band; 0 if it is not needed */
    uint32_t reads_left; /* how many of those are still to come */
    int32_t row;         /* which row holds its result in this band, or -1 */
    int32_t free_row;    /* of the i-th operation: the i-th entry in the stack of free rows */
    struct noise_grid *grid;
};

struct sampler {
    struct noise_scratch scratch;
    struct operation_plan *plan;
    uint32_t capacity;
    uint32_t needed_count, free_count;
    struct coarse *coarse;      /* null before the first request that needs it */
    struct node_reader *reader; /* of a nested sampler: whose store it shares */
    uint32_t *coarse_operations;
    size_t coarse_capacity;
    bool failed; /* memory was out in this request */
    /* Memory behind rows and grids. */
    char *memory;
    size_t memory_size, row_bytes;
};

/* One call of the sampler: the band that is being evaluated. */
struct run {
    struct sampler *sampler;
    const struct world *world;
    const struct sampler_operations *wanted;
    struct noise_uniforms uniforms;
    size_t count; /* samples in the band */
    /* a grid */
    int64_t x, y, step;
    uint32_t columns, rows;
    /* or places */
    const struct place *places;
};

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

struct sampler *sampler_new(void)
{
    const size_t size = aligned(sizeof(struct sampler));
    struct sampler *sampler = aligned_alloc(ALIGNMENT, size);
    if (sampler)
        memset(sampler, 0, size);
    return sampler;
}

void sampler_free(struct sampler *sampler)
{
    if (!sampler)
        return;
    coarse_free(sampler->coarse);
    free(sampler->coarse_operations);
    free(sampler->plan);
    free(sampler->memory);
    free(sampler);
}

struct sampler *sampler_new_nested(struct node_reader *reader)
{
    struct sampler *sampler = sampler_new();
    if (sampler)
        sampler->reader = reader;
    return sampler;
}

static bool reserve_plan(struct sampler *sampler, uint32_t count)
{
    if (count > sampler->capacity) {
        free(sampler->plan);
        sampler->plan = malloc(count * sizeof *sampler->plan);
        sampler->capacity = sampler->plan ? count : 0;
    }
    return count <= sampler->capacity;
}

/* Chooses the operands to evaluate: of OP_COARSE not the one that is sampled at nodes, and of
 * OP_BY_SPACING only those that have a share. */
static void plan_operands(const struct operation *operation, double spacing, int32_t operands[3])
{
    memcpy(operands, operation->operands, sizeof operation->operands);
    if (operation->code == OP_COARSE)
        operands[0] = -1;
    if (operation->code != OP_BY_SPACING)
        return;
    const float share = coarse_direct_share(spacing, operation->k[0]);
    operands[0] = share < 1.0f ? operands[0] : -1;
    operands[1] = share > 0.0f ? operands[1] : -1;
}

/* Begins the plan of the operations OP_COARSE that have readers. */
static bool plan_coarse(const struct run *run)
{
    struct sampler *sampler = run->sampler;
    const struct program *program = &run->world->program;
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->count && program->node_grid_count > 0; i++) {
        if (program->operations[i].code != OP_COARSE || sampler->plan[i].readers == 0)
            continue;
        uint32_t *numbers = array_reserve(sampler->coarse_operations, count,
                                          &sampler->coarse_capacity, sizeof *numbers);
        if (!numbers)
            return false;
        sampler->coarse_operations = numbers;
        numbers[count++] = i;
    }
    if (count == 0)
        return true;
    if (!sampler->coarse)
        sampler->coarse = coarse_new(sampler->reader);
    return sampler->coarse && coarse_begin(sampler->coarse, run->world, sampler->coarse_operations,
                                           count, &run->uniforms);
}

/* Counts the readers of each operation in one pass from the last one down, as operands have lower
 * numbers. */
static bool plan_operations(const struct run *run)
{
    struct sampler *sampler = run->sampler;
    const struct program *program = &run->world->program;
    if (!reserve_plan(sampler, program->count))
        return false;
    memset(sampler->plan, 0, program->count * sizeof *sampler->plan);
    for (unsigned i = 0; i < run->wanted->count; i++) /* read once more, at the end of the band */
        sampler->plan[run->wanted->operations[i]].readers++;
    sampler->needed_count = 0;
    sampler->failed = false;
    for (uint32_t i = program->count; i-- > 0;) {
        int32_t *operands = sampler->plan[i].operands;
        if (sampler->plan[i].readers == 0)
            continue;
        sampler->needed_count++;
        plan_operands(&program->operations[i], run->uniforms.spacing, operands);
        for (int k = 0; k < 3; k++)
            if (operands[k] >= 0)
                sampler->plan[operands[k]].readers++;
    }
    return plan_coarse(run);
}

static bool reserve_memory(struct sampler *sampler, size_t size)
{
    if (size <= sampler->memory_size)
        return true;
    free(sampler->memory);
    sampler->memory = aligned_alloc(ALIGNMENT, size);
    sampler->memory_size = sampler->memory ? size : 0;
    return sampler->memory != NULL;
}

/* Plans one row of `samples` floats for each needed operation, at the start of the sampler's
 * memory; returns their size. Few of them are ever touched, as rows are recycled. */
static size_t plan_rows(struct sampler *sampler, size_t samples)
{
    sampler->row_bytes = aligned(samples * sizeof(float));
    return sampler->needed_count * sampler->row_bytes;
}

static float *row_at(const struct sampler *sampler, int32_t row)
{
    return (float *)(void *)(sampler->memory + (size_t)row * sampler->row_bytes);
}

/* Prepares every needed noise for a block of columns, in memory behind the rows. */
static bool prepare_grids(const struct run *run, size_t samples)
{
    struct sampler *sampler = run->sampler;
    const struct program *program = &run->world->program;
    const struct noise_block block = {run->x, run->step, run->columns, run->uniforms};
    for (int pass = 0; pass < 2; pass++) { /* the first only adds up the memory */
        size_t used = plan_rows(sampler, samples);
        for (uint32_t i = 0; i < program->count; i++) {
            const struct operation *operation = &program->operations[i];
            if (sampler->plan[i].readers == 0 || operation->code != OP_NOISE)
                continue;
            const struct noise *noise = program->noises[operation->table_index];
            bool displaced = operation->a >= 0;
            if (pass == 1)
                sampler->plan[i].grid =
                    noise_grid_begin(noise, &block, displaced, sampler->memory + used);
            used += aligned(noise_grid_size(noise, &block, displaced));
        }
        if (pass == 0 && !reserve_memory(sampler, used))
            return false;
    }
    return true;
}

static float metres(int64_t coordinate)
{
    return (float)place_metres(coordinate);
}

static void fill(float *out, size_t count, float value)
{
    for (size_t i = 0; i < count; i++)
        out[i] = value;
}

static void run_coordinates(const struct run *run, bool east, float *out)
{
    if (run->places) {
        for (size_t i = 0; i < run->count; i++)
            out[i] = metres(east ? run->places[i].x : run->places[i].y);
        return;
    }
    for (uint32_t row = 0; row < run->rows; row++, out += run->columns) {
        if (!east) {
            fill(out, run->columns, metres(run->y + row * run->step));
            continue;
        }
        for (uint32_t i = 0; i < run->columns; i++)
            out[i] = metres(run->x + i * run->step);
    }
}

static struct place place_of(const struct run *run, size_t i)
{
    if (run->places)
        return run->places[i];
    return (struct place){run->x + (int64_t)(i % run->columns) * run->step,
                          run->y + (int64_t)(i / run->columns) * run->step};
}

static float cycle_at(const struct cycle *cycle, struct place place, float moved)
{
    place.x += cycle->shift_x;
    place.y += cycle->shift_y;
    if (cycle->form[0] != 0 || cycle->form[1] != 0)
        return noise_cycle_along(place, cycle->form, cycle->period, moved);
    return noise_cycle(cycle->sign * (cycle->axis == 0 ? place.x : place.y), cycle->period, moved);
}

static void run_cycle(const struct run *run, const struct operation *operation, const float *moved,
                      float *out)
{
    const struct cycle *cycle = &run->world->program.cycles[operation->table_index];
    const bool along = cycle->form[0] == 0 && cycle->form[1] == 0 && !moved && !run->places;
    for (size_t i = 0; i < run->count; i++) {
        const size_t row = run->places ? 0 : i / run->columns;
        const size_t column = run->places ? 0 : i % run->columns;
        /* Along an axis, all rows or all columns of a grid are equal. */
        if (along && cycle->axis == 0 && row > 0)
            out[i] = out[column];
        else if (along && cycle->axis == 1 && column > 0)
            out[i] = out[i - 1];
        else
            out[i] = cycle_at(cycle, place_of(run, i), moved ? moved[i] : 0.0f);
    }
}

/* In double, so that only the last conversion rounds noticeably: the differences of coordinates are
 * exact integers. */
static void run_distance(const struct run *run, const struct operation *operation,
                         const float *const moved[2], float *out)
{
    const struct place *centre = &run->world->program.centres[operation->table_index];
    for (size_t i = 0; i < run->count; i++) {
        const struct place place = place_of(run, i);
        double east = (double)(place.x - centre->x) * 0x1p-16;
        double south = (double)(place.y - centre->y) * 0x1p-16;
        east += moved[0] ? (double)moved[0][i] : 0.0;
        south += moved[1] ? (double)moved[1][i] : 0.0;
        out[i] = (float)__builtin_sqrt(east * east + south * south);
    }
}

static void run_noise(const struct run *run, uint32_t index, const float *dx, const float *dy,
                      float *out)
{
    struct sampler *sampler = run->sampler;
    const struct operation *operation = &run->world->program.operations[index];
    if (run->places) {
        const struct noise_point_list list = {run->places, run->count, run->uniforms, dx, dy};
        noise_points(run->world->program.noises[operation->table_index], &list, &sampler->scratch,
                     out);
    } else if (dx) {
        noise_grid_displaced(sampler->plan[index].grid, run->y, run->rows, dx, dy,
                             &sampler->scratch, out);
    } else {
        noise_grid_rows(sampler->plan[index].grid, run->y, run->rows, &sampler->scratch, out);
    }
}

/* When memory is out, the samples are 0, and the request fails at the end. */
static void run_coarse(const struct run *run, uint32_t index, const float *dx, const float *dy,
                       float *out)
{
    const struct coarse_samples_wanted wanted = {run->places, run->count, run->y, run->rows, dx,
                                                 dy};
    struct sampler *sampler = run->sampler;
    if (sampler->failed || !coarse_run(sampler->coarse, index, &wanted, out)) {
        sampler->failed = true;
        fill(out, run->count, 0.0f);
    }
}

static void run_by_spacing(const struct run *run, const struct operation *operation,
                           const float *const rows[3], float *out)
{
    if (rows[0] && rows[1])
        coarse_mix(run->count, rows[0], rows[1],
                   coarse_direct_share(run->uniforms.spacing, operation->k[0]), out);
    else
        memcpy(out, rows[0] ? rows[0] : rows[1], run->count * sizeof *out);
}

static void run_operation(const struct run *run, uint32_t index, const float *const rows[3],
                          float *out)
{
    const struct operation *operation = &run->world->program.operations[index];
    switch (operation->code) {
    case OP_X:
    case OP_Y:
        run_coordinates(run, operation->code == OP_X, out);
        break;
    case OP_Z:
        fill(out, run->count, metres(run->uniforms.z));
        break;
    case OP_T:
        fill(out, run->count, metres(run->uniforms.t));
        break;
    case OP_CYCLE:
        run_cycle(run, operation, rows[0], out);
        break;
    case OP_DISTANCE:
        run_distance(run, operation, rows, out);
        break;
    case OP_NOISE:
        run_noise(run, index, rows[0], rows[1], out);
        break;
    case OP_COARSE:
        run_coarse(run, index, rows[1], rows[2], out);
        break;
    case OP_BY_SPACING:
        run_by_spacing(run, operation, rows, out);
        break;
    default:
        row_kernel_run(&run->world->program, operation, run->count, rows, out);
    }
}

static const float *evaluate(const struct run *run, int32_t index);

/* Evaluates the guard of an operation. True if it decides for the whole band: then *selected is the
 * operand that is the result, or -1 for a result of 0. */
static bool resolve_guard(const struct run *run, const struct operation *operation,
                          int32_t *selected)
{
    int32_t guard = operation->guard == GUARD_B ? operation->b : operation->a;
    enum row_zeros zeros = row_kernel_zeros(run->count, evaluate(run, guard));
    *selected = -1;
    if (zeros == ROW_SOME_ZERO)
        return false;
    if (operation->code != OP_CHOOSE)
        return zeros == ROW_ALL_ZERO;
    *selected = zeros == ROW_NONE_ZERO ? operation->b : operation->c;
    return true;
}

/* Counts one read of each operand, and gives back the rows of those that have no reads left. */
static void release_operands(struct sampler *sampler, const int32_t operands[3])
{
    for (int k = 0; k < 3; k++) {
        if (operands[k] < 0)
            continue;
        struct operation_plan *operand = &sampler->plan[operands[k]];
        if (--operand->reads_left > 0 || operand->row < 0)
            continue;
        sampler->plan[sampler->free_count++].free_row = operand->row;
        operand->row = -1;
    }
}

static float *acquire_row(struct sampler *sampler, int32_t index)
{
    sampler->plan[index].row = sampler->plan[--sampler->free_count].free_row;
    return row_at(sampler, sampler->plan[index].row);
}

/* The row of an operation's result in this band; evaluates the operation if that has not happened.
 */
static const float *evaluate(const struct run *run, int32_t index)
{
    struct sampler *sampler = run->sampler;
    const struct operation *operation = &run->world->program.operations[index];
    const int32_t *operands = sampler->plan[index].operands;
    const float *rows[3] = {0};
    int32_t selected;
    float *out;
    if (sampler->plan[index].row >= 0)
        return row_at(sampler, sampler->plan[index].row);
    if (operation->guard != GUARD_NONE && resolve_guard(run, operation, &selected)) {
        rows[0] = selected < 0 ? NULL : evaluate(run, selected);
        out = acquire_row(sampler, index);
        if (rows[0])
            memcpy(out, rows[0], run->count * sizeof *out);
        else
            fill(out, run->count, 0.0f);
    } else {
        for (int k = 0; k < 3; k++)
            rows[k] = operands[k] < 0 ? NULL : evaluate(run, operands[k]);
        out = acquire_row(sampler, index);
        run_operation(run, (uint32_t)index, rows, out);
    }
    release_operands(sampler, operands);
    return out;
}

static void begin_band(struct sampler *sampler, const struct program *program)
{
    if (sampler->coarse)
        coarse_begin_band(sampler->coarse);
    for (uint32_t i = 0; i < program->count; i++) {
        sampler->plan[i].reads_left = sampler->plan[i].readers;
        sampler->plan[i].row = -1;
    }
    sampler->free_count = sampler->needed_count;
    for (uint32_t i = 0; i < sampler->free_count; i++) /* the first rows are taken first */
        sampler->plan[i].free_row = (int32_t)(sampler->free_count - 1 - i);
}

static const float *result_of(const struct run *run, unsigned output)
{
    return evaluate(run, run->wanted->operations[output]);
}

/* Samples one block: `width` columns from column `first` on. Rows are padded to whole vectors; the
 * padding is sampled and not copied. */
static bool run_block(struct run *run, const struct sample_grid *grid, uint32_t first,
                      uint32_t width)
{
    run->x = grid->x + first * grid->step;
    run->columns = (width + NOISE_LANES - 1) / NOISE_LANES * NOISE_LANES;
    uint32_t band = BAND_SAMPLES / run->columns;
    band = band == 0 ? 1 : band;
    if (!prepare_grids(run, (size_t)band * run->columns))
        return false;
    if (run->sampler->coarse)
        coarse_begin_block(run->sampler->coarse, &(struct coarse_block){run->x, grid->y, run->step,
                                                                        run->columns, width,
                                                                        grid->rows});
    for (uint32_t row = 0; row < grid->rows; row += run->rows) {
        run->y = grid->y + row * grid->step;
        run->rows = grid->rows - row < band ? grid->rows - row : band;
        run->count = (size_t)run->rows * run->columns;
        begin_band(run->sampler, &run->world->program);
        for (unsigned i = 0; i < run->wanted->count; i++) {
            const float *from = result_of(run, i);
            float *to = run->wanted->outputs[i] + (size_t)row * grid->columns + first;
            for (uint32_t k = 0; k < run->rows; k++, from += run->columns, to += grid->columns)
                memcpy(to, from, width * sizeof *to);
        }
    }
    return true;
}

/* The slack lets a picture at the edge of the world have its apron of samples. */
static bool in_range(int64_t first, int64_t step, uint32_t count)
{
    if (step > 4 * PLACE_LIMIT)
        return false;
    const int64_t slack = 2 * step > SAMPLER_SLACK ? 2 * step : SAMPLER_SLACK;
    const int128 last = int128_add(int128_from(first), int128_multiply(step, (int64_t)count - 1));
    return first >= -PLACE_LIMIT - slack && !int128_less(int128_from(PLACE_LIMIT + slack), last);
}

static bool fail_range(struct error *error)
{
    return error_set(error, ERROR_LIMIT, "coordinates must be from -2^40 to 2^40 m (about 1.1e12)");
}

bool sampler_nested_grid(struct sampler *sampler, const struct world *world,
                         const struct sample_grid *grid, const struct sampler_operations *wanted,
                         struct error *error)
{
    struct run run = {
        .sampler = sampler,
        .world = world,
        .wanted = wanted,
        .uniforms = {grid->z, grid->t, grid->spacing},
        .step = grid->step,
    };
    if (!plan_operations(&run))
        return error_memory(error);
    uint32_t blocks = (grid->columns + NOISE_ROW_MAX - 1) / NOISE_ROW_MAX;
    uint32_t width = (grid->columns + blocks - 1) / blocks;
    for (uint32_t first = 0; first < grid->columns; first += width) {
        uint32_t left = grid->columns - first;
        if (!run_block(&run, grid, first, left < width ? left : width))
            return error_memory(error);
    }
    return !sampler->failed || error_memory(error);
}

bool sampler_nested_points(struct sampler *sampler, const struct world *world,
                           const struct sample_points *points,
                           const struct sampler_operations *wanted, struct error *error)
{
    struct run run = {
        .sampler = sampler,
        .world = world,
        .wanted = wanted,
        .uniforms = {points->z, points->t, points->spacing},
    };
    if (!plan_operations(&run) || !reserve_memory(sampler, plan_rows(sampler, NOISE_ROW_MAX)))
        return error_memory(error);
    for (size_t start = 0; start < points->count; start += run.count) {
        size_t left = points->count - start;
        run.places = points->places + start;
        run.count = left < NOISE_ROW_MAX ? left : NOISE_ROW_MAX;
        begin_band(sampler, &world->program);
        for (unsigned i = 0; i < wanted->count; i++)
            memcpy(wanted->outputs[i] + start, result_of(&run, i), run.count * sizeof(float));
    }
    return !sampler->failed || error_memory(error);
}

/* The operations of the layers that are requested. */
static struct sampler_operations operations_of(const struct world *world,
                                               const struct sample_request *request,
                                               int32_t operations[WORLD_LAYERS_MAX + 1])
{
    for (unsigned i = 0; i < request->count; i++)
        operations[i] = world->values[request->layers[i]];
    return (struct sampler_operations){operations, request->outputs, request->count};
}

bool sampler_grid(struct sampler *sampler, const struct world *world,
                  const struct sample_grid *grid, const struct sample_request *request,
                  struct error *error)
{
    int32_t operations[WORLD_LAYERS_MAX + 1];
    const struct sampler_operations wanted = operations_of(world, request, operations);
    if (!in_range(grid->x, grid->step, grid->columns) || !in_range(grid->y, grid->step, grid->rows))
        return fail_range(error);
    return sampler_nested_grid(sampler, world, grid, &wanted, error);
}

bool sampler_points(struct sampler *sampler, const struct world *world,
                    const struct sample_points *points, const struct sample_request *request,
                    struct error *error)
{
    int32_t operations[WORLD_LAYERS_MAX + 1];
    const struct sampler_operations wanted = operations_of(world, request, operations);
    for (size_t i = 0; i < points->count; i++)
        if (!in_range(points->places[i].x, 0, 1) || !in_range(points->places[i].y, 0, 1))
            return fail_range(error);
    return sampler_nested_points(sampler, world, points, &wanted, error);
}
