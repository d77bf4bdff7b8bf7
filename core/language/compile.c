/* Compiles formula trees to a program: layers and expressions. Names are in compile_names.c,
 * operators in compile_operators.c, calls in compile_call.c and the builders of functions_*.c.
 *
 * The compiler walks each tree once, bottom up, and every node becomes the number of an operation.
 * Where and how a formula is sampled is the scope: the layer it belongs to, how its plane is moved,
 * turned and scaled, and whether noises give samples or distances to their zeros. warp(), rotate(),
 * scale() and slope() compile their argument in a changed scope: a move becomes a displacement of
 * the noises, never a lookup in samples made before.
 *
 * A layer that another one names is compiled in the scope of the use. Results are remembered by
 * scope: those of layers, of the biome, and of every formula with parts. So what is used a hundred
 * times at the same displacement is compiled and sampled once: slope() in slope() compiles its
 * argument at 9 places and not 16 times, and each further level adds a ring of places instead of
 * multiplying them by four. Displacements that differ do multiply; the work is counted in steps,
 * and the budget ends what would take too long. A stack of the layers being compiled finds cycles.
 * All limits exist so that a hostile file can exhaust neither memory nor the stack nor time.
 *
 * The key of a noise hashes seed, layer, function, salt and wavelength: two calls with the same
 * parameters in one layer are one noise, in two layers different ones, and a layer that is added
 * changes no other.
 *
 * The biome is an index chosen by the conditions of the biomes; the names of biomes are constants.
 * Only densities of objects and weights of materials may name them: a layer that did could be part
 * of the condition that decides over it. */
#include "core/language/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"

/* The result in a scope of a layer, a formula with parts or, for the biome, of the source. */
struct compiled {
    const void *subject;
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

uint64_t compile_noise_key(struct compiler *compiler, const char *function, const char *salt,
                           double wavelength)
{
    const char *layer = compiler->source->layers[compiler->scope.layer].name;
    const char *const parts[] = {layer, function, salt};
    compiler->program->work += WORK_NOISE + strlen(salt) / WORK_SALT;
    uint64_t key = hash_mix(compiler->source->seed);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = hash_bytes(parts[i], strlen(parts[i]), key).low;
    uint64_t bits;
    memcpy(&bits, &wavelength, sizeof bits);
    return hash_mix(key + hash_mix(bits));
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
           noise_domain_equal(&a->domain, &b->domain) && a->result == b->result &&
           a->feature == b->feature;
}

static uint64_t hash_scope(const void *subject, const struct compile_scope *scope)
{
    const struct noise_domain *domain = &scope->domain;
    uint64_t hash = hash_mix((uint64_t)(uintptr_t)subject + scope->layer);
    hash = hash_mix(hash + ((uint64_t)(uint32_t)scope->dx << 32 | (uint32_t)scope->dy));
    hash = hash_mix(hash + (uint64_t)domain->shift_x);
    hash = hash_mix(hash + (uint64_t)domain->shift_y);
    hash = hash_number(hash_number(hash, domain->cosine), domain->sine);
    return hash_number(hash + scope->result + ((uint64_t)scope->feature << 8), scope->scale);
}

/* What a subject was compiled to in the compiler's scope, or -1. */
static int32_t find_compiled(const struct compiler *compiler, const void *subject)
{
    const uint64_t hash = hash_scope(subject, &compiler->scope);
    uint32_t probe = 0;
    for (int32_t i; (i = hash_index_next(&compiler->compiled_index, hash, &probe)) >= 0;) {
        const struct compiled *compiled = &compiler->compiled[i];
        if (compiled->subject == subject && same_scope(&compiled->scope, &compiler->scope))
            return compiled->value;
    }
    return -1;
}

/* Remembers the result of a subject in the compiler's scope. Returns it, or -1 when memory is out.
 */
static int32_t remember(struct compiler *compiler, const void *subject, int32_t value)
{
    if (value < 0)
        return -1;
    compiler->program->work += WORK_REMEMBER;
    struct compiled *compiled = array_reserve(compiler->compiled, compiler->compiled_count,
                                              &compiler->compiled_capacity, sizeof *compiled);
    compiler->compiled = compiled ? compiled : compiler->compiled;
    if (!compiled ||
        !hash_index_add(&compiler->compiled_index, hash_scope(subject, &compiler->scope),
                        compiler->compiled_count)) {
        error_memory(compiler->error);
        return -1;
    }
    compiled[compiler->compiled_count++] = (struct compiled){subject, compiler->scope, value};
    return value;
}

/* Completes the error of a layer's formula. True if it was taken: then the formula is null,
 * and any value stands for it, so that the formulas that name the layer are compiled as well. A
 * limit ends compiling: most are of all formulas together. */
static bool take_error(struct compiler *compiler, struct compile_layer *layer)
{
    const struct compile_source *source = compiler->source;
    error_in_path(compiler->error, "%s", layer->path);
    if (compiler->error && compiler->error->code == ERROR_LIMIT)
        return false;
    if (!source->take_error || !source->take_error(source->context, compiler->error))
        return false;
    layer->formula = NULL;
    return true;
}

/* Compiles a layer in the compiler's scope, which is the layer's. */
static int32_t compile_layer(struct compiler *compiler, uint32_t layer, const struct formula *use)
{
    for (uint32_t i = 0; use && i < compiler->stack_count; i++)
        if (compiler->stack[i] == layer)
            return fail_layer_cycle(compiler, use, layer);
    if (!compiler->source->layers[layer].formula)
        return build_coordinate(compiler, OP_X);
    if (compiler->stack_count == COMPILE_CHAIN_MAX)
        return compile_fail(compiler, use, ERROR_LIMIT,
                            "layers refer to each other more than %d levels deep",
                            COMPILE_CHAIN_MAX);
    compiler->stack[compiler->stack_count++] = layer;
    int32_t value = compile_formula(compiler, compiler->source->layers[layer].formula);
    compiler->stack_count--;
    if (value >= 0 && compiler->layer_scopes++ == COMPILE_PLACES_MAX) {
        error_set(compiler->error, ERROR_LIMIT,
                  "layers are used at more than %d different displacements", COMPILE_PLACES_MAX);
        value = -1;
    }
    if (value < 0 && take_error(compiler, &compiler->source->layers[layer]))
        value = build_coordinate(compiler, OP_X);
    return remember(compiler, &compiler->source->layers[layer], value);
}

int32_t compile_named_layer(struct compiler *compiler, uint32_t layer, const struct formula *use)
{
    const struct compile_scope outer = compiler->scope;
    compiler->scope.layer = layer;
    compiler->scope.feature = 0; /* other formulas know no names of scatter() */
    int32_t value = find_compiled(compiler, &compiler->source->layers[layer]);
    if (value < 0)
        value = compile_layer(compiler, layer, use);
    compiler->scope = outer;
    return value;
}

/* The index of the first biome whose condition holds; the last one if none does. */
static int32_t choose_biome(struct compiler *compiler)
{
    const struct compile_source *source = compiler->source;
    struct program *program = compiler->program;
    int32_t value = program_constant(program, (float)(source->biome_count - 1));
    for (uint32_t i = source->biome_count; i-- > 0;) {
        const uint32_t layer = source->named_count + i;
        if (!source->layers[layer].formula)
            continue;
        int32_t condition = compile_named_layer(compiler, layer, NULL);
        int32_t index = program_constant(program, (float)i);
        value = program_choose(program, condition, index, value);
        if (value < 0)
            break;
    }
    return value;
}

int32_t compile_biome(struct compiler *compiler)
{
    const struct compile_scope outer = compiler->scope;
    compiler->scope.layer = compiler->source->named_count;
    compiler->scope.feature = 0;
    int32_t value = find_compiled(compiler, compiler->source);
    if (value < 0)
        value = remember(compiler, compiler->source, choose_biome(compiler));
    compiler->scope = outer;
    return value;
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
        return compile_name(compiler, formula);
    case FORMULA_UNARY:
    case FORMULA_BINARY:
    case FORMULA_CHOICE:
        return compile_operator(compiler, formula);
    case FORMULA_CALL:
        return compile_call(compiler, formula);
    }
    return -1;
}

/* A limit that the program or the budget sets is reported at the formula that reached it. */
static int32_t fail_limit(struct compiler *compiler, const struct formula *formula)
{
    struct error *error = compiler->error;
    if (error && error->code == ERROR_LIMIT && !error->column && !error->path[0])
        compiler->error->column = formula->column;
    return -1;
}

static int32_t compile_nested(struct compiler *compiler, const struct formula *formula)
{
    if (compiler->depth == COMPILE_DEPTH_MAX)
        return compile_fail(compiler, formula, ERROR_LIMIT,
                            "the formulas of layers that use each other are nested more than %d "
                            "levels deep",
                            COMPILE_DEPTH_MAX);
    compiler->depth++;
    int32_t value = build_formula(compiler, formula);
    compiler->depth--;
    return value >= 0 ? value : fail_limit(compiler, formula);
}

int32_t compile_formula(struct compiler *compiler, const struct formula *formula)
{
    const bool has_parts = formula->child_count > 0;
    compiler->program->work += WORK_FORMULA;
    if (compiler->program->work > COMPILE_WORK_MAX)
        return compile_fail(compiler, formula, ERROR_LIMIT,
                            "the world takes more than %d steps to compile: functions that sample "
                            "a formula at several places multiply in each other",
                            COMPILE_WORK_MAX);
    const int32_t known = has_parts ? find_compiled(compiler, formula) : -1;
    if (known >= 0)
        return known;
    const int32_t value = compile_nested(compiler, formula);
    return has_parts ? remember(compiler, formula, value) : value;
}

struct compile_scope compile_world_scope(uint32_t layer)
{
    return (struct compile_scope){
        .layer = layer, .dx = -1, .dy = -1, .scale = 1.0, .domain.cosine = 1.0};
}

void compile_free(struct compiler *compiler)
{
    free(compiler->compiled);
    free(compiler->coarse_levels);
    hash_index_free(&compiler->compiled_index);
    hash_index_free(&compiler->names);
}

bool compile_layers(struct compile_source *source, struct program *program, struct error *error)
{
    struct compiler compiler = {.program = program, .source = source, .error = error};
    program->error = error;
    bool done = compile_index_names(&compiler);
    for (uint32_t i = 0; i < source->layer_count && done; i++) {
        if (!source->layers[i].formula)
            continue;
        compiler.scope = compile_world_scope(i);
        source->layers[i].value = compile_named_layer(&compiler, i, NULL);
        done = source->layers[i].value >= 0;
    }
    compiler.scope = compile_world_scope(0);
    for (uint32_t i = 0; i < DRAINAGE_OUTPUTS && source->drainage_spacing_log2 > 0 && done; i++) {
        source->drainage_outputs[i] = compile_drainage(&compiler, (enum drainage_output)i, NULL);
        done = source->drainage_outputs[i] >= 0;
    }
    source->biome = -1;
    if (done && source->biome_count > 0) {
        compiler.scope = compile_world_scope(source->named_count);
        source->biome = compile_biome(&compiler);
        done = source->biome >= 0;
    }
    compile_free(&compiler);
    return done;
}
