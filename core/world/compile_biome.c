/* The biome in formulas: an index chosen by the conditions of the biomes, and their names as
 * constants. Only densities of objects may name them: a layer that did could be part of the
 * condition that decides over it. */
#include <string.h>

#include "core/world/compile.h"

/* The index of the first biome whose condition holds; the last one if none does. */
int32_t compile_biome_in_scope(struct compiler *compiler)
{
    const struct compile_source *source = compiler->source;
    struct program *program = compiler->program;
    int32_t value = program_constant(program, (float)(source->biome_count - 1), compiler->error);
    for (uint32_t i = source->biome_count; i-- > 0;) {
        const uint32_t layer = source->named_count + i;
        if (!source->layers[layer].formula)
            continue;
        int32_t condition = compile_layer_in_scope(compiler, layer, NULL);
        int32_t index = program_constant(program, (float)i, compiler->error);
        value = program_choose(program, condition, index, value, compiler->error);
        if (value < 0)
            break;
    }
    return value;
}

static int32_t build_constant(struct compiler *compiler, const struct formula *name, uint32_t biome)
{
    const struct compile_source *source = compiler->source;
    for (uint32_t i = 0; i < source->named_count; i++)
        if (strcmp(source->layers[i].name, name->text) == 0)
            return compile_fail(compiler, name, ERROR_VALUE,
                                "\"%s\" is a layer and a biome; rename one of them", name->text);
    return program_constant(compiler->program, (float)biome, compiler->error);
}

bool compile_in_density(const struct compiler *compiler)
{
    return compiler->scope.layer >= compiler->source->density_first &&
           compiler->source->biome_count > 0;
}

bool compile_biome_name(struct compiler *compiler, const struct formula *name, int32_t *value)
{
    const struct compile_source *source = compiler->source;
    const bool itself = strcmp(name->text, "biome") == 0;
    uint32_t biome = 0;
    if (!compile_in_density(compiler))
        return false;
    while (!itself && biome < source->biome_count && strcmp(source->biomes[biome], name->text) != 0)
        biome++;
    if (biome == source->biome_count)
        return false;
    if (compiler->scope.result != NOISE_SAMPLE)
        *value = compile_fail_not_noise(compiler, name);
    else
        *value = itself ? compile_biome_in_scope(compiler) : build_constant(compiler, name, biome);
    return true;
}
