/* Builds programs: lists of operations without duplicates.
 *
 * Adding an operation is value numbering: an index by hash finds an equal operation with equal
 * operands, whose number is returned instead. An operation on constants alone is run at once by the
 * kernel that would run it later, so folding changes no bit. One whose bounds are one number is
 * that number. A binary operation holds one constant operand in itself, which saves a row of equal
 * samples. simplify.c finds operations that are needless.
 *
 * Noises and all else that is too large for an operation are kept in tables (program_tables.c).
 * Every addition is counted as work, which the compiler limits.
 *
 * Operands have lower numbers than the operations that read them. Marking what a value depends on
 * is therefore one walk backwards, and evaluation could be one walk forwards; the sampler goes by
 * demand instead, because of guards (see sampler_evaluate.c). */
#include "core/program/program.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/program/fuse.h"
#include "core/program/guards.h"
#include "core/program/program_tables.h"
#include "core/program/row_kernels.h"
#include "core/program/simplify.h"

static void free_indexes(struct program *program)
{
    hash_index_free(&program->operation_index);
    hash_index_free(&program->noise_index);
    hash_index_free(&program->spline_index);
    hash_index_free(&program->centre_index);
    hash_index_free(&program->cycle_index);
    hash_index_free(&program->node_grid_index);
}

void program_free(struct program *program)
{
    free(program->operations);
    free(program->noises);
    free(program->splines);
    free(program->centres);
    free(program->cycles);
    free(program->node_grids);
    free_indexes(program);
    arena_free(&program->arena);
    *program = (struct program){0};
}

static uint64_t hash_bits(uint64_t hash, const void *value, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    return hash_mix(hash + bits);
}

/* Constants are hashed by their bits. */
static uint64_t hash_operation(const struct operation *operation)
{
    uint64_t hash = hash_mix((uint64_t)operation->code << 32 | operation->table_index);
    hash = hash_mix(hash + ((uint64_t)(uint32_t)operation->a << 32 | (uint32_t)operation->b));
    hash = hash_mix(hash + (uint32_t)operation->c);
    return hash_bits(hash, operation->k, sizeof operation->k);
}

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
    const uint64_t hash = hash_operation(operation);
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

bool program_is_constant(const struct program *program, int32_t value, float *constant)
{
    if (value < 0 || program->operations[value].code != OP_CONSTANT)
        return false;
    *constant = program->operations[value].k[0];
    return true;
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

/* A simpler operation was found: as much work as to add one. */
static int32_t use_simpler(struct program *program, int32_t simpler)
{
    program->work += WORK_OPERATION;
    return simpler;
}

int32_t program_unary(struct program *program, enum operation_code code, int32_t a)
{
    const struct operation operation = {.code = code, .a = a, .b = -1, .c = -1};
    if (a < 0)
        return -1;
    const int32_t simpler = simplify_unary(program, code, a);
    return simpler >= 0 ? use_simpler(program, simpler) : program_fold(program, &operation);
}

/* A binary operation holds one constant in itself. */
static int32_t add_binary(struct program *program, enum operation_code code, int32_t a, int32_t b)
{
    struct operation operation = {.code = code, .a = a, .b = b, .c = -1};
    const int32_t simpler = simplify_binary(program, code, a, b);
    if (simpler >= 0)
        return use_simpler(program, simpler);
    if (program_is_constant(program, b, &operation.k[0]))
        operation.b = -1;
    else if (program_is_constant(program, a, &operation.k[0]))
        operation.a = -1;
    return program_fold(program, &operation);
}

static bool is_commutative(enum operation_code code)
{
    return code != OP_SUBTRACT && code != OP_DIVIDE && code != OP_POWER && code != OP_LESS &&
           code != OP_LESS_EQUAL;
}

/* Equal operations with exchanged operands are one: the constant, or the later operand, is b. */
int32_t program_binary(struct program *program, enum operation_code code, int32_t a, int32_t b)
{
    float constant;
    if (a < 0 || b < 0)
        return -1;
    const bool a_constant = program_is_constant(program, a, &constant);
    const bool b_constant = program_is_constant(program, b, &constant);
    if (is_commutative(code) && (a_constant || (!b_constant && b < a)))
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
    const int32_t simpler = simplify_choose(program, condition, yes, no);
    return simpler >= 0 ? use_simpler(program, simpler) : program_add(program, &operation);
}

/* Marks the operands of everything that is marked up to `last`. */
static void mark_operands(const struct program *program, int32_t last, bool *needed)
{
    for (int32_t i = last; i >= 0; i--) {
        const int32_t *operands = program->operations[i].operands;
        for (int k = 0; k < 3; k++)
            if (needed[i] && operands[k] >= 0)
                needed[operands[k]] = true;
    }
}

void program_mark(const struct program *program, int32_t value, bool *needed)
{
    needed[value] = true;
    mark_operands(program, value, needed);
}

void program_mark_all(const struct program *program, bool *needed)
{
    mark_operands(program, (int32_t)program->count - 1, needed);
}

/* Kept nodes are found by the program's identity (node_store.h). */
static void identify(struct program *program)
{
    struct hash_stream stream = hash_begin(0);
    if (program->node_grid_count == 0)
        return;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        const uint64_t hash = hash_operation(operation) + program_hash_entry(program, operation);
        const uint64_t block[2] = {hash, hash_mix(hash + i)};
        hash_blocks(&stream, block, sizeof block);
    }
    const struct program_drainage *drainage = &program->drainage;
    const uint64_t fields[] = {(uint64_t)drainage->potential,
                               (uint64_t)drainage->target,
                               (uint64_t)drainage->relief,
                               (uint64_t)drainage->lakes,
                               (uint64_t)(drainage->deltas * 0x1p24f),
                               drainage->key};
    hash_blocks(&stream, fields, sizeof fields);
    program->work += program->count / WORK_ANALYSED;
    program->identity = hash_end(&stream, "", 0);
}

/* Counts the operations that read each operation, but not those that no value depends on. False
 * when memory is out. */
static bool count_readers(struct program *program)
{
    bool *needed = calloc(program->count + 1, sizeof *needed);
    for (uint32_t i = 0; needed && i < program->value_count; i++)
        if (program->values[i] >= 0)
            needed[program->values[i]] = true;
    for (uint32_t i = program->count; needed && i-- > 0;)
        for (int k = 0; k < 3; k++) {
            const int32_t operand = program->operations[i].operands[k];
            if (!needed[i] || operand < 0)
                continue;
            needed[operand] = true;
            program->operations[operand].readers++;
        }
    free(needed);
    return needed != NULL;
}

bool program_reserve_values(struct program *program, uint32_t count)
{
    program->values = arena_allocate(&program->arena, count, sizeof *program->values);
    program->value_count = program->values ? count : 0;
    for (uint32_t i = 0; i < program->value_count; i++)
        program->values[i] = -1;
    return program->values != NULL;
}

bool program_finish(struct program *program)
{
    if (!count_readers(program) || !guards_choose(program))
        return error_memory(program->error);
    fuse_operations(program);
    identify(program);
    program->work += program->count / WORK_ANALYSED;
    free_indexes(program);
    program->error = NULL;
    return true;
}

size_t program_bytes(const struct program *program)
{
    return program->capacity * sizeof *program->operations +
           program->noise_capacity * sizeof *program->noises +
           program->spline_capacity * sizeof *program->splines +
           program->centre_capacity * sizeof *program->centres +
           program->cycle_capacity * sizeof *program->cycles +
           program->node_grid_capacity * sizeof *program->node_grids + program->arena.bytes;
}
