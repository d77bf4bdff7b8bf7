/* Noises and fractals. */
#include "core/world/functions_build.h"

/* The arguments of every noise, in the order of the noises' parameters. */
enum { ARGUMENT_WAVELENGTH, ARGUMENT_INTERPOLATION, ARGUMENT_SALT, WHITE_SALT = 1 };
enum {
    ARGUMENT_OCTAVES = 1,
    ARGUMENT_PERSISTENCE,
    ARGUMENT_LACUNARITY,
    ARGUMENT_BASIS,
    SUM_INTERPOLATION,
    RIDGED_FEEDBACK = SUM_INTERPOLATION,
    RIDGED_INTERPOLATION,
};

static int32_t add_noise(struct compiler *compiler, const struct arguments *arguments,
                         struct noise_settings *settings, const char *salt)
{
    const double wavelength = arguments->numbers[ARGUMENT_WAVELENGTH];
    settings->key = compile_noise_key(compiler, arguments->call->text, salt, wavelength);
    settings->wavelength = wavelength * compiler->scope.scale;
    if (settings->wavelength < NOISE_WAVELENGTH_MIN || settings->wavelength > NOISE_WAVELENGTH_MAX)
        return compile_fail(compiler, arguments->formulas[ARGUMENT_WAVELENGTH], ERROR_VALUE,
                            "%s: scale() makes the wavelength %g m; it must stay from 0.01 to 1e9",
                            arguments->call->text, settings->wavelength);
    return program_noise(compiler->program, settings, compiler->scope.dx, compiler->scope.dy,
                         compiler->error);
}

static int32_t build_single(struct compiler *compiler, const struct arguments *arguments,
                            enum noise_basis basis, enum noise_interpolation interpolation,
                            const char *salt)
{
    struct noise_settings settings = {
        .basis = basis,
        .interpolation = interpolation,
        .fractal = NOISE_SINGLE,
        .octaves = 1,
        .lacunarity = 2.0,
        .persistence = 0.5,
    };
    return add_noise(compiler, arguments, &settings, salt);
}

/* White noise is lattice values that are not interpolated. */
int32_t build_white(struct compiler *compiler, const struct arguments *arguments)
{
    return build_single(compiler, arguments, NOISE_VALUE, NOISE_NONE, arguments->texts[WHITE_SALT]);
}

static int32_t build_interpolated(struct compiler *compiler, const struct arguments *arguments,
                                  enum noise_basis basis)
{
    const double interpolation = arguments->numbers[ARGUMENT_INTERPOLATION];
    return build_single(compiler, arguments, basis, (enum noise_interpolation)interpolation,
                        arguments->texts[ARGUMENT_SALT]);
}

int32_t build_value(struct compiler *compiler, const struct arguments *arguments)
{
    return build_interpolated(compiler, arguments, NOISE_VALUE);
}

int32_t build_perlin(struct compiler *compiler, const struct arguments *arguments)
{
    return build_interpolated(compiler, arguments, NOISE_PERLIN);
}

/* The finest octave's frequency must fit its 64 bits. */
static bool check_octaves(struct compiler *compiler, const struct arguments *arguments)
{
    double wavelength = arguments->numbers[ARGUMENT_WAVELENGTH] * compiler->scope.scale;
    unsigned octaves = (unsigned)arguments->numbers[ARGUMENT_OCTAVES];
    for (unsigned i = 1; i < octaves; i++) {
        wavelength /= arguments->numbers[ARGUMENT_LACUNARITY];
        if (wavelength >= NOISE_WAVELENGTH_MIN)
            continue;
        compile_fail(compiler, arguments->formulas[ARGUMENT_OCTAVES], ERROR_VALUE,
                     "%s: octave %u would be finer than 0.01 m; at most %u octaves fit this "
                     "wavelength",
                     arguments->call->text, i + 1, i);
        return false;
    }
    return true;
}

/* A fractal; the arguments after `interpolation` differ in nothing but their place. */
static int32_t build_fractal(struct compiler *compiler, const struct arguments *arguments,
                             enum noise_fractal fractal, unsigned interpolation)
{
    const double *numbers = arguments->numbers;
    struct noise_settings settings = {
        .basis = NOISE_VALUE,
        .interpolation = (enum noise_interpolation)numbers[interpolation],
        .fractal = fractal,
        .octaves = (unsigned)numbers[ARGUMENT_OCTAVES],
        .persistence = numbers[ARGUMENT_PERSISTENCE],
        .lacunarity = numbers[ARGUMENT_LACUNARITY],
    };
    if (numbers[ARGUMENT_BASIS] == BASIS_PERLIN)
        settings.basis = NOISE_PERLIN;
    if (numbers[ARGUMENT_BASIS] == BASIS_WHITE)
        settings.interpolation = NOISE_NONE;
    if (fractal == NOISE_RIDGED)
        settings.feedback = (float)numbers[RIDGED_FEEDBACK];
    if (!check_octaves(compiler, arguments))
        return -1;
    return add_noise(compiler, arguments, &settings, arguments->texts[interpolation + 1]);
}

int32_t build_fbm(struct compiler *compiler, const struct arguments *arguments)
{
    return build_fractal(compiler, arguments, NOISE_FBM, SUM_INTERPOLATION);
}

int32_t build_billow(struct compiler *compiler, const struct arguments *arguments)
{
    return build_fractal(compiler, arguments, NOISE_BILLOW, SUM_INTERPOLATION);
}

int32_t build_turbulence(struct compiler *compiler, const struct arguments *arguments)
{
    return build_fractal(compiler, arguments, NOISE_TURBULENCE, SUM_INTERPOLATION);
}

int32_t build_ridged(struct compiler *compiler, const struct arguments *arguments)
{
    return build_fractal(compiler, arguments, NOISE_RIDGED, RIDGED_INTERPOLATION);
}
