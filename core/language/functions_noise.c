/* Builders of noises and fractals: from the arguments of a call to struct noise_settings.
 *
 * Arguments are read by name, as functions have different parameters in different orders; a
 * parameter that a function does not have gives its default. What a row of the table cannot say is
 * checked here: that a wavelength belongs to an axis of the noise, that scale() has not moved it
 * out of range, and that the finest octave still has a wavelength of NOISE_WAVELENGTH_MIN.
 *
 * Wavelengths in settings are metres of the world; the key of the noise hashes the wavelength as it
 * is written, so scale() enlarges a noise without making it another one. */
#include "core/language/compile.h"
#include "core/noise/basis.h"

/* The number of a parameter; `default_value` if the function has no such parameter. */
static double number_of(const struct arguments *arguments, const char *name, double default_value)
{
    const int32_t parameter = function_parameter(arguments->function, name);
    return parameter < 0 ? default_value : arguments->numbers[parameter];
}

static const struct formula *formula_of(const struct arguments *arguments, const char *name)
{
    const int32_t parameter = function_parameter(arguments->function, name);
    return parameter < 0 ? NULL : arguments->formulas[parameter];
}

/* Refuses a wavelength for an axis that the noise does not have. */
static bool check_axis(struct compiler *compiler, const struct arguments *arguments,
                       const char *name, bool present)
{
    const struct formula *given = formula_of(arguments, name);
    if (!given || present)
        return true;
    const char axis = name[sizeof "wavelength"]; /* behind the underscore */
    return compile_fail(compiler, given, ERROR_VALUE,
                        "%s: %s needs %c among the axes, as in axes=\"xy%c\"",
                        arguments->call->text, name, axis, axis) >= 0;
}

/* Checks a wavelength in metres of the world, after scale(). */
static bool check_wavelength(struct compiler *compiler, const struct arguments *arguments,
                             const char *name, double wavelength)
{
    if (wavelength >= NOISE_WAVELENGTH_MIN && wavelength <= NOISE_WAVELENGTH_MAX)
        return true;
    const struct formula *given = formula_of(arguments, name);
    return compile_fail(compiler, given ? given : formula_of(arguments, "wavelength"), ERROR_VALUE,
                        "%s: scale() makes the %s %g m; it must be from %g to %g",
                        arguments->call->text, name, wavelength, NOISE_WAVELENGTH_MIN,
                        NOISE_WAVELENGTH_MAX) >= 0;
}

static bool set_axes(struct compiler *compiler, const struct arguments *arguments,
                     const enum noise_axes *choices, struct noise_settings *settings)
{
    const double wavelength = number_of(arguments, "wavelength", 0);
    const double scale = compiler->scope.scale;
    const bool own_z = formula_of(arguments, "wavelength_z") != NULL;
    settings->axes = choices[(int)number_of(arguments, "axes", 0)];
    settings->wavelength = wavelength * scale;
    settings->wavelength_z = (own_z ? number_of(arguments, "wavelength_z", 0) : wavelength) * scale;
    settings->wavelength_t = number_of(arguments, "wavelength_t", 0);
    return check_axis(compiler, arguments, "wavelength_z", noise_axes_have_z(settings->axes)) &&
           check_axis(compiler, arguments, "wavelength_t", noise_axes_have_t(settings->axes)) &&
           check_wavelength(compiler, arguments, "wavelength", settings->wavelength) &&
           check_wavelength(compiler, arguments, "wavelength_z", settings->wavelength_z);
}

/* Checks the finest octave on every axis: frequencies are 64-bit fixed point (noise.h). */
static bool check_octaves(struct compiler *compiler, const struct arguments *arguments,
                          const struct noise_settings *settings)
{
    double finest = settings->wavelength;
    if (noise_axes_have_z(settings->axes) && settings->wavelength_z < finest)
        finest = settings->wavelength_z;
    if (noise_axes_have_t(settings->axes) && settings->wavelength_t < finest)
        finest = settings->wavelength_t;
    for (unsigned i = 1; i < settings->octaves; i++) {
        finest /= settings->lacunarity;
        if (finest >= NOISE_WAVELENGTH_MIN)
            continue;
        return compile_fail(compiler, formula_of(arguments, "octaves"), ERROR_VALUE,
                            "%s: octave %u would be finer than 0.01 m; at most %u octaves fit this "
                            "wavelength",
                            arguments->call->text, i + 1, i) >= 0;
    }
    return true;
}

static int32_t add_noise(struct compiler *compiler, const struct arguments *arguments,
                         struct noise_settings *settings)
{
    static const enum noise_axes axes[] = {
        [AXES_X] = NOISE_X,     [AXES_XY] = NOISE_XY,     [AXES_XYZ] = NOISE_XYZ,
        [AXES_XYT] = NOISE_XYT, [AXES_XYZT] = NOISE_XYZT,
    };
    static const enum noise_axes published[] = {
        [PUBLISHED_XY] = NOISE_XY, [PUBLISHED_XYZ] = NOISE_XYZ, [PUBLISHED_XYT] = NOISE_XYT};
    const bool is_published = noise_bases[settings->basis]->unkeyed;
    const int32_t salt = function_parameter(arguments->function, "salt");
    if (!set_axes(compiler, arguments, is_published ? published : axes, settings) ||
        !check_octaves(compiler, arguments, settings))
        return -1;
    if (!is_published)
        settings->key = compile_noise_key(compiler, arguments->call->text, arguments->texts[salt],
                                          number_of(arguments, "wavelength", 0));
    if (compiler->scope.result != NOISE_SAMPLE && settings->damping > 0.0f)
        return compile_fail(
            compiler, formula_of(arguments, "damping"), ERROR_VALUE,
            "zero_distance: the gradient of a damped %s is not known; leave out the "
            "damping",
            arguments->call->text);
    settings->domain = compiler->scope.domain;
    settings->result = compiler->scope.result;
    compiler->program->formula = compiler->scope.layer;
    return program_noise(compiler->program, settings, compiler->scope.dx, compiler->scope.dy);
}

/* The interpolation among the arguments, or the only one of the basis. */
static enum noise_interpolation interpolation_of(const struct arguments *arguments,
                                                 enum noise_basis basis)
{
    if (!noise_bases[basis]->interpolates)
        return noise_bases[basis]->interpolation;
    return (enum noise_interpolation)number_of(arguments, "interpolation", NOISE_QUINTIC);
}

/* Borders are searched for in the plane; the way to a point has as many axes as the noise. */
static bool check_feature(struct compiler *compiler, const struct arguments *arguments,
                          enum noise_feature feature)
{
    const enum axes_choice axes = (enum axes_choice)number_of(arguments, "axes", AXES_XY);
    const struct formula *given = formula_of(arguments, "feature");
    if (feature == NOISE_EDGE && axes != AXES_XY)
        return compile_fail(compiler, given, ERROR_VALUE,
                            "%s: feature=\"edge\" needs the axes \"xy\"",
                            arguments->call->text) >= 0;
    if (feature == NOISE_POINT_Y && axes == AXES_X)
        return compile_fail(compiler, given, ERROR_VALUE,
                            "%s: feature=\"y\" needs y among the axes, as in axes=\"xy\"",
                            arguments->call->text) >= 0;
    return true;
}

int32_t build_basis(struct compiler *compiler, const struct arguments *arguments)
{
    const enum noise_basis basis = noise_basis_find(arguments->function->name);
    struct noise_settings settings = {
        .basis = basis,
        .interpolation = interpolation_of(arguments, basis),
        .feature = (enum noise_feature)number_of(arguments, "feature", NOISE_F1),
        .fractal = NOISE_SINGLE,
        .octaves = 1,
        .lacunarity = 2.0,
        .persistence = 0.5,
    };
    return check_feature(compiler, arguments, settings.feature)
               ? add_noise(compiler, arguments, &settings)
               : -1;
}

int32_t build_fractal(struct compiler *compiler, const struct arguments *arguments)
{
    const enum noise_basis basis = (enum noise_basis)number_of(arguments, "basis", NOISE_PERLIN);
    struct noise_settings settings = {
        .basis = basis,
        .interpolation = interpolation_of(arguments, basis),
        .fractal = (enum noise_fractal)arguments->function->code,
        .octaves = (unsigned)number_of(arguments, "octaves", 1),
        .persistence = number_of(arguments, "persistence", 0.5),
        .lacunarity = number_of(arguments, "lacunarity", 2),
        .feedback = (float)number_of(arguments, "feedback", 0),
        .damping = (float)number_of(arguments, "damping", 0),
        .rotate_octaves = number_of(arguments, "rotate_octaves", 0) != 0,
    };
    return add_noise(compiler, arguments, &settings);
}
