#include "core/world/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/number.h"

struct compiled_layer {
    struct compile_scope scope;
    int32_t value;
};

int32_t compile_fail(struct compiler *compiler, const struct formula *formula, enum error_code code,
                     const char *format, ...)
{
    char message[sizeof compiler->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(compiler->error, code, "%s", message);
    if (compiler->error)
        compiler->error->column = formula->column;
    return -1;
}

uint64_t compile_noise_key(const struct compiler *compiler, const char *function, const char *salt,
                           double wavelength)
{
    const char *layer = compiler->source->layers[compiler->scope.layer].name;
    const char *const parts[] = {layer, function, salt};
    uint64_t key = hash_mix(compiler->source->seed);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = hash_bytes(parts[i], strlen(parts[i]), key).low;
    uint64_t bits;
    memcpy(&bits, &wavelength, sizeof bits);
    return hash_mix(key + hash_mix(bits));
}

/* Names */

struct variable {
    const char *name;
    enum operation_code code;
    float value; /* OP_CONSTANT */
};

static const struct variable variables[] = {
    {"x", OP_X, 0.0f},
    {"y", OP_Y, 0.0f},
    {"z", OP_Z, 0.0f},
    {"t", OP_T, 0.0f},
    {"pi", OP_CONSTANT, 3.14159265f},
};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables };

static int32_t build_variable(struct compiler *compiler, const struct formula *name,
                              const struct variable *variable)
{
    if (compiler->scope.result != NOISE_SAMPLE)
        return compile_fail(compiler, name, ERROR_VALUE,
                            "zero_distance: %s is no noise; it must be a noise or fractal",
                            variable->name);
    if (variable->code == OP_CONSTANT)
        return program_constant(compiler->program, variable->value, compiler->error);
    return build_coordinate(compiler, variable->code);
}

static int32_t fail_layer_cycle(struct compiler *compiler, const struct formula *use,
                                uint32_t layer)
{
    char chain[200] = "";
    size_t used = 0;
    uint32_t first = 0;
    while (compiler->stack[first] != layer)
        first++;
    for (uint32_t i = first; i < compiler->stack_count && used < sizeof chain; i++)
        used += (size_t)snprintf(chain + used, sizeof chain - used, "%s -> ",
                                 compiler->source->layers[compiler->stack[i]].name);
    return compile_fail(compiler, use, ERROR_VALUE, "the layers use each other in a cycle: %s%s",
                        chain, compiler->source->layers[layer].name);
}

static bool same_scope(const struct compile_scope *a, const struct compile_scope *b)
{
    return a->layer == b->layer && a->dx == b->dx && a->dy == b->dy && a->scale == b->scale &&
           a->domain.cosine == b->domain.cosine && a->domain.sine == b->domain.sine &&
           a->domain.shift_x == b->domain.shift_x && a->domain.shift_y == b->domain.shift_y &&
           a->result == b->result;
}

static bool cache_compiled_layer(struct compiler *compiler, int32_t value)
{
    if (compiler->compiled_count == COMPILE_PLACES_MAX)
        return error_set(compiler->error, ERROR_LIMIT,
                         "layers are used at more than %d different displacements",
                         COMPILE_PLACES_MAX);
    if (compiler->compiled_count == compiler->compiled_capacity) {
        uint32_t capacity = compiler->compiled_capacity ? compiler->compiled_capacity * 2 : 64;
        struct compiled_layer *compiled = realloc(compiler->compiled, capacity * sizeof *compiled);
        if (!compiled)
            return error_memory(compiler->error);
        compiler->compiled = compiled;
        compiler->compiled_capacity = capacity;
    }
    compiler->compiled[compiler->compiled_count++] =
        (struct compiled_layer){compiler->scope, value};
    return true;
}

int32_t compile_layer_in_scope(struct compiler *compiler, uint32_t layer, const struct formula *use)
{
    struct compile_scope outer = compiler->scope;
    struct compile_scope scope = outer;
    scope.layer = layer;
    for (uint32_t i = 0; i < compiler->compiled_count; i++)
        if (same_scope(&compiler->compiled[i].scope, &scope))
            return compiler->compiled[i].value;
    for (uint32_t i = 0; use && i < compiler->stack_count; i++)
        if (compiler->stack[i] == layer)
            return fail_layer_cycle(compiler, use, layer);
    if (compiler->stack_count == COMPILE_CHAIN_MAX)
        return compile_fail(compiler, use, ERROR_LIMIT,
                            "layers use layers more than %d levels deep", COMPILE_CHAIN_MAX);
    compiler->stack[compiler->stack_count++] = layer;
    compiler->scope = scope;
    int32_t value = compile_formula(compiler, compiler->source->layers[layer].formula);
    if (value >= 0 && !cache_compiled_layer(compiler, value))
        value = -1;
    if (value < 0)
        error_in_path(compiler->error, "%s", compiler->source->layers[layer].path);
    compiler->scope = outer;
    compiler->stack_count--;
    return value;
}

static int32_t fail_name(struct compiler *compiler, const struct formula *name)
{
    const struct compile_source *source = compiler->source;
    const char *candidates[VARIABLE_COUNT + 2 * 256 + 1];
    const bool density = compiler->scope.layer >= source->density_first;
    size_t count = 0;
    for (; count < VARIABLE_COUNT; count++)
        candidates[count] = variables[count].name;
    for (uint32_t i = 0; i < source->named_count && i < 256; i++)
        candidates[count++] = source->layers[i].name;
    for (uint32_t i = 0; density && i < source->biome_count && i < 256; i++)
        candidates[count++] = source->biomes[i].name;
    if (density && source->biome_count > 0)
        candidates[count++] = "biome";
    const char *nearest = error_suggest(name->text, candidates, count);
    if (function_find(name->text))
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "\"%s\" is a function; call it with its arguments in parentheses",
                            name->text);
    if (nearest)
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "unknown name \"%s\" (did you mean \"%s\"?)", name->text, nearest);
    return compile_fail(compiler, name, ERROR_UNKNOWN,
                        "unknown name \"%s\"; it is no layer %sof this world, nor x, y, z, t or pi",
                        name->text, density ? "or biome " : "");
}

static int32_t build_name(struct compiler *compiler, const struct formula *name)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i].name, name->text) == 0)
            return build_variable(compiler, name, &variables[i]);
    int32_t value;
    if (compile_biome_name(compiler, name, &value))
        return value;
    for (uint32_t i = 0; i < compiler->source->named_count; i++)
        if (strcmp(compiler->source->layers[i].name, name->text) == 0)
            return compile_layer_in_scope(compiler, i, name);
    return fail_name(compiler, name);
}

/* Operators */

struct operator_row {
    enum token_kind operator;
    enum operation_code code;
    bool swapped, negated;
};

static const struct operator_row operators[] = {
    {TOKEN_PLUS, OP_ADD, false, false},       {TOKEN_MINUS, OP_SUBTRACT, false, false},
    {TOKEN_TIMES, OP_MULTIPLY, false, false}, {TOKEN_DIVIDE, OP_DIVIDE, false, false},
    {TOKEN_LESS, OP_LESS, false, false},      {TOKEN_LESS_EQUAL, OP_LESS_EQUAL, false, false},
    {TOKEN_GREATER, OP_LESS, true, false},    {TOKEN_GREATER_EQUAL, OP_LESS_EQUAL, true, false},
    {TOKEN_EQUAL, OP_EQUAL, false, false},    {TOKEN_NOT_EQUAL, OP_EQUAL, false, true},
    {TOKEN_AND, OP_AND, false, false},        {TOKEN_OR, OP_OR, false, false},
};

enum { EXPONENT_MAX = 64 };

static int32_t build_power(struct compiler *compiler, const struct formula *formula)
{
    struct program *program = compiler->program;
    int32_t base = compile_formula(compiler, formula->children[0]);
    int32_t exponent = compile_formula(compiler, formula->children[1]);
    float n;
    if (base < 0 || exponent < 0)
        return -1;
    if (!program_is_constant(program, exponent, &n) || n != __builtin_floorf(n) ||
        __builtin_fabsf(n) > EXPONENT_MAX)
        return compile_fail(compiler, formula->children[1], ERROR_VALUE,
                            "the exponent must be a constant whole number from -%d to %d",
                            EXPONENT_MAX, EXPONENT_MAX);
    int32_t one = program_constant(program, 1.0f, compiler->error);
    int32_t result = one;
    bool begun = false;
    for (int bit = EXPONENT_MAX; bit > 0; bit >>= 1) {
        if (begun)
            result = program_binary(program, OP_MULTIPLY, result, result, compiler->error);
        if (!((int)__builtin_fabsf(n) & bit))
            continue;
        result = begun ? program_binary(program, OP_MULTIPLY, result, base, compiler->error) : base;
        begun = true;
    }
    if (n >= 0.0f)
        return result;
    return program_binary(program, OP_DIVIDE, one, result, compiler->error);
}

static int32_t build_binary(struct compiler *compiler, const struct formula *formula)
{
    if (formula->operator== TOKEN_POWER)
        return build_power(compiler, formula);
    const struct operator_row *row = operators;
    while (row->operator!= formula->operator)
        row++;
    int32_t left = compile_formula(compiler, formula->children[0]);
    int32_t right = left < 0 ? -1 : compile_formula(compiler, formula->children[1]);
    int32_t value = program_binary(compiler->program, row->code, row->swapped ? right : left,
                                   row->swapped ? left : right, compiler->error);
    return row->negated ? program_unary(compiler->program, OP_NOT, value, compiler->error) : value;
}

static int32_t build_unary(struct compiler *compiler, const struct formula *formula)
{
    int32_t value = compile_formula(compiler, formula->children[0]);
    if (formula->operator== TOKEN_NOT)
        return program_unary(compiler->program, OP_NOT, value, compiler->error);
    int32_t minus = program_constant(compiler->program, -1.0f, compiler->error);
    return program_binary(compiler->program, OP_MULTIPLY, minus, value, compiler->error);
}

static int32_t build_choice(struct compiler *compiler, const struct formula *formula)
{
    int32_t parts[3];
    for (int i = 0; i < 3; i++)
        if ((parts[i] = compile_formula(compiler, formula->children[i])) < 0)
            return -1;
    return program_choose(compiler->program, parts[0], parts[1], parts[2], compiler->error);
}

/* Whether zero_distance() can look through a formula at a noise. */
static bool leads_to_noise(const struct formula *formula)
{
    if (formula->kind != FORMULA_CALL)
        return formula->kind == FORMULA_NAME;
    const struct function *function = function_find(formula->text);
    return !function || function->leads_to_noise;
}

static int32_t build_formula(struct compiler *compiler, const struct formula *formula)
{
    if (compiler->scope.result != NOISE_SAMPLE && !leads_to_noise(formula))
        return compile_fail(compiler, formula, ERROR_VALUE,
                            "zero_distance: only of a noise or fractal itself, also warped, turned "
                            "or scaled, or of a layer that is one");
    switch (formula->kind) {
    case FORMULA_NUMBER:
        return program_constant(compiler->program, (float)formula->number, compiler->error);
    case FORMULA_TEXT:
        return compile_fail(compiler, formula, ERROR_VALUE,
                            "a text can only be an argument, as in basis=\"perlin\"");
    case FORMULA_NAME:
        return build_name(compiler, formula);
    case FORMULA_UNARY:
        return build_unary(compiler, formula);
    case FORMULA_BINARY:
        return build_binary(compiler, formula);
    case FORMULA_CHOICE:
        return build_choice(compiler, formula);
    case FORMULA_CALL:
        return compile_call(compiler, formula);
    }
    return -1;
}

int32_t compile_formula(struct compiler *compiler, const struct formula *formula)
{
    if (compiler->depth == COMPILE_DEPTH_MAX)
        return compile_fail(compiler, formula, ERROR_LIMIT,
                            "the formulas of layers that use each other are nested more than %d "
                            "levels deep",
                            COMPILE_DEPTH_MAX);
    compiler->depth++;
    int32_t value = build_formula(compiler, formula);
    compiler->depth--;
    return value;
}

static struct compile_scope world_scope(uint32_t layer)
{
    return (struct compile_scope){
        .layer = layer, .dx = -1, .dy = -1, .scale = 1.0, .domain.cosine = 1.0};
}

bool compile_layers(struct compile_source *source, struct program *program, struct error *error)
{
    struct compiler compiler = {.program = program, .source = source, .error = error};
    bool done = true;
    for (uint32_t i = 0; i < source->layer_count && done; i++) {
        compiler.scope = world_scope(i);
        source->layers[i].value = compile_layer_in_scope(&compiler, i, NULL);
        done = source->layers[i].value >= 0;
    }
    source->biome = -1;
    if (done && source->biome_count > 0) {
        compiler.scope = world_scope(source->named_count);
        source->biome = compile_biome_in_scope(&compiler);
        done = source->biome >= 0;
    }
    free(compiler.compiled);
    return done;
}
