/* Compiles names: variables, the names that scatter() gives to its formula, layers, and in
 * densities and weights the biome and biomes, in this order. All that is no layer is no noise
 * either, so zero_distance() refuses it.
 *
 * Layers and biomes are found by an index, as hundreds of them may be named thousands of times. */
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/language/compile.h"
#include "core/language/meanings.h"

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

int32_t compile_fail_not_noise(struct compiler *compiler, const struct formula *name)
{
    return compile_fail(compiler, name, ERROR_VALUE, "zero_distance: %s is not a noise or fractal",
                        name->text);
}

static int32_t build_variable(struct compiler *compiler, const struct formula *name,
                              const struct variable *variable)
{
    if (compiler->scope.result != NOISE_SAMPLE)
        return compile_fail_not_noise(compiler, name);
    if (variable->code == OP_CONSTANT)
        return program_constant(compiler->program, variable->value);
    return build_coordinate(compiler, variable->code);
}

/* The name of a layer by number, or, behind the layers that have names, of a biome. */
static const char *name_at(const struct compile_source *source, uint32_t i)
{
    return i < source->named_count ? source->layers[i].name
                                   : source->biomes[i - source->named_count];
}

static uint64_t hash_name(const char *name)
{
    return hash_bytes(name, strlen(name), 0).low;
}

bool compile_index_names(struct compiler *compiler)
{
    const uint32_t count = compiler->source->named_count + compiler->source->biome_count;
    for (uint32_t i = 0; i < count; i++)
        if (!hash_index_add(&compiler->names, hash_name(name_at(compiler->source, i)), i))
            return error_memory(compiler->error);
    return true;
}

/* The layer of that name, or, if `biome`, the biome; -1 if there is none. */
static int32_t find_name(const struct compiler *compiler, const char *name, bool biome)
{
    const uint32_t named = compiler->source->named_count;
    uint32_t probe = 0;
    int32_t i;
    while ((i = hash_index_next(&compiler->names, hash_name(name), &probe)) >= 0)
        if (((uint32_t)i >= named) == biome &&
            strcmp(name_at(compiler->source, (uint32_t)i), name) == 0)
            return biome ? i - (int32_t)named : i;
    return -1;
}

int32_t compile_find_layer(const struct compiler *compiler, const char *name)
{
    return find_name(compiler, name, false);
}

static int32_t build_biome_constant(struct compiler *compiler, const struct formula *name,
                                    int32_t biome)
{
    if (find_name(compiler, name->text, false) >= 0)
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
    if (!in_density(compiler))
        return false;
    const bool itself = strcmp(name->text, "biome") == 0;
    const int32_t biome = itself ? -1 : find_name(compiler, name->text, true);
    if (!itself && biome < 0)
        return false;
    if (compiler->scope.result != NOISE_SAMPLE)
        *value = compile_fail_not_noise(compiler, name);
    else
        *value = itself ? compile_biome(compiler) : build_biome_constant(compiler, name, biome);
    return true;
}

/* The name that is nearest to one that is unknown here, or null. */
static const char *suggest_name(const struct compiler *compiler, const char *name)
{
    const struct compile_source *source = compiler->source;
    const char
        *candidates[VARIABLE_COUNT + SCATTER_NAMES + COMPILE_LAYERS_MAX + COMPILE_BIOMES_MAX + 1];
    size_t count = 0;
    for (; count < VARIABLE_COUNT; count++)
        candidates[count] = variables[count].name;
    for (int i = 0; i < SCATTER_NAMES && compiler->scope.feature > 0; i++)
        candidates[count++] = scatter_names[i];
    for (uint32_t i = 0; i < source->named_count; i++)
        candidates[count++] = source->layers[i].name;
    if (in_density(compiler)) {
        for (uint32_t i = 0; i < source->biome_count; i++)
            candidates[count++] = source->biomes[i];
        candidates[count++] = "biome";
    }
    return error_suggest(name, candidates, count);
}

/* Writes the names that every formula knows, and those that scatter() gives to the one compiled. */
static void list_names(const struct compiler *compiler, char *list, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < VARIABLE_COUNT && used < size; i++)
        used +=
            (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "", variables[i].name);
    for (int i = 0; i < SCATTER_NAMES && compiler->scope.feature > 0 && used < size; i++)
        used += (size_t)snprintf(list + used, size - used, "%s%s%s",
                                 i == 0                   ? ", in scatter() "
                                 : i == SCATTER_NAMES - 1 ? " and "
                                                          : ", ",
                                 scatter_names[i], i == SCATTER_NAMES - 1 ? "," : "");
}

static int32_t fail_name(struct compiler *compiler, const struct formula *name)
{
    if (function_find(name->text))
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "\"%s\" is a function; call it with its arguments in parentheses",
                            name->text);
    const char *meaning = meaning_find(name->text, strlen(name->text));
    if (meaning)
        return compile_fail(compiler, name, ERROR_UNKNOWN, "unknown name \"%s\"; write %s",
                            name->text, meaning);
    const char *nearest = suggest_name(compiler, name->text);
    if (nearest)
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "unknown name \"%s\" (did you mean \"%s\"?)", name->text, nearest);
    char list[96];
    list_names(compiler, list, sizeof list);
    return compile_fail(compiler, name, ERROR_UNKNOWN,
                        "unknown name \"%s\"; names are %s and the layers%s of this world",
                        name->text, list, in_density(compiler) ? " and biomes" : "");
}

/* A name is a variable, in densities and weights the biome or a biome, or a layer of the file. */
int32_t compile_name(struct compiler *compiler, const struct formula *name)
{
    if (compiler->source->build_name)
        return compiler->source->build_name(compiler, name);
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i].name, name->text) == 0)
            return build_variable(compiler, name, &variables[i]);
    int32_t value;
    if (compile_scatter_name(compiler, name, &value) || build_biome_name(compiler, name, &value))
        return value;
    const int32_t layer = find_name(compiler, name->text, false);
    return layer >= 0 ? compile_named_layer(compiler, (uint32_t)layer, name)
                      : fail_name(compiler, name);
}
