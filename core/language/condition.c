/* A condition is a program of its own, whose operands are rows that the caller has sampled
 * (OP_GIVEN), so that neither a request nor a seed compiles the world again.
 *
 * The tree of the text is resolved first: names of biomes and materials become numbers, unknown
 * names and functions of places are refused, each at its column. Then the tree is cut at the && of
 * its top, and the ordinary compiler makes operations of the parts: first of those that do not name
 * the slope, which is known last because it takes the ground around a place, then of the others.
 * Equal operations are shared.
 *
 * The program runs one operation at a time over a few samples, whose rows stay in the nearest
 * cache. */
#include "core/language/condition.h"

#include <stdlib.h>
#include <string.h>

#include "core/language/compile.h"
#include "core/program/row_kernels.h"

enum {
    SAMPLES_ONCE = 64,
    SLOPE_ROW = CONDITION_LAYERS_MAX, /* rows of layers have lower numbers */
    OWN_NAMES = 2,                    /* slope and material */
};

struct condition {
    struct condition_needs needs;
    struct program program;
    int32_t values[2]; /* operations, by enum condition_part */
    bool needed[2][CONDITION_OPERATIONS_MAX];
};

/* The making of a condition. */
struct maker {
    struct compiler compiler; /* the first member: a name is built with the compiler alone */
    const struct condition_names *names;
    struct condition *condition;
    struct arena *arena;
    unsigned slope; /* the number of the slope: behind those of the layers and materials */
};

/* ---- resolving names */

static int find_name(const struct condition_list *list, const char *name)
{
    for (unsigned i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return (int)i;
    return -1;
}

/* The number of the slope, or of a layer; -1 if the name is neither's. */
static int find_given(const struct maker *maker, const char *name)
{
    return strcmp(name, "slope") == 0 ? (int)maker->slope : find_name(&maker->names->layers, name);
}

/* True if the name is the material with the largest weight. */
static bool is_material(const struct maker *maker, const char *name)
{
    return strcmp(name, "material") == 0 && maker->names->materials.count > 0;
}

/* What a name may stand for besides a layer. */
enum subject { SUBJECT_ANY, SUBJECT_BIOME, SUBJECT_MATERIAL };

static const struct formula *fail_subject(struct maker *maker, const struct formula *name,
                                          const char *what)
{
    compile_fail(&maker->compiler, name, ERROR_UNKNOWN, "\"%s\" is %s", name->text, what);
    return NULL;
}

static const struct formula *fail_name(struct maker *maker, const struct formula *name,
                                       enum subject subject)
{
    if (subject == SUBJECT_BIOME && find_name(&maker->names->materials, name->text) >= 0)
        return fail_subject(maker, name, "a material, not a biome");
    if (subject == SUBJECT_MATERIAL && find_name(&maker->names->biomes, name->text) >= 0)
        return fail_subject(maker, name, "a biome, not a material");
    const struct condition_list *lists[] = {&maker->names->layers, &maker->names->biomes,
                                            &maker->names->materials};
    const char *candidates[CONDITION_NAMES_MAX + OWN_NAMES];
    size_t count = 0;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (unsigned i = 0; i < lists[list]->count && count < CONDITION_NAMES_MAX; i++)
            candidates[count++] = lists[list]->names[i];
    candidates[count++] = "slope";
    candidates[count++] = "material";
    const char *nearest = error_suggest(name->text, candidates, count);
    if (nearest)
        compile_fail(&maker->compiler, name, ERROR_UNKNOWN,
                     "unknown name \"%s\" (did you mean \"%s\"?)", name->text, nearest);
    else
        compile_fail(
            &maker->compiler, name, ERROR_UNKNOWN,
            "unknown name \"%s\"; names are slope, and the layers, biomes and materials of "
            "this world",
            name->text);
    return NULL;
}

static bool is_name(const struct formula *formula, const char *name)
{
    return formula->kind == FORMULA_NAME && strcmp(formula->text, name) == 0;
}

/* What child i of a formula is compared with. */
static enum subject subject_of(const struct formula *formula, uint32_t i)
{
    if (formula->kind != FORMULA_BINARY ||
        (formula->operator!= TOKEN_EQUAL && formula->operator!= TOKEN_NOT_EQUAL))
        return SUBJECT_ANY;
    const struct formula *other = formula->children[1 - i];
    return is_name(other, "biome")      ? SUBJECT_BIOME
           : is_name(other, "material") ? SUBJECT_MATERIAL
                                        : SUBJECT_ANY;
}

/* The number that a name stands for; -1 if it is that of a layer, or unknown. Beside the biome no
 * name is a material, nor the other way round: their numbers have nothing to do with each other. */
static int find_number(const struct maker *maker, const char *name, enum subject subject)
{
    const int biome = find_name(&maker->names->biomes, name);
    const int material = find_name(&maker->names->materials, name);
    const bool is_given = find_given(maker, name) >= 0 || is_material(maker, name);
    if (subject == SUBJECT_MATERIAL)
        return material;
    if (subject == SUBJECT_BIOME)
        return biome;
    return is_given ? -1 : biome >= 0 ? biome : material;
}

static const struct formula *resolve_name(struct maker *maker, const struct formula *name,
                                          enum subject subject)
{
    const int value = find_number(maker, name->text, subject);
    if (value < 0)
        return find_given(maker, name->text) >= 0 || is_material(maker, name->text)
                   ? name
                   : fail_name(maker, name, subject);
    struct formula *number = arena_allocate(maker->arena, 1, sizeof *number);
    if (!number)
        return error_memory_null(maker->compiler.error);
    *number = *name;
    number->kind = FORMULA_NUMBER;
    number->number = value;
    return number;
}

static const struct formula *resolve(struct maker *maker, const struct formula *formula,
                                     enum subject subject)
{
    if (formula->kind == FORMULA_NAME)
        return resolve_name(maker, formula, subject);
    const struct function *function =
        formula->kind == FORMULA_CALL ? function_find(formula->text) : NULL;
    if (function && function_is_of_places(function)) {
        compile_fail(&maker->compiler, formula, ERROR_VALUE,
                     "a condition cannot call %s, which is a function of places; name a layer",
                     formula->text);
        return NULL;
    }
    struct formula *copy = arena_allocate(maker->arena, 1, sizeof *copy);
    const struct formula **children =
        arena_allocate(maker->arena, formula->child_count, sizeof *children);
    if (!copy || !children)
        return error_memory_null(maker->compiler.error);
    *copy = *formula;
    copy->children = children;
    for (uint32_t i = 0; i < formula->child_count; i++) {
        children[i] = resolve(maker, formula->children[i], subject_of(formula, i));
        if (!children[i])
            return NULL;
    }
    return copy;
}

/* ---- compiling */

/* The row of a layer or of the slope, by their number; -1 if there are too many layers. */
static int row_of(struct condition_needs *needs, unsigned given, unsigned slope)
{
    if (given == slope) {
        needs->slope = true;
        return SLOPE_ROW;
    }
    for (unsigned i = 0; i < needs->layer_count; i++)
        if (needs->layers[i] == given)
            return (int)i;
    if (needs->layer_count == CONDITION_LAYERS_MAX)
        return -1;
    needs->layers[needs->layer_count] = given;
    return (int)needs->layer_count++;
}

/* A row that is given, by the number of its layer or of the slope. */
static int32_t build_given(struct maker *maker, const struct formula *name, unsigned given)
{
    const int row = row_of(&maker->condition->needs, given, maker->slope);
    if (row < 0)
        return compile_fail(&maker->compiler, name, ERROR_LIMIT,
                            "the condition needs more than %d layers", CONDITION_LAYERS_MAX);
    struct operation operation = {.code = OP_GIVEN, .a = -1, .b = -1, .c = -1};
    operation.k[0] = (float)row;
    return program_add(maker->compiler.program, &operation);
}

/* The index of the first of the largest weights; of the first material where none is above 0
 * (materials.h). */
static int32_t build_material(struct maker *maker, const struct formula *name)
{
    struct program *program = maker->compiler.program;
    int32_t index = program_constant(program, 0.0f), largest = index;
    for (unsigned i = 0; i < maker->names->materials.count && index >= 0; i++) {
        const int32_t weight = build_given(maker, name, maker->names->layers.count + i);
        const int32_t number = program_constant(program, (float)i);
        const int32_t larger = program_binary(program, OP_LESS, largest, weight);
        index = program_choose(program, larger, number, index);
        largest = program_binary(program, OP_MAXIMUM, largest, weight);
    }
    return index;
}

/* The builder of names, which are resolved. */
static int32_t build_name(struct compiler *compiler, const struct formula *name)
{
    struct maker *maker = (struct maker *)compiler;
    if (is_material(maker, name->text))
        return build_material(maker, name);
    return build_given(maker, name, (unsigned)find_given(maker, name->text));
}

static bool names_slope(const struct formula *formula)
{
    bool found = is_name(formula, "slope");
    for (uint32_t i = 0; i < formula->child_count && !found; i++)
        found = names_slope(formula->children[i]);
    return found;
}

/* Joins to `value` the parts of a formula that name the slope, or those that do not. */
static int32_t join_parts(struct maker *maker, const struct formula *formula, bool slope,
                          int32_t value)
{
    if (value < 0)
        return -1;
    if (formula->kind == FORMULA_BINARY && formula->operator== TOKEN_AND) {
        value = join_parts(maker, formula->children[0], slope, value);
        return join_parts(maker, formula->children[1], slope, value);
    }
    if (names_slope(formula) != slope)
        return value;
    const int32_t part = compile_formula(&maker->compiler, formula);
    return build_pair(&maker->compiler, OP_AND, value, part);
}

static bool compile_parts(struct maker *maker, const struct formula *formula)
{
    struct condition *condition = maker->condition;
    struct program *program = &condition->program;
    const int32_t first = join_parts(maker, formula, false, program_constant(program, 1.0f));
    condition->needs.first_count = condition->needs.layer_count;
    const int32_t whole = join_parts(maker, formula, true, first);
    if (whole < 0)
        return false;
    if (program->count > CONDITION_OPERATIONS_MAX)
        return error_set(maker->compiler.error, ERROR_LIMIT,
                         "the condition has more than %d operations", CONDITION_OPERATIONS_MAX);
    condition->values[CONDITION_FIRST] = first;
    condition->values[CONDITION_WHOLE] = whole;
    for (int part = 0; part < 2; part++)
        program_mark(program, condition->values[part], condition->needed[part]);
    condition->needs.operations = program->count;
    return true;
}

static bool make(struct condition *condition, const struct condition_names *names, const char *text,
                 struct error *error)
{
    struct arena arena = {0};
    const struct compile_source source = {.build_name = build_name};
    struct maker maker = {
        .compiler = {.program = &condition->program, .source = &source, .error = error},
        .names = names,
        .condition = condition,
        .arena = &arena,
        .slope = names->layers.count + names->materials.count,
    };
    maker.compiler.scope = compile_world_scope(0);
    condition->program.error = error;
    const struct formula *formula = formula_parse_all(&arena, text, error);
    formula = formula ? resolve(&maker, formula, SUBJECT_ANY) : NULL;
    const bool done = formula && compile_parts(&maker, formula);
    condition->program.error = NULL;
    compile_free(&maker.compiler);
    arena_free(&arena);
    return done;
}

struct condition *condition_new(const struct condition_names *names, const char *text,
                                struct error *error)
{
    const size_t length = strlen(text);
    if (length > CONDITION_BYTES_MAX) {
        error_set(error, ERROR_LIMIT, "the condition has %zu bytes; at most %d are allowed", length,
                  CONDITION_BYTES_MAX);
        return NULL;
    }
    struct condition *condition = calloc(1, sizeof *condition);
    if (!condition)
        error_memory(error);
    if (condition && make(condition, names, text, error))
        return condition;
    condition_free(condition);
    return NULL;
}

void condition_free(struct condition *condition)
{
    if (!condition)
        return;
    program_free(&condition->program);
    free(condition);
}

const struct condition_needs *condition_needs(const struct condition *condition)
{
    return &condition->needs;
}

/* ---- running */

static const float *given_row(const struct condition_rows *rows, const struct operation *operation)
{
    const int row = (int)operation->k[0];
    return row == SLOPE_ROW ? rows->slopes : rows->layers[row];
}

/* Runs a part over at most SAMPLES_ONCE samples, from number `start` on. The last operation that is
 * needed is the part's value. */
static void run_some(const struct condition *condition, enum condition_part part,
                     const struct condition_rows *rows, size_t start, size_t count, float *out)
{
    float memory[CONDITION_OPERATIONS_MAX][SAMPLES_ONCE];
    const float *results[CONDITION_OPERATIONS_MAX], *result = NULL;
    const struct program *program = &condition->program;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        const float *operands[3];
        if (!condition->needed[part][i])
            continue;
        for (int k = 0; k < 3; k++)
            operands[k] = operation->operands[k] >= 0 ? results[operation->operands[k]] : NULL;
        if (operation->code != OP_GIVEN)
            row_kernel_run(program, operation, count, operands, memory[i]);
        result = results[i] =
            operation->code == OP_GIVEN ? given_row(rows, operation) + start : memory[i];
    }
    for (size_t i = 0; i < count && result; i++)
        out[start + i] = result[i];
}

void condition_run(const struct condition *condition, enum condition_part part,
                   const struct condition_rows *rows, size_t count, float *out)
{
    for (size_t start = 0; start < count; start += SAMPLES_ONCE) {
        const size_t left = count - start;
        run_some(condition, part, rows, start, left < SAMPLES_ONCE ? left : SAMPLES_ONCE, out);
    }
}
