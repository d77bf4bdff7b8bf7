/* Compiles formula trees to a program: layers, names and expressions. Operators are in
 * compile_operators.c, calls in compile_call.c and the builders of functions_*.c.
 *
 * The compiler walks each tree once, bottom up, and every node becomes the number of an operation.
 * Where and how a formula is sampled is the scope: the layer it belongs to, how its plane is moved,
 * turned and scaled, and whether noises give samples or distances to their zeros. warp(), rotate(),
 * scale() and slope() compile their argument in a changed scope: a move becomes a displacement of
 * the noises, never a lookup in samples made before.
 *
 * A layer that another one names is compiled in the scope of the use. The result is remembered by
 * scope, so a layer that is used a hundred times at the same displacement is sampled once; equal
 * operations are merged by the program as well. A stack of the layers being compiled finds cycles.
 * All limits exist so that a hostile file can exhaust neither memory nor the stack.
 *
 * The key of a noise hashes seed, layer, function, salt and wavelength: two calls with the same
 * parameters in one layer are one noise, in two layers different ones, and a layer that is added
 * changes no other.
 *
 * The biome is an index chosen by the conditions of the biomes; the names of biomes are constants.
 * Only densities of objects may name them: a layer that did could be part of the condition that
 * decides over it. */
#include "core/world/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"

/* The result of a layer in a scope. */
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

bool compile_is_reserved(const char *name)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i].name, name) == 0)
            return true;
    return strcmp(name, "biome") == 0;
}

static int32_t fail_not_noise(struct compiler *compiler, const struct formula *name)
{
    return compile_fail(compiler, name, ERROR_VALUE, "zero_distance: %s is not a noise or fractal",
                        name->text);
}

static int32_t build_variable(struct compiler *compiler, const struct formula *name,
                              const struct variable *variable)
{
    if (compiler->scope.result != NOISE_SAMPLE)
        return fail_not_noise(compiler, name);
    if (variable->code == OP_CONSTANT)
        return program_constant(compiler->program, variable->value);
    return build_coordinate(compiler, variable->code);
}

/* Fails with the cycle as a chain of names, from the first use of the layer to this one. */
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
           noise_domain_equal(&a->domain, &b->domain) && a->result == b->result;
}

/* Remembers the result of the layer being compiled, by its scope. */
static bool cache_compiled_layer(struct compiler *compiler, int32_t value)
{
    if (compiler->compiled_count == COMPILE_PLACES_MAX)
        return error_set(compiler->error, ERROR_LIMIT,
                         "layers are used at more than %d different displacements",
                         COMPILE_PLACES_MAX);
    struct compiled_layer *compiled = array_reserve(compiler->compiled, compiler->compiled_count,
                                                    &compiler->compiled_capacity, sizeof *compiled);
    if (!compiled)
        return error_memory(compiler->error);
    compiler->compiled = compiled;
    compiler->compiled[compiler->compiled_count++] =
        (struct compiled_layer){compiler->scope, value};
    return true;
}

/* A layer. `use` is the name that refers to it, for messages, or null. */
static int32_t build_layer(struct compiler *compiler, uint32_t layer, const struct formula *use)
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
                            "layers refer to each other more than %d levels deep",
                            COMPILE_CHAIN_MAX);
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

/* The index of the first biome whose condition holds; the last one if none does. */
static int32_t build_biome(struct compiler *compiler)
{
    const struct compile_source *source = compiler->source;
    struct program *program = compiler->program;
    int32_t value = program_constant(program, (float)(source->biome_count - 1));
    for (uint32_t i = source->biome_count; i-- > 0;) {
        const uint32_t layer = source->named_count + i;
        if (!source->layers[layer].formula)
            continue;
        int32_t condition = build_layer(compiler, layer, NULL);
        int32_t index = program_constant(program, (float)i);
        value = program_choose(program, condition, index, value);
        if (value < 0)
            break;
    }
    return value;
}

static int32_t build_biome_constant(struct compiler *compiler, const struct formula *name,
                                    uint32_t biome)
{
    const struct compile_source *source = compiler->source;
    for (uint32_t i = 0; i < source->named_count; i++)
        if (strcmp(source->layers[i].name, name->text) == 0)
            return compile_fail(compiler, name, ERROR_VALUE,
                                "\"%s\" is a layer and a biome; rename one of them", name->text);
    return program_constant(compiler->program, (float)biome);
}

static bool in_density(const struct compiler *compiler)
{
    return compiler->scope.layer >= compiler->source->density_first &&
           compiler->source->biome_count > 0;
}

static bool build_biome_name(struct compiler *compiler, const struct formula *name, int32_t *value)
{
    const struct compile_source *source = compiler->source;
    const bool itself = strcmp(name->text, "biome") == 0;
    uint32_t biome = 0;
    if (!in_density(compiler))
        return false;
    while (!itself && biome < source->biome_count && strcmp(source->biomes[biome], name->text) != 0)
        biome++;
    if (biome == source->biome_count)
        return false;
    if (compiler->scope.result != NOISE_SAMPLE)
        *value = fail_not_noise(compiler, name);
    else
        *value = itself ? build_biome(compiler) : build_biome_constant(compiler, name, biome);
    return true;
}

/* The name that is nearest to one that is unknown here, or null. */
static const char *suggest_name(const struct compiler *compiler, const char *name)
{
    const struct compile_source *source = compiler->source;
    const char *candidates[VARIABLE_COUNT + COMPILE_LAYERS_MAX + COMPILE_BIOMES_MAX + 1];
    size_t count = 0;
    for (; count < VARIABLE_COUNT; count++)
        candidates[count] = variables[count].name;
    for (uint32_t i = 0; i < source->named_count; i++)
        candidates[count++] = source->layers[i].name;
    if (in_density(compiler)) {
        for (uint32_t i = 0; i < source->biome_count; i++)
            candidates[count++] = source->biomes[i];
        candidates[count++] = "biome";
    }
    return error_suggest(name, candidates, count);
}

static int32_t fail_name(struct compiler *compiler, const struct formula *name)
{
    if (function_find(name->text))
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "\"%s\" is a function; call it with its arguments in parentheses",
                            name->text);
    const char *nearest = suggest_name(compiler, name->text);
    if (nearest)
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "unknown name \"%s\" (did you mean \"%s\"?)", name->text, nearest);
    char list[64] = "";
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 variables[i].name);
    return compile_fail(compiler, name, ERROR_UNKNOWN,
                        "unknown name \"%s\"; names are %s and the layers%s of this world",
                        name->text, list, in_density(compiler) ? " and biomes" : "");
}

/* A name is a variable, in densities the biome or a biome, or a layer of the file. */
static int32_t build_name(struct compiler *compiler, const struct formula *name)
{
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i].name, name->text) == 0)
            return build_variable(compiler, name, &variables[i]);
    int32_t value;
    if (build_biome_name(compiler, name, &value))
        return value;
    for (uint32_t i = 0; i < compiler->source->named_count; i++)
        if (strcmp(compiler->source->layers[i].name, name->text) == 0)
            return build_layer(compiler, i, name);
    return fail_name(compiler, name);
}

/* True if a formula may be the argument of zero_distance(): a noise, a function that moves one, or
 * the name of a layer, whose formula is checked in turn. An unknown function passes and fails
 * later. */
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
                            "zero_distance: its argument must be a noise or fractal, which may be "
                            "warped, rotated or scaled, or a layer that is one");
    switch (formula->kind) {
    case FORMULA_NUMBER:
        return program_constant(compiler->program, (float)formula->number);
    case FORMULA_TEXT:
        return compile_fail(compiler, formula, ERROR_VALUE,
                            "a text can only be an argument, as in basis=\"perlin\"");
    case FORMULA_NAME:
        return build_name(compiler, formula);
    case FORMULA_UNARY:
    case FORMULA_BINARY:
    case FORMULA_CHOICE:
        return compile_operator(compiler, formula);
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

/* The scope of a layer itself: neither moved nor scaled. */
static struct compile_scope world_scope(uint32_t layer)
{
    return (struct compile_scope){
        .layer = layer, .dx = -1, .dy = -1, .scale = 1.0, .domain.cosine = 1.0};
}

bool compile_layers(struct compile_source *source, struct program *program, struct error *error)
{
    struct compiler compiler = {.program = program, .source = source, .error = error};
    bool done = true;
    program->error = error;
    for (uint32_t i = 0; i < source->layer_count && done; i++) {
        if (!source->layers[i].formula)
            continue;
        compiler.scope = world_scope(i);
        source->layers[i].value = build_layer(&compiler, i, NULL);
        done = source->layers[i].value >= 0;
    }
    source->biome = -1;
    if (done && source->biome_count > 0) {
        compiler.scope = world_scope(source->named_count);
        source->biome = build_biome(&compiler);
        done = source->biome >= 0;
    }
    free(compiler.compiled);
    return done;
}
