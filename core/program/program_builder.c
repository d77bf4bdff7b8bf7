/* Builds programs: lists of operations without duplicates.
 *
 * Adding an operation is value numbering: an index by hash finds an equal operation with equal
 * operands, whose number is returned instead. An operation on constants alone is run at once by the
 * kernel that would run it later, so folding changes no bit. One whose bounds are one number is
 * that number. A binary operation holds one constant operand in itself, which saves a row of equal
 * samples. simplify.c finds operations that are needless. The row of an operation says how
 * (operations.def).
 *
 * Noises and all else that is too large for an operation are kept in tables (program_tables.c).
 * Every addition is counted as work, which the compiler limits. */
#include "core/program/program_builder.h"

#include <float.h>
#include <string.h>

#include "core/program/operation_bounds.h"
#include "core/program/operation_facts.h"
#include "core/program/operation_slopes.h"
#include "core/program/program_tables.h"
#include "core/program/row_kernels.h"

static bool same_operation(const void *entry, const void *item)
{
    const struct operation *a = entry, *b = item;
    return a->code == b->code && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->table_index == b->table_index && memcmp(a->k, b->k, sizeof a->k) == 0;
}

static int32_t refuse_more(const struct program *program)
{
    error_set(program->error, ERROR_LIMIT, "the world compiles to more than %d operations",
              PROGRAM_OPERATIONS_MAX);
    return -1;
}

int32_t program_add(struct program *program, const struct operation *operation)
{
    const struct table table = {
        (void **)&program->operations, &program->count,           &program->capacity,
        sizeof *program->operations,   &program->operation_index, same_operation};
    const uint64_t hash = program_hash_operation(operation);
    const int32_t found = table_find(&table, operation, hash);
    struct operation added = *operation;
    program->work += WORK_OPERATION;
    if (program->failed || found >= 0)
        return program->failed ? -1 : found;
    program_bound(program, &added);
    program_find_slope(program, &added);
    added.uses = program_uses(program, &added);
    if (added.code != OP_CONSTANT && added.bounds.low == added.bounds.high)
        return program_constant(program, added.bounds.low); /* whatever its operands are */
    const int32_t number = program->count < PROGRAM_OPERATIONS_MAX
                               ? table_append(&table, &added, hash, program->error)
                               : refuse_more(program);
    program->failed = number < 0;
    return number;
}

int32_t program_constant(struct program *program, float value)
{
    struct operation operation = {.code = OP_CONSTANT, .a = -1, .b = -1, .c = -1};
    operation.k[0] = value == 0.0f ? 0.0f : value; /* one zero, not two */
    return program_add(program, &operation);
}

int32_t program_fold(struct program *program, const struct operation *operation)
{
    float values[3], result;
    const float *rows[3] = {0};
    for (int i = 0; i < 3; i++) {
        if (operation->operands[i] < 0)
            continue;
        if (!program_is_constant(program, operation->operands[i], &values[i]))
            return program_add(program, operation);
        rows[i] = &values[i];
    }
    row_kernel_run(program, operation, 1, rows, &result);
    return program_constant(program, result);
}

/* A value that has the same samples, or -1. To find one is as much work as to add an operation. */
static int32_t find_simpler(struct program *program, const struct operation *operation)
{
    operation_simplify *const rule = operation_rows[operation->code].simplify;
    const int32_t simpler = rule ? rule(program, operation) : -1;
    program->work += simpler >= 0 ? WORK_OPERATION : 0;
    return simpler;
}

int32_t program_unary(struct program *program, enum operation_code code, int32_t a)
{
    const struct operation operation = {.code = code, .a = a, .b = -1, .c = -1};
    if (a < 0)
        return -1;
    const int32_t simpler = find_simpler(program, &operation);
    return simpler >= 0 ? simpler : program_fold(program, &operation);
}

/* A binary operation holds one constant in itself. */
static int32_t add_binary(struct program *program, enum operation_code code, int32_t a, int32_t b)
{
    struct operation operation = {.code = code, .a = a, .b = b, .c = -1};
    const int32_t simpler = find_simpler(program, &operation);
    if (simpler >= 0)
        return simpler;
    if (program_is_constant(program, b, &operation.k[0]))
        operation.b = -1;
    else if (program_is_constant(program, a, &operation.k[0]))
        operation.a = -1;
    return program_fold(program, &operation);
}

/* Equal operations with exchanged operands are one: the constant, or the later operand, is b. */
int32_t program_binary(struct program *program, enum operation_code code, int32_t a, int32_t b)
{
    float constant;
    if (a < 0 || b < 0)
        return -1;
    const bool a_constant = program_is_constant(program, a, &constant);
    const bool b_constant = program_is_constant(program, b, &constant);
    if (operation_rows[code].commutes && (a_constant || (!b_constant && b < a)))
        return add_binary(program, code, b, a);
    return add_binary(program, code, a, b);
}

/* With constant edges, one of them is stored with the reciprocal of the distance between both;
 * edges too near for it make a step at the first. */
int32_t program_smoothstep(struct program *program, int32_t low, int32_t high, int32_t a)
{
    struct operation operation = {.code = OP_SMOOTHSTEP, .a = a, .b = -1, .c = -1};
    const struct operation rows = {.code = OP_SMOOTHSTEP_ROWS, .a = low, .b = high, .c = a};
    float end;
    if (low < 0 || high < 0 || a < 0)
        return -1;
    if (!program_is_constant(program, low, &operation.k[0]) ||
        !program_is_constant(program, high, &end))
        return program_fold(program, &rows);
    operation.k[1] = 1.0f / (end - operation.k[0]);
    const float size = __builtin_fabsf(operation.k[1]);
    if (!(size > 0.0f && size <= FLT_MAX))
        return program_binary(program, OP_LESS_EQUAL, low, a);
    return program_fold(program, &operation);
}

int32_t program_choose(struct program *program, int32_t condition, int32_t yes, int32_t no)
{
    const struct operation operation = {.code = OP_CHOOSE, .a = condition, .b = yes, .c = no};
    if (condition < 0 || yes < 0 || no < 0)
        return -1;
    const int32_t simpler = find_simpler(program, &operation);
    return simpler >= 0 ? simpler : program_add(program, &operation);
}

int32_t program_noise(struct program *program, const struct noise_settings *settings, int32_t dx,
                      int32_t dy)
{
    struct operation operation = {.code = OP_NOISE, .a = dx, .b = dy, .c = -1};
    if (!program_keep_noise(program, settings, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_distance(struct program *program, const struct place *centre, int32_t dx,
                         int32_t dy)
{
    struct operation operation = {.code = OP_DISTANCE, .a = dx, .b = dy, .c = -1};
    if (!program_keep_centre(program, centre, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_cycle(struct program *program, const struct cycle *cycle, int32_t moved)
{
    struct operation operation = {.code = OP_CYCLE, .a = moved, .b = -1, .c = -1};
    if (!program_keep_cycle(program, cycle, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_coarse(struct program *program, const struct node_grid *grid, int32_t nodes)
{
    struct operation operation = {.code = OP_COARSE, .a = nodes, .b = grid->dx, .c = grid->dy};
    if (nodes < 0 || !program_keep_node_grid(program, grid, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_cells(struct program *program, const struct node_grid *grid,
                      const struct operation *cells)
{
    struct operation operation = *cells;
    operation.a = grid->dx;
    operation.b = grid->dy;
    operation.c = -1;
    if (!program_keep_node_grid(program, grid, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_drainage(struct program *program, const struct node_grid *grid,
                         enum drainage_output output)
{
    struct operation operation = {.code = OP_DRAINAGE, .a = grid->dx, .b = grid->dy, .c = -1};
    operation.k[0] = (float)output;
    if (!program_keep_node_grid(program, grid, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_polyline(struct program *program, enum operation_code code,
                         const struct polyline_view *view, float reach)
{
    struct operation operation = {.code = code, .a = view->dx, .b = view->dy, .c = -1};
    operation.k[0] = reach;
    if (!program_keep_polyline_view(program, view, &operation.table_index))
        return -1;
    return program_add(program, &operation);
}

int32_t program_spline(struct program *program, int32_t a, const double *points, uint32_t count)
{
    struct operation operation = {.code = OP_SPLINE, .a = a, .b = -1, .c = -1};
    if (a < 0 || !program_keep_spline(program, points, count, &operation.table_index))
        return -1;
    return program_fold(program, &operation);
}
