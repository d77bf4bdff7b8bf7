/* The builder of gullies(): stripes that run down the slope of e
 * (core/program/row_kernels_gullies.c).
 *
 * The slope is the difference of e over a quarter of the wavelength: what is finer in e than the
 * gullies shall not bend them. Level ground has none. Where samples are too far apart for the first
 * octave, the product of its detail guards all else, so that e is not sampled for nothing. */
#include "core/language/compile.h"
#include "core/program/program_tables.h"

enum { ARGUMENT_E, ARGUMENT_WAVELENGTH, ARGUMENT_OCTAVES, ARGUMENT_STRENGTH, ARGUMENT_SALT };
#define WHOLE_SLOPES 4.0f /* slopes from a quarter of a metre a metre on have whole gullies */

/* Refuses octaves that are too fine or too wide in the scope. */
static bool check_wavelengths(struct compiler *compiler, const struct arguments *arguments)
{
    const double wavelength = arguments->numbers[ARGUMENT_WAVELENGTH] * compiler->scope.scale;
    const unsigned octaves = (unsigned)arguments->numbers[ARGUMENT_OCTAVES];
    double finest = wavelength;
    if (wavelength < NOISE_WAVELENGTH_MIN || wavelength > NOISE_WAVELENGTH_MAX)
        return compile_fail(compiler, arguments->formulas[ARGUMENT_WAVELENGTH], ERROR_VALUE,
                            "gullies: scale() makes the wavelength %g m; it must be from %g to %g",
                            wavelength, NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX) >= 0;
    for (unsigned i = 1; i < octaves; i++) {
        finest *= 0.5;
        if (finest < NOISE_WAVELENGTH_MIN)
            return compile_fail(compiler, arguments->formulas[ARGUMENT_OCTAVES], ERROR_VALUE,
                                "gullies: octave %u would be finer than 0.01 m; at most %u octaves "
                                "fit this wavelength",
                                i + 1, i) >= 0;
    }
    return true;
}

/* The stripes alone, along the direction of the slope (x, y). */
static int32_t build_stripes(struct compiler *compiler, const struct arguments *arguments,
                             int32_t x, int32_t y)
{
    const struct compile_scope *scope = &compiler->scope;
    const double wavelength = arguments->numbers[ARGUMENT_WAVELENGTH];
    const uint64_t key = compile_noise_key(compiler, arguments->function->name,
                                           arguments->texts[ARGUMENT_SALT], wavelength);
    const struct node_grid grid = {.domain = scope->domain,
                                   .scale = wavelength * scope->scale,
                                   .dx = scope->dx,
                                   .dy = scope->dy};
    /* A float holds the 24 bits. */
    struct operation stripes = {
        .code = OP_GULLIES,
        .a = grid.dx,
        .b = grid.dy,
        .k = {(float)arguments->numbers[ARGUMENT_OCTAVES], (float)(int32_t)(key >> 40)}};
    stripes.c = build_pair(compiler, OP_ANGLE, y, x);
    if (stripes.c < 0 || !program_keep_node_grid(compiler->program, &grid, &stripes.table_index))
        return -1;
    return program_add(compiler->program, &stripes);
}

/* 1 − (1 − t)², with t from 0 on level ground to 1 on steep ground. */
static int32_t build_steepness(struct compiler *compiler, int32_t x, int32_t y)
{
    const int32_t none = build_number(compiler, 0.0f), one = build_number(compiler, 1.0f);
    const int32_t slope = build_length(compiler, x, y);
    const int32_t t =
        build_pair(compiler, OP_MULTIPLY, slope, build_number(compiler, WHOLE_SLOPES));
    const int32_t rest =
        build_pair(compiler, OP_SUBTRACT, one, build_clamped(compiler, t, none, one));
    return build_pair(compiler, OP_SUBTRACT, one, build_pair(compiler, OP_MULTIPLY, rest, rest));
}

int32_t build_gullies(struct compiler *compiler, const struct arguments *arguments)
{
    const struct formula *e = arguments->formulas[ARGUMENT_E];
    const double wavelength = arguments->numbers[ARGUMENT_WAVELENGTH];
    /* In steps of 2⁻¹⁵ m, half of which moves scopes exactly. */
    const float spacing = (float)((__builtin_floor(wavelength * 0x1p13) + 1.0) * 0x1p-15);
    if (!check_wavelengths(compiler, arguments))
        return -1;
    const int32_t x = compile_difference(compiler, e, spacing, true);
    const int32_t y = x < 0 ? -1 : compile_difference(compiler, e, spacing, false);
    if (y < 0)
        return -1;
    const int32_t depth =
        build_number(compiler, (float)(0.5 * arguments->numbers[ARGUMENT_STRENGTH] * wavelength));
    const int32_t detail = compile_detail(compiler, build_number(compiler, (float)wavelength));
    const int32_t shown = build_pair(compiler, OP_LESS, build_number(compiler, 0.0f), detail);
    const int32_t steep = build_steepness(compiler, x, y);
    const int32_t stripes = build_stripes(compiler, arguments, x, y);
    const int32_t metres =
        build_pair(compiler, OP_MULTIPLY, build_pair(compiler, OP_MULTIPLY, stripes, steep), depth);
    return build_pair(compiler, OP_MULTIPLY, metres, shown);
}
