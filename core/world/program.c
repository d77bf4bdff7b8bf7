/* Builds programs: lists of operations without duplicates.
 *
 * Adding an operation is value numbering: a hash table (open addressing, linear probing, at most
 * half full) finds an equal operation with equal operands, whose number is returned instead. An
 * operation on constants alone is run at once by the kernel that would run it later, so folding
 * changes no bit. A binary operation holds one constant operand in itself, which saves a row of
 * equal samples.
 *
 * Noises, splines, centres and cycles are too large for an operation, so each is kept once in
 * a table, and the operation has its index. They are few enough for a linear search.
 *
 * Half of the memory of a program are its noises, so these are allocated one by one, each without
 * the octaves that it does not have; and a finished program keeps no room to grow.
 *
 * Operands have lower numbers than the operations that read them. Marking what a value depends on
 * is therefore one walk backwards, and evaluation could be one walk forwards; the sampler goes by
 * demand instead, because of guards (see sampler.c). */
#include "core/world/program.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/world/row_kernels.h"

void program_free(struct program *program)
{
    for (uint32_t i = 0; i < program->noise_count; i++)
        free(program->noises[i]);
    free(program->operations);
    free(program->noises);
    free(program->splines);
    free(program->centres);
    free(program->cycles);
    free(program->index);
    *program = (struct program){0};
}

static size_t noise_size(const struct noise_settings *settings)
{
    return offsetof(struct noise, octaves) + settings->octaves * sizeof(struct noise_octave);
}

size_t program_memory(const struct program *program)
{
    size_t bytes = program->count * sizeof *program->operations +
                   program->noise_count * sizeof *program->noises +
                   program->spline_count * sizeof *program->splines +
                   program->centre_count * sizeof *program->centres +
                   program->cycle_count * sizeof *program->cycles;
    for (uint32_t i = 0; i < program->noise_count; i++)
        bytes += noise_size(&program->noises[i]->settings);
    return bytes;
}

/* The slot of the hash table where the search for an operation begins. Constants are hashed by
 * their bits. */
static uint32_t operation_slot(const struct program *program, const struct operation *operation)
{
    const uint32_t words[] = {(uint32_t)operation->code, (uint32_t)operation->a,
                              (uint32_t)operation->b, (uint32_t)operation->c,
                              operation->table_index};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = hash_mix(hash + words[i]);
    for (int i = 0; i < 2; i++) {
        uint32_t bits;
        memcpy(&bits, &operation->k[i], sizeof bits);
        hash = hash_mix(hash + bits);
    }
    return (uint32_t)(hash & (program->index_size - 1));
}

static bool same_operation(const struct operation *a, const struct operation *b)
{
    return a->code == b->code && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->table_index == b->table_index && memcmp(a->k, b->k, sizeof a->k) == 0;
}

/* Keeps the hash table at most half full: doubles it and inserts all operations again. */
static bool index_grow(struct program *program)
{
    if (program->count * 2 < program->index_size)
        return true;
    uint32_t size = program->index_size ? program->index_size * 2 : 64;
    int32_t *index = malloc(size * sizeof *index);
    if (!index)
        return false;
    free(program->index);
    program->index = index;
    program->index_size = size;
    memset(index, 0xFF, size * sizeof *index);
    for (uint32_t i = 0; i < program->count; i++) {
        uint32_t slot = operation_slot(program, &program->operations[i]);
        while (index[slot] >= 0)
            slot = (slot + 1) & (size - 1);
        index[slot] = (int32_t)i;
    }
    return true;
}

int32_t program_add(struct program *program, const struct operation *operation)
{
    struct operation *operations =
        array_reserve(program->operations, program->count, &program->capacity, sizeof *operations);
    program->operations = operations ? operations : program->operations;
    if (!operations || !index_grow(program)) {
        error_memory(program->error);
        return -1;
    }
    uint32_t slot = operation_slot(program, operation);
    for (; program->index[slot] >= 0; slot = (slot + 1) & (program->index_size - 1))
        if (same_operation(&program->operations[program->index[slot]], operation))
            return program->index[slot];
    if (program->count == PROGRAM_OPERATIONS_MAX) {
        error_set(program->error, ERROR_LIMIT, "the world compiles to more than %d operations",
                  PROGRAM_OPERATIONS_MAX);
        return -1;
    }
    program->operations[program->count] = *operation;
    program->index[slot] = (int32_t)program->count;
    return (int32_t)program->count++;
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

int32_t program_unary(struct program *program, enum operation_code code, int32_t a)
{
    const struct operation operation = {.code = code, .a = a, .b = -1, .c = -1};
    return a < 0 ? -1 : add_folded(program, &operation);
}

int32_t program_binary(struct program *program, enum operation_code code, int32_t a, int32_t b)
{
    struct operation operation = {.code = code, .a = a, .b = b, .c = -1};
    float left, right;
    if (a < 0 || b < 0)
        return -1;
    bool left_constant = program_is_constant(program, a, &left);
    bool right_constant = program_is_constant(program, b, &right);
    if (right_constant) {
        operation.b = -1;
        operation.k[0] = right;
    } else if (left_constant) {
        operation.a = -1;
        operation.k[0] = left;
    }
    return add_folded(program, &operation);
}

int32_t program_choose(struct program *program, int32_t condition, int32_t yes, int32_t no)
{
    const struct operation operation = {.code = OP_CHOOSE, .a = condition, .b = yes, .c = no};
    float constant;
    if (condition < 0 || yes < 0 || no < 0)
        return -1;
    if (program_is_constant(program, condition, &constant))
        return constant != 0.0f ? yes : no;
    return yes == no ? yes : program_add(program, &operation);
}

static bool same_noise(const void *a, const void *b)
{
    return noise_settings_equal(&(*(const struct noise *const *)a)->settings,
                                &(*(const struct noise *const *)b)->settings);
}

static bool same_centre(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->x == b->x && a->y == b->y;
}

static bool same_cycle(const void *left, const void *right)
{
    const struct cycle *a = left, *b = right;
    return a->shift_x == b->shift_x && a->shift_y == b->shift_y && a->form[0] == b->form[0] &&
           a->form[1] == b->form[1] && a->sign == b->sign && a->axis == b->axis &&
           a->period == b->period;
}

/* Splines have no padding and are zeroed behind their last point. */
static bool same_spline(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct spline)) == 0;
}

/* One of the program's arrays of things that operations refer to by index. */
struct table {
    void **entries;
    uint32_t *count;
    size_t *capacity, size;
    bool (*same)(const void *a, const void *b);
};
#define TABLE(program, name, same)                                                                 \
    {                                                                                              \
        (void **)&(program)->name##s, &(program)->name##_count, &(program)->name##_capacity,       \
            sizeof *(program)->name##s, same                                                       \
    }

/* Sets *index to the entry that equals `item`, which is appended if there is none. */
static bool find_or_append(const struct table *table, const void *item, uint32_t *index,
                           struct error *error)
{
    for (*index = 0; *index < *table->count; ++*index)
        if (table->same((char *)*table->entries + *index * table->size, item))
            return true;
    void *entries = array_reserve(*table->entries, *table->count, table->capacity, table->size);
    if (!entries)
        return error_memory(error);
    *table->entries = entries;
    memcpy((char *)entries + *index * table->size, item, table->size);
    ++*table->count;
    return true;
}

static struct noise *new_noise(const struct noise_settings *settings)
{
    struct noise *noise = malloc(noise_size(settings));
    if (noise)
        noise_prepare(noise, settings);
    return noise;
}

int32_t program_noise(struct program *program, const struct noise_settings *settings, int32_t dx,
                      int32_t dy)
{
    struct operation operation = {.code = OP_NOISE, .a = dx, .b = dy, .c = -1};
    const struct table table = TABLE(program, noise, same_noise);
    const uint32_t count = program->noise_count;
    struct noise *wanted = &(struct noise){.settings = *settings};
    if (!find_or_append(&table, &wanted, &operation.table_index, program->error))
        return -1;
    if (program->noise_count > count && !(program->noises[count] = new_noise(settings))) {
        program->noise_count = count;
        error_memory(program->error);
        return -1;
    }
    return program_add(program, &operation);
}

int32_t program_distance(struct program *program, const struct place *centre, int32_t dx,
                         int32_t dy)
{
    struct operation operation = {.code = OP_DISTANCE, .a = dx, .b = dy, .c = -1};
    const struct table table = TABLE(program, centre, same_centre);
    if (!find_or_append(&table, centre, &operation.table_index, program->error))
        return -1;
    return program_add(program, &operation);
}

int32_t program_cycle(struct program *program, const struct cycle *cycle, int32_t moved)
{
    struct operation operation = {.code = OP_CYCLE, .a = moved, .b = -1, .c = -1};
    const struct table table = TABLE(program, cycle, same_cycle);
    if (!find_or_append(&table, cycle, &operation.table_index, program->error))
        return -1;
    return program_add(program, &operation);
}

/* The slopes at the points: the mean of the two secants, 0 at an extremum, and scaled down where
 * the cubic would overshoot (Fritsch and Carlson's circle of radius 3). */
static void spline_slopes(const double *points, uint32_t count, double *slopes)
{
    double secants[SPLINE_POINTS_MAX];
    for (uint32_t i = 0; i + 1 < count; i++)
        secants[i] = (points[2 * i + 3] - points[2 * i + 1]) / (points[2 * i + 2] - points[2 * i]);
    for (uint32_t i = 1; i + 1 < count; i++)
        slopes[i] = secants[i - 1] * secants[i] <= 0.0 ? 0.0 : (secants[i - 1] + secants[i]) / 2.0;
    slopes[0] = secants[0];
    slopes[count - 1] = secants[count - 2];
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (secants[i] == 0.0) {
            slopes[i] = slopes[i + 1] = 0.0;
            continue;
        }
        double a = slopes[i] / secants[i], b = slopes[i + 1] / secants[i];
        double square = a * a + b * b;
        if (square > 9.0) {
            double t = 3.0 / __builtin_sqrt(square);
            slopes[i] = t * a * secants[i];
            slopes[i + 1] = t * b * secants[i];
        }
    }
}

/* Hermite form to power form: the coefficients of each segment around its left point. */
static void spline_prepare(struct spline *spline, const double *points, uint32_t count)
{
    double slopes[SPLINE_POINTS_MAX] = {0};
    *spline = (struct spline){.count = count};
    if (count > 1)
        spline_slopes(points, count, slopes);
    for (uint32_t i = 0; i < count; i++) {
        spline->x[i] = (float)points[2 * i];
        spline->c0[i] = (float)points[2 * i + 1];
        if (i + 1 == count)
            break; /* flat from here on */
        double width = points[2 * i + 2] - points[2 * i];
        double secant = (points[2 * i + 3] - points[2 * i + 1]) / width;
        spline->c1[i] = (float)slopes[i];
        spline->c2[i] = (float)((3.0 * secant - 2.0 * slopes[i] - slopes[i + 1]) / width);
        spline->c3[i] = (float)((slopes[i] + slopes[i + 1] - 2.0 * secant) / (width * width));
    }
}

int32_t program_spline(struct program *program, int32_t a, const double *points, uint32_t count)
{
    struct operation operation = {.code = OP_SPLINE, .a = a, .b = -1, .c = -1};
    const struct table table = TABLE(program, spline, same_spline);
    struct spline spline;
    if (a < 0)
        return -1;
    spline_prepare(&spline, points, count);
    if (!find_or_append(&table, &spline, &operation.table_index, program->error))
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

uint32_t program_noise_cost(const struct program *program, const struct operation *operation)
{
    const struct noise_settings *settings = &program->noises[operation->table_index]->settings;
    return settings->octaves * noise_octave_cost(settings);
}

uint32_t program_cost(const struct program *program, int32_t value)
{
    bool needed[PROGRAM_OPERATIONS_MAX];
    uint32_t cost = 0;
    memset(needed, 0, program->count * sizeof *needed);
    program_mark(program, value, needed);
    for (int32_t i = 0; i <= value; i++)
        if (needed[i] && program->operations[i].code == OP_NOISE)
            cost += program_noise_cost(program, &program->operations[i]);
    return cost;
}

/* Gives back the room to grow. A table that cannot be moved to less memory stays where it is. */
static void trim_table(void **entries, size_t count, size_t size)
{
    void *trimmed = count > 0 ? realloc(*entries, count * size) : NULL;
    if (trimmed)
        *entries = trimmed;
}

static void trim_tables(struct program *program)
{
#define TRIM(entries, count)                                                                       \
    trim_table((void **)&program->entries, program->count, sizeof *program->entries)
    TRIM(operations, count);
    TRIM(noises, noise_count);
    TRIM(splines, spline_count);
    TRIM(centres, centre_count);
    TRIM(cycles, cycle_count);
#undef TRIM
    free(program->index);
    program->index = NULL;
}

/* A guard is the cheaper operand of a product or an AND, and the condition of a choice: where it is
 * 0, or decides, over a whole band of samples, the other operand is not evaluated. It pays only if
 * noise is among the operands. */
void program_finish(struct program *program)
{
    program->error = NULL;
    trim_tables(program);
    for (uint32_t i = 0; i < program->count; i++) {
        struct operation *operation = &program->operations[i];
        if (operation->code == OP_CHOOSE)
            operation->guard = GUARD_A;
        if ((operation->code != OP_MULTIPLY && operation->code != OP_AND) || operation->a < 0 ||
            operation->b < 0)
            continue;
        uint32_t a = program_cost(program, operation->a), b = program_cost(program, operation->b);
        if (a > 0 || b > 0)
            operation->guard = b < a ? GUARD_B : GUARD_A;
    }
}
