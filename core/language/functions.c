/* The table of functions, and the texts that are made from it.
 *
 * A row has the name, a one-line summary, the parameters in the order of positional arguments, and
 * the builder. Noises share many parameters, which are macros here so that their limits and
 * defaults are written once. Order and names of parameters are part of fingerprints
 * (canonicalize.c): they are only ever appended to. */
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "core/language/compile.h"

static const char *const interpolations[] = {"linear", "cosine", "cubic", "quintic", NULL};
static const char *const joins[] = {
    [JOIN_SUM] = "sum", [JOIN_MAX] = "max", [JOIN_MIN] = "min", [JOIN_NEAREST] = "nearest", NULL};
static const char *const path_outputs[] = {"distance", "along", "side", "dx", "dy", NULL};
static const char *const area_outputs[] = {"signed", NULL};
static const char *const cycle_axes[] = {"x", "y", NULL};
/* The bases that fractals take: a PUBLISHED one is no choice. */
#define CHOICE_SALTED(name) #name,
#define CHOICE_INTERPOLATED(name) #name,
#define CHOICE_CELLULAR(name) #name,
#define CHOICE_PUBLISHED(name)
#define BASIS_CHOICE(id, name, parameters, summary) CHOICE_##parameters(name)
static const char *const bases[] = {NOISE_BASIS_ROWS(BASIS_CHOICE) NULL};
#define DRAINAGE_NAME(id, name, least, most) name,
#define DRAINAGE_LISTED(id, name, least, most) " " name
static const char *const drainage_names[] = {DRAINAGE_OUTPUT_ROWS(DRAINAGE_NAME) NULL};
static const char *const axes[] = {[AXES_X] = "x",     [AXES_XY] = "xy",     [AXES_XYZ] = "xyz",
                                   [AXES_XYT] = "xyt", [AXES_XYZT] = "xyzt", NULL};
static const char *const published_axes[] = {
    [PUBLISHED_XY] = "xy", [PUBLISHED_XYZ] = "xyz", [PUBLISHED_XYT] = "xyt", NULL};
static const char *const features[] = {
    [NOISE_F1] = "f1",     [NOISE_F2] = "f2",     [NOISE_F2_F1] = "f2-f1", [NOISE_CELL] = "cell",
    [NOISE_POINT_X] = "x", [NOISE_POINT_Y] = "y", [NOISE_EDGE] = "edge",   NULL};

/* clang-format off */
/* Parameters. */
#define FIELD(n) {.name = n, .kind = PARAMETER_FIELD}
#define FORMULA(n) {.name = n, .kind = PARAMETER_FORMULA}
#define NUMBER(n, least, most) {.name = n, .kind = PARAMETER_NUMBER, .low = least, .high = most}
#define WHOLE(n, least, most) {.name = n, .kind = PARAMETER_WHOLE, .low = least, .high = most}
#define OPTIONAL_NUMBER(n, value, least, most) {.name = n, .kind = PARAMETER_NUMBER,               \
    .optional = true, .default_value = value, .low = least, .high = most}
#define OPTIONAL_CHOICE(n, value, list) {.name = n, .kind = PARAMETER_CHOICE,                      \
    .optional = true, .default_value = value, .choices = list}
#define COMMON_CHOICE(n, value, list) {.name = n, .kind = PARAMETER_CHOICE,                        \
    .optional = true, .default_value = value, .choices = list, .common = true}

/* Parameters of several rows. */
#define SPACING NUMBER("spacing", 0.001, 1e6)
#define NODE_SPACING NUMBER("spacing", 1, 1 << NODE_SPACING_LOG2_MAX)
#define POLYLINE(list)                                                                             \
    {.name = "name", .kind = PARAMETER_TEXT},                                                      \
    {.name = "output", .kind = PARAMETER_CHOICE, .choices = list},                                 \
    OPTIONAL_NUMBER("reach", 1000, 0.1, 1e6)
#define COORDINATE(n) NUMBER(n, -0x1p40, 0x1p40)
#define WAVELENGTH NUMBER("wavelength", NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX)
#define INTERPOLATION COMMON_CHOICE("interpolation", NOISE_QUINTIC, interpolations)
#define SALT {.name = "salt", .kind = PARAMETER_TEXT, .optional = true, .common = true}
#define FURTHER_WAVELENGTHS                                                                        \
    {.name = "wavelength_z", .kind = PARAMETER_NUMBER, .optional = true,                           \
     .low = NOISE_WAVELENGTH_MIN, .high = NOISE_WAVELENGTH_MAX, .common = true,                    \
     .default_parameter = "wavelength"},                                                           \
    {.name = "wavelength_t", .kind = PARAMETER_NUMBER, .optional = true, .default_value = 60,      \
     .low = NOISE_WAVELENGTH_MIN, .high = NOISE_WAVELENGTH_MAX, .common = true}
#define COMMON COMMON_CHOICE("axes", AXES_XY, axes), FURTHER_WAVELENGTHS, SALT
#define FRACTAL                                                                                    \
    WAVELENGTH, WHOLE("octaves", 1, NOISE_OCTAVES_MAX),                                            \
    OPTIONAL_NUMBER("persistence", 0.5, 0.01, 2), OPTIONAL_NUMBER("lacunarity", 2, 1.01, 16),      \
    OPTIONAL_CHOICE("basis", NOISE_PERLIN, bases), OPTIONAL_NUMBER("damping", 0, 0, 1000)
#define FRACTAL_COMMON                                                                             \
    INTERPOLATION, COMMON,                                                                         \
    {.name = "rotate_octaves", .kind = PARAMETER_WHOLE, .optional = true, .low = 0, .high = 1,     \
     .common = true}

/* The parameters of a basis' function, by its row in core/noise/basis_rows.h. */
#define BASIS_SALTED WAVELENGTH, COMMON
#define BASIS_INTERPOLATED WAVELENGTH, INTERPOLATION, COMMON
#define BASIS_CELLULAR WAVELENGTH, OPTIONAL_CHOICE("feature", NOISE_F1, features), COMMON
#define BASIS_PUBLISHED                                                                            \
    WAVELENGTH, COMMON_CHOICE("axes", PUBLISHED_XY, published_axes), FURTHER_WAVELENGTHS
#define BASIS_FUNCTION(id, name, parameters, summary)                                              \
    {#name, summary, {BASIS_##parameters}, .build = build_basis, .leads_to_noise = true},

/* In the order of the manual: noises, fractals, functions that move their argument, derivatives,
 * positions, and functions of values. */
const struct function functions[] = {
    NOISE_BASIS_ROWS(BASIS_FUNCTION)
    {"fbm", "octaves of noise, summed; -1 ... 1", {FRACTAL, FRACTAL_COMMON},
     .build = build_fractal, .code = NOISE_FBM, .leads_to_noise = true},
    {"billow", "octaves of 2|n| - 1, summed: round, with creases; -1 ... 1",
     {FRACTAL, FRACTAL_COMMON},
     .build = build_fractal, .code = NOISE_BILLOW, .leads_to_noise = true},
    {"turbulence", "octaves of |n|, summed; 0 ... 1", {FRACTAL, FRACTAL_COMMON},
     .build = build_fractal, .code = NOISE_TURBULENCE, .leads_to_noise = true},
    {"ridged", "sharp crests, each octave weighted by the one before; 0 ... 1",
     {FRACTAL, OPTIONAL_NUMBER("feedback", 1.5, 0, 16), FRACTAL_COMMON},
     .build = build_fractal, .code = NOISE_RIDGED, .leads_to_noise = true},
    {"warp", "e at the place moved by dx, dy metres", {FORMULA("e"), FIELD("dx"), FIELD("dy")},
     .build = build_warp, .leads_to_noise = true},
    {"at", "e at the place x, y", {FORMULA("e"), FIELD("x"), FIELD("y")},
     .build = build_at, .leads_to_noise = true},
    {"rotate", "e rotated clockwise about the origin",
     {FORMULA("e"), NUMBER("degrees", -3600, 3600)},
     .build = build_rotate, .leads_to_noise = true},
    {"scale", "e enlarged k times about the origin",
     {FORMULA("e"), NUMBER("k", SCALE_MIN, SCALE_MAX)},
     .build = build_scale, .leads_to_noise = true},
    {"coarse", "e sampled at nodes spacing metres apart (a power of two), smooth between them",
     {FORMULA("e"), NODE_SPACING}, .build = build_coarse},
    {"drainage", "a value of the world's drainage network:" DRAINAGE_OUTPUT_ROWS(DRAINAGE_LISTED),
     {{.name = "output", .kind = PARAMETER_CHOICE, .choices = drainage_names}},
     .build = build_drainage, .is_position = true},
    {"scatter",
     "features at random points, one in each cell: e by dx, dy, r, angle and id of its point",
     {NUMBER("spacing", 0.1, 1e6), FORMULA("e"), OPTIONAL_CHOICE("join", JOIN_SUM, joins), SALT},
     .build = build_scatter, .is_position = true},
    {"gullies",
     "metres to add to e for gullies down its slopes, the largest wavelength metres apart and strength times as deep",
     {FORMULA("e"), WAVELENGTH, WHOLE("octaves", 1, NOISE_OCTAVES_MAX),
      OPTIONAL_NUMBER("strength", 0.06, 0, 1), SALT},
     .build = build_gullies, .is_position = true},
    {"path", "of a path of the world: metres to it, at most reach, or along it; 1 on its right, -1 on its left; the way from it",
     {POLYLINE(path_outputs)}, .build = build_path, .is_position = true},
    {"area", "metres to the border of an area of the world, negative inside; at most reach",
     {POLYLINE(area_outputs)}, .build = build_area, .is_position = true},
    {"profile",
     "e at the nearest point of a path, by stations spacing metres apart (a power of two), smooth between them",
     {{.name = "name", .kind = PARAMETER_TEXT}, FORMULA("e"), NODE_SPACING,
      OPTIONAL_NUMBER("reach", 1000, 0.1, 1e6)},
     .build = build_profile, .is_position = true},
    {"zero_distance", "metres to the nearest zero of a noise, to first order: |n| / |gradient|",
     {FORMULA("noise"),
      {.name = "signed", .kind = PARAMETER_WHOLE, .optional = true, .low = 0, .high = 1}},
     .build = build_zero_distance},
    {"slope", "rise of e per metre, by central differences over spacing metres",
     {FORMULA("e"), SPACING}, .build = build_slope},
    {"gradient_x", "rise of e per metre eastward", {FORMULA("e"), SPACING},
     .build = build_gradient, .code = OP_X},
    {"gradient_y", "rise of e per metre southward", {FORMULA("e"), SPACING},
     .build = build_gradient, .code = OP_Y},
    {"distance", "metres to the place cx, cy", {COORDINATE("cx"), COORDINATE("cy")},
     .build = build_distance, .is_position = true},
    {"cycle", "position along an axis within a period in metres, 0 ... 1, exact anywhere",
     {{.name = "axis", .kind = PARAMETER_CHOICE, .choices = cycle_axes},
      NUMBER("period", NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX)},
     .build = build_cycle, .is_position = true},
    {"detail", "1 where samples show waves of so many metres, 0 where they are too far apart",
     {FIELD("wavelength")}, .build = build_detail, .is_position = true},
    {"coverage", "the share of a sample that a line so wide covers, 0 ... 1, by the distance from its middle",
     {FIELD("distance"), FIELD("width")}, .build = build_coverage, .is_position = true},
    {"abs", "absolute value", {FIELD("v")}, .build = build_unary, .code = OP_ABS},
    {"min", "the smallest argument", {FIELD("a"), FIELD("b")},
     .build = build_fold, .code = OP_MINIMUM, .variadic = true},
    {"max", "the largest argument", {FIELD("a"), FIELD("b")},
     .build = build_fold, .code = OP_MAXIMUM, .variadic = true},
    {"clamp", "v limited to low ... high", {FIELD("v"), FIELD("low"), FIELD("high")},
     .build = build_clamp},
    {"mix", "a where t is 0, b where it is 1", {FIELD("a"), FIELD("b"), FIELD("t")},
     .build = build_mix},
    {"smoothstep", "0 below a, 1 above b, smooth between", {FIELD("a"), FIELD("b"), FIELD("v")},
     .build = build_smoothstep},
    {"step", "0 below a, 1 from a on", {FIELD("a"), FIELD("v")}, .build = build_step},
    {"floor", "the largest whole number not above v", {FIELD("v")},
     .build = build_unary, .code = OP_FLOOR},
    {"fract", "v - floor(v)", {FIELD("v")}, .build = build_fract},
    {"sqrt", "square root; 0 below 0", {FIELD("v")}, .build = build_unary, .code = OP_SQRT},
    {"sin", "sine, radians", {FIELD("v")}, .build = build_unary, .code = OP_SIN},
    {"cos", "cosine, radians", {FIELD("v")}, .build = build_unary, .code = OP_COS},
    {"atan2", "angle of the direction x, y, radians; 0 is east, pi / 2 south; 0 where both are 0",
     {FIELD("y"), FIELD("x")}, .build = build_angle},
    {"random", "a number in 0 ... 1 for each id; another n gives an independent one",
     {FIELD("id"), WHOLE("n", 0, 65535)}, .build = build_random},
    {"exp", "e to the power of v", {FIELD("v")}, .build = build_unary, .code = OP_EXP},
    {"log", "natural logarithm; 0 from 0 down", {FIELD("v")}, .build = build_unary, .code = OP_LOG},
    {"pow", "v to the power of e, which need not be whole; 0 where that is not a number",
     {FIELD("v"), FIELD("e")}, .build = build_pow},
    {"spline", "a monotone cubic through the points x, y; flat outside",
     {FIELD("v"), NUMBER("points", -1e30, 1e30)}, .build = build_spline, .variadic = true},
    {"terrace", "v in steps; sharpness 0 changes nothing, 1 makes stairs",
     {FIELD("v"), FIELD("step"), FIELD("sharpness")}, .build = build_terrace},
    {"bias", "v in 0 ... 1, bent towards 0 or 1; b = 0.5 changes nothing",
     {FIELD("v"), FIELD("b")}, .build = build_bias},
    {"gain", "v in 0 ... 1, pulled to or from 0.5; g = 0.5 changes nothing",
     {FIELD("v"), FIELD("g")}, .build = build_gain},
};
/* clang-format on */
const size_t function_count = sizeof functions / sizeof *functions;
_Static_assert(sizeof functions / sizeof *functions <= FUNCTIONS_MAX, "FUNCTIONS_MAX is too small");

const struct function *function_find(const char *name)
{
    for (size_t i = 0; i < function_count; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool function_is_of_places(const struct function *function)
{
    return function->leads_to_noise || function->is_position ||
           function->parameters[0].kind == PARAMETER_FORMULA;
}

uint32_t function_parameter_count(const struct function *function)
{
    uint32_t count = 0;
    while (count < FUNCTION_PARAMETERS_MAX && function->parameters[count].kind != PARAMETER_NONE)
        count++;
    return count;
}

int32_t function_parameter(const struct function *function, const char *name)
{
    const uint32_t count = function_parameter_count(function);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(function->parameters[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

/* Appends text to a terminated one, cut to size. */
static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    if (used + 1 < size)
        snprintf(out + used, size - used, "%s", text);
}

static void append_default(char *out, size_t size, const struct parameter *parameter)
{
    char number[NUMBER_TEXT];
    if (!parameter->optional)
        return;
    append(out, size, "=");
    if (parameter->default_parameter) {
        append(out, size, parameter->default_parameter);
        return;
    }
    if (parameter->kind == PARAMETER_NUMBER || parameter->kind == PARAMETER_WHOLE) {
        number_format_double(parameter->default_value, number);
        append(out, size, number);
        return;
    }
    append(out, size, "\"");
    if (parameter->kind == PARAMETER_CHOICE)
        append(out, size, parameter->choices[(int)parameter->default_value]);
    append(out, size, "\"");
}

/* Optional parameters show their default, so a signature is also an example of the call. */
void function_signature(const struct function *function, bool brief, char *out, size_t size)
{
    bool more = function->variadic;
    snprintf(out, size, "%s(", function->name);
    for (uint32_t i = 0; i < function_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        more = more || parameter->common;
        if (brief && parameter->common)
            continue;
        append(out, size, i > 0 ? ", " : "");
        append(out, size, parameter->name);
        append_default(out, size, parameter);
    }
    append(out, size, (brief && more) || function->variadic ? ", ...)" : ")");
}

void parameter_choices(const struct parameter *parameter, char *out, size_t size)
{
    out[0] = '\0';
    for (uint32_t i = 0; parameter->choices[i]; i++) {
        const bool last = !parameter->choices[i + 1];
        append(out, size, i == 0 ? "\"" : last ? " or \"" : ", \"");
        append(out, size, parameter->choices[i]);
        append(out, size, "\"");
    }
}

/* True if no earlier function of the table has a parameter with this name. */
static bool is_first_of_name(const struct function *function, const struct parameter *parameter)
{
    for (const struct function *earlier = functions; earlier < function; earlier++)
        if (function_parameter(earlier, parameter->name) >= 0)
            return false;
    return true;
}

static void describe_common(const struct function *first, const struct parameter *parameter,
                            struct buffer *out)
{
    char text[160];
    snprintf(text, sizeof text, "%s", parameter->name);
    append_default(text, sizeof text, parameter);
    buffer_format(out, "  %s", text);
    if (parameter->kind == PARAMETER_CHOICE) {
        parameter_choices(parameter, text, sizeof text);
        buffer_format(out, ": %s", text);
    }
    const char *separator = "; for ";
    for (const struct function *f = first; f < functions + function_count; f++) {
        if (function_parameter(f, parameter->name) < 0)
            continue;
        buffer_format(out, "%s%s", separator, f->name);
        separator = ", ";
    }
    buffer_byte(out, '\n');
}

void function_describe_common(struct buffer *out)
{
    buffer_text(out, "Parameters that \"...\" stands for; they are given by name, "
                     "as in fbm(64, 8, axes=\"xyt\"):\n");
    for (const struct function *f = functions; f < functions + function_count; f++)
        for (uint32_t i = 0; i < function_parameter_count(f); i++)
            if (f->parameters[i].common && is_first_of_name(f, &f->parameters[i]))
                describe_common(f, &f->parameters[i], out);
}
