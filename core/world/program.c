/* Builds programs: lists of operations without duplicates.
 *
 * Adding an operation is value numbering: an index by hash finds an equal operation with equal
 * operands, whose number is returned instead. An operation on constants alone is run at once by the
 * kernel that would run it later, so folding changes no bit. One whose bounds are one number is
 * that number. A binary operation holds one constant operand in itself, which saves a row of equal
 * samples. simplify.c finds operations that are needless.
 *
 * Noises, splines, centres and cycles are too large for an operation, so each is kept once in
 * a table, and the operation has its index. A displaced formula has as many noises as
 * displacements, so the tables have indexes too. Every addition is counted as work, which the
 * compiler limits.
 *
 * Operands have lower numbers than the operations that read them. Marking what a value depends on
 * is therefore one walk backwards, and evaluation could be one walk forwards; the sampler goes by
 * demand instead, because of guards (see sampler_evaluate.c). */
#include "core/world/program.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/world/fuse.h"
#include "core/world/guards.h"
#include "core/world/row_kernels.h"
#include "core/world/simplify.h"

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

/* One of the program's arrays of things without duplicates. */
struct table {
    void **entries;
    uint32_t *count;
    size_t *capacity, size;
    struct hash_index *index;
    bool (*same)(const void *entry, const void *item);
};
#define TABLE(program, name)                                                                       \
    {                                                                                              \
        (void **)&(program)->name##s, &(program)->name##_count, &(program)->name##_capacity,       \
            sizeof *(program)->name##s, &(program)->name##_index, same_##name                      \
    }

/* The entry that equals `item`, or -1. */
static int32_t table_find(const struct table *table, const void *item, uint64_t hash)
{
    uint32_t probe = 0;
    int32_t i;
    while ((i = hash_index_next(table->index, hash, &probe)) >= 0)
        if (table->same((char *)*table->entries + (size_t)i * table->size, item))
            break;
    return i;
}

/* Appends an entry; its number, or -1 when memory is out. */
static int32_t table_append(const struct table *table, const void *entry, uint64_t hash,
                            struct error *error)
{
    void *entries = array_reserve(*table->entries, *table->count, table->capacity, table->size);
    *table->entries = entries ? entries : *table->entries;
    if (!entries || !hash_index_add(table->index, hash, *table->count)) {
        error_memory(error);
        return -1;
    }
    memcpy((char *)entries + *table->count * table->size, entry, table->size);
    return (int32_t)(*table->count)++;
}

/* Sets *index to the entry that equals `item`, which is appended if there is none. */
static bool find_or_append(const struct table *table, const void *item, uint64_t hash,
                           uint32_t *index, struct error *error)
{
    int32_t found = table_find(table, item, hash);
    if (found < 0)
        found = table_append(table, item, hash, error);
    *index = (uint32_t)found;
    return found >= 0;
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

int32_t program_add(struct program *program, const struct operation *operation)
{
    const struct table table = {
        (void **)&program->operations, &program->count,           &program->capacity,
        sizeof *program->operations,   &program->operation_index, same_operation};
    const uint64_t hash = hash_operation(operation);
    const int32_t found = table_find(&table, operation, hash);
    struct operation added = *operation;
    program->work += WORK_OPERATION;
    if (found >= 0)
        return found;
    program_bound(program, &added);
    added.uses = program_uses(program, &added);
    if (added.code != OP_CONSTANT && added.bounds.low == added.bounds.high)
        return program_constant(program, added.bounds.low); /* whatever its operands are */
    if (program->count < PROGRAM_OPERATIONS_MAX)
        return table_append(&table, &added, hash, program->error);
    error_set(program->error, ERROR_LIMIT, "the world compiles to more than %d operations",
              PROGRAM_OPERATIONS_MAX);
    return -1;
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

/* Adds it, or its value if all operands are constant. */
static int32_t add_folded(struct program *program, const struct operation *operation)
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
    return simpler >= 0 ? use_simpler(program, simpler) : add_folded(program, &operation);
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
    return add_folded(program, &operation);
}

static bool is_commutative(enum operation_code code)
{
    return code != OP_SUBTRACT && code != OP_DIVIDE && code != OP_LESS && code != OP_LESS_EQUAL;
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
        return add_folded(program, &rows);
    operation.k[1] = 1.0f / (end - operation.k[0]);
    const float size = __builtin_fabsf(operation.k[1]);
    if (!(size > 0.0f && size <= FLT_MAX))
        return program_binary(program, OP_LESS_EQUAL, low, a);
    return add_folded(program, &operation);
}

int32_t program_choose(struct program *program, int32_t condition, int32_t yes, int32_t no)
{
    const struct operation operation = {.code = OP_CHOOSE, .a = condition, .b = yes, .c = no};
    if (condition < 0 || yes < 0 || no < 0)
        return -1;
    const int32_t simpler = simplify_choose(program, condition, yes, no);
    return simpler >= 0 ? use_simpler(program, simpler) : program_add(program, &operation);
}

/* These hashes also tell worlds apart (identify()), so each number is mixed in by itself: sums of
 * two numbers would be the same for many pairs. */
static uint64_t hash_noise(const struct noise_settings *s)
{
    const double numbers[] = {
        s->wavelength,  s->wavelength_z,          s->wavelength_t,    s->lacunarity,
        s->persistence, (double)s->feedback,      (double)s->damping, s->domain.cosine,
        s->domain.sine, (double)s->rotate_octaves};
    const unsigned choices[] = {s->basis,   s->interpolation, s->axes,   s->feature,
                                s->fractal, s->result,        s->octaves};
    uint64_t hash = s->key;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = hash_number(hash, numbers[i]);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        hash = hash_mix(hash + choices[i]);
    hash = hash_mix(hash + (uint64_t)s->domain.shift_x);
    return hash_mix(hash + (uint64_t)s->domain.shift_y);
}

static bool same_noise(const void *entry, const void *item)
{
    const struct noise *const *noise = entry;
    return noise_settings_equal(&(*noise)->settings, item);
}

static uint64_t hash_centre(const struct place *centre)
{
    return hash_mix(hash_mix((uint64_t)centre->x) + (uint64_t)centre->y);
}

static bool same_centre(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->x == b->x && a->y == b->y;
}

static uint64_t hash_cycle(const struct cycle *cycle)
{
    const int64_t words[] = {cycle->shift_x, cycle->shift_y, cycle->form[0], cycle->form[1],
                             cycle->sign * 2 + (int64_t)cycle->axis};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = hash_mix(hash + (uint64_t)words[i]);
    return hash_number(hash, (double)cycle->period);
}

static bool same_cycle(const void *left, const void *right)
{
    const struct cycle *a = left, *b = right;
    return a->shift_x == b->shift_x && a->shift_y == b->shift_y && a->form[0] == b->form[0] &&
           a->form[1] == b->form[1] && a->sign == b->sign && a->axis == b->axis &&
           a->period == b->period;
}

static uint64_t hash_node_grid(const struct node_grid *grid)
{
    const struct noise_domain *domain = &grid->domain;
    uint64_t hash = hash_mix(grid->spacing_log2);
    hash = hash_mix(hash + (uint64_t)domain->shift_x);
    hash = hash_mix(hash + (uint64_t)domain->shift_y);
    hash = hash_mix(hash + ((uint64_t)(uint32_t)grid->dx << 32 | (uint32_t)grid->dy));
    hash = hash_number(hash_number(hash, domain->cosine), domain->sine);
    return hash_number(hash, grid->scale);
}

static bool same_node_grid(const void *left, const void *right)
{
    const struct node_grid *a = left, *b = right;
    return noise_domain_equal(&a->domain, &b->domain) && a->scale == b->scale &&
           a->spacing_log2 == b->spacing_log2 && a->dx == b->dx && a->dy == b->dy;
}

/* Splines have no padding, and no traces of others behind their last point. */
static bool same_spline(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct spline)) == 0;
}

/* Appends a noise, with memory for the octaves that it has; its number, or -1. */
static int32_t append_noise(struct program *program, const struct table *table,
                            const struct noise_settings *settings, uint64_t hash)
{
    program->octave_count += settings->octaves;
    program->work += settings->octaves * WORK_OCTAVE;
    if (program->octave_count > PROGRAM_OCTAVES_MAX) {
        error_set(program->error, ERROR_LIMIT, "the noises of the world have more than %d octaves",
                  PROGRAM_OCTAVES_MAX);
        return -1;
    }
    struct noise *noise = arena_allocate(&program->arena, 1, noise_size(settings->octaves));
    if (!noise) {
        error_memory(program->error);
        return -1;
    }
    noise_prepare(noise, settings);
    return table_append(table, &noise, hash, program->error);
}

int32_t program_noise(struct program *program, const struct noise_settings *settings, int32_t dx,
                      int32_t dy)
{
    struct operation operation = {.code = OP_NOISE, .a = dx, .b = dy, .c = -1};
    const struct table table = TABLE(program, noise);
    const uint64_t hash = hash_noise(settings);
    int32_t noise = table_find(&table, settings, hash);
    if (noise < 0)
        noise = append_noise(program, &table, settings, hash);
    operation.table_index = (uint32_t)noise;
    return noise < 0 ? -1 : program_add(program, &operation);
}

int32_t program_distance(struct program *program, const struct place *centre, int32_t dx,
                         int32_t dy)
{
    struct operation operation = {.code = OP_DISTANCE, .a = dx, .b = dy, .c = -1};
    const struct table table = TABLE(program, centre);
    if (!find_or_append(&table, centre, hash_centre(centre), &operation.table_index,
                        program->error))
        return -1;
    return program_add(program, &operation);
}

int32_t program_cycle(struct program *program, const struct cycle *cycle, int32_t moved)
{
    struct operation operation = {.code = OP_CYCLE, .a = moved, .b = -1, .c = -1};
    const struct table table = TABLE(program, cycle);
    if (!find_or_append(&table, cycle, hash_cycle(cycle), &operation.table_index, program->error))
        return -1;
    return program_add(program, &operation);
}

int32_t program_coarse(struct program *program, const struct node_grid *grid, int32_t nodes)
{
    struct operation operation = {.code = OP_COARSE, .a = nodes, .b = grid->dx, .c = grid->dy};
    const struct table table = TABLE(program, node_grid);
    if (nodes < 0 ||
        !find_or_append(&table, grid, hash_node_grid(grid), &operation.table_index, program->error))
        return -1;
    return program_add(program, &operation);
}

int32_t program_spline(struct program *program, int32_t a, const double *points, uint32_t count)
{
    struct operation operation = {.code = OP_SPLINE, .a = a, .b = -1, .c = -1};
    const struct table table = TABLE(program, spline);
    struct spline spline;
    if (a < 0)
        return -1;
    spline_prepare(&spline, points, count);
    program->work += count;
    if (!find_or_append(&table, &spline, hash_bytes(&spline, sizeof spline, 0).low,
                        &operation.table_index, program->error))
        return -1;
    return add_folded(program, &operation);
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

/* Hashes an operation with what it has in a table. */
static uint64_t hash_contents(const struct program *program, const struct operation *operation)
{
    const uint64_t hash = hash_operation(operation);
    const uint32_t i = operation->table_index;
    switch (operation->code) {
    case OP_NOISE:
        return hash + hash_noise(&program->noises[i]->settings);
    case OP_SPLINE:
        return hash + hash_bytes(&program->splines[i], sizeof *program->splines, 0).low;
    case OP_CYCLE:
        return hash + hash_cycle(&program->cycles[i]);
    case OP_DISTANCE:
        return hash + hash_centre(&program->centres[i]);
    case OP_COARSE:
        return hash + hash_node_grid(&program->node_grids[i]);
    default:
        return hash;
    }
}

/* Kept nodes are found by the program's identity (node_store.h). */
static void identify(struct program *program)
{
    struct hash_stream stream = hash_begin(0);
    if (program->node_grid_count == 0)
        return;
    for (uint32_t i = 0; i < program->count; i++) {
        const uint64_t hash = hash_contents(program, &program->operations[i]);
        const uint64_t block[2] = {hash, hash_mix(hash + i)};
        hash_blocks(&stream, block, sizeof block);
    }
    program->work += program->count / WORK_ANALYSED;
    program->identity = hash_end(&stream, "", 0);
}

/* Counts the operations that read each operation, but not those that no value depends on. False
 * when memory is out. */
static bool count_readers(struct program *program, const int32_t *values, uint32_t count)
{
    bool *needed = calloc(program->count + 1, sizeof *needed);
    for (uint32_t i = 0; needed && i < count; i++)
        if (values[i] >= 0)
            needed[values[i]] = true;
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

bool program_finish(struct program *program, const int32_t *values, uint32_t count)
{
    if (!count_readers(program, values, count) || !guards_choose(program))
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
