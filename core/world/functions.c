#include "core/world/functions.h"

#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "core/world/compile.h"

static const char *const interpolations[] = {"linear", "cosine", "cubic", "quintic", NULL};
static const char *const cycle_axes[] = {"x", "y", NULL};
static const char *const bases[] = {"value", "perlin", NULL};

/* The arguments of every noise, in the order of the noises' parameters. */
enum { ARGUMENT_WAVELENGTH, ARGUMENT_INTERPOLATION, ARGUMENT_SALT };
enum {
    ARGUMENT_OCTAVES = 1,
    ARGUMENT_PERSISTENCE,
    ARGUMENT_LACUNARITY,
    ARGUMENT_BASIS,
    FBM_INTERPOLATION,
    FBM_SALT,
    RIDGED_FEEDBACK = 5,
    RIDGED_INTERPOLATION,
    RIDGED_SALT,
};

static int32_t add_noise(struct compiler *compiler, const struct arguments *arguments,
                         struct noise_settings *settings, const char *salt)
{
    settings->wavelength = arguments->numbers[ARGUMENT_WAVELENGTH];
    settings->key = compile_noise_key(compiler, arguments->call->text, salt, settings->wavelength);
    return program_noise(compiler->program, settings, compiler->scope.dx, compiler->scope.dy,
                         compiler->error);
}

static int32_t build_single(struct compiler *compiler, const struct arguments *arguments,
                            enum noise_basis basis)
{
    struct noise_settings settings = {
        .basis = basis,
        .interpolation = (enum noise_interpolation)arguments->numbers[ARGUMENT_INTERPOLATION],
        .fractal = NOISE_SINGLE,
        .octaves = 1,
        .lacunarity = 2.0,
        .persistence = 0.5,
    };
    return add_noise(compiler, arguments, &settings, arguments->texts[ARGUMENT_SALT]);
}

static int32_t build_value(struct compiler *compiler, const struct arguments *arguments)
{
    return build_single(compiler, arguments, NOISE_VALUE);
}

static int32_t build_perlin(struct compiler *compiler, const struct arguments *arguments)
{
    return build_single(compiler, arguments, NOISE_PERLIN);
}

/* The finest octave's frequency must fit its 64 bits. */
static bool check_octaves(struct compiler *compiler, const struct arguments *arguments)
{
    double wavelength = arguments->numbers[ARGUMENT_WAVELENGTH];
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

static struct noise_settings fractal_settings(const struct arguments *arguments,
                                              enum noise_fractal fractal)
{
    return (struct noise_settings){
        .basis = (enum noise_basis)arguments->numbers[ARGUMENT_BASIS],
        .fractal = fractal,
        .octaves = (unsigned)arguments->numbers[ARGUMENT_OCTAVES],
        .persistence = arguments->numbers[ARGUMENT_PERSISTENCE],
        .lacunarity = arguments->numbers[ARGUMENT_LACUNARITY],
    };
}

static int32_t build_fbm(struct compiler *compiler, const struct arguments *arguments)
{
    struct noise_settings settings = fractal_settings(arguments, NOISE_FBM);
    settings.interpolation = (enum noise_interpolation)arguments->numbers[FBM_INTERPOLATION];
    if (!check_octaves(compiler, arguments))
        return -1;
    return add_noise(compiler, arguments, &settings, arguments->texts[FBM_SALT]);
}

static int32_t build_ridged(struct compiler *compiler, const struct arguments *arguments)
{
    struct noise_settings settings = fractal_settings(arguments, NOISE_RIDGED);
    settings.interpolation = (enum noise_interpolation)arguments->numbers[RIDGED_INTERPOLATION];
    settings.feedback = (float)arguments->numbers[RIDGED_FEEDBACK];
    if (!check_octaves(compiler, arguments))
        return -1;
    return add_noise(compiler, arguments, &settings, arguments->texts[RIDGED_SALT]);
}

static int32_t binary(struct compiler *compiler, enum operation_code code, int32_t a, int32_t b)
{
    return program_binary(compiler->program, code, a, b, compiler->error);
}

static int32_t constant(struct compiler *compiler, float value)
{
    return program_constant(compiler->program, value, compiler->error);
}

static int32_t limit(struct compiler *compiler, int32_t v, int32_t low, int32_t high)
{
    return binary(compiler, OP_MINIMUM, binary(compiler, OP_MAXIMUM, v, low), high);
}

static int32_t limit01(struct compiler *compiler, int32_t v)
{
    return limit(compiler, v, constant(compiler, 0.0f), constant(compiler, 1.0f));
}

static int32_t one_minus(struct compiler *compiler, int32_t v)
{
    return binary(compiler, OP_SUBTRACT, constant(compiler, 1.0f), v);
}

/* A displaced domain: everything in e is sampled at places moved by dx and dy, on top of any move
 * that already holds. */
static int32_t build_warp(struct compiler *compiler, const struct arguments *arguments)
{
    struct compile_scope outer = compiler->scope;
    int32_t dx = arguments->fields[1], dy = arguments->fields[2];
    if (outer.dx >= 0) {
        dx = binary(compiler, OP_ADD, outer.dx, dx);
        dy = binary(compiler, OP_ADD, outer.dy, dy);
    }
    if (dx < 0 || dy < 0)
        return -1;
    compiler->scope.dx = dx;
    compiler->scope.dy = dy;
    int32_t value = compile_formula(compiler, arguments->formulas[0]);
    compiler->scope = outer;
    return value;
}

static int32_t build_cycle(struct compiler *compiler, const struct arguments *arguments)
{
    struct operation operation = {.code = OP_CYCLE, .b = -1, .c = -1};
    operation.table = (uint32_t)arguments->numbers[0];
    operation.k[0] = (float)arguments->numbers[1];
    operation.a = operation.table == 0 ? compiler->scope.dx : compiler->scope.dy;
    return program_add(compiler->program, &operation, compiler->error);
}

static int32_t unary(struct compiler *compiler, const struct arguments *arguments,
                     enum operation_code code)
{
    return program_unary(compiler->program, code, arguments->fields[0], compiler->error);
}

static int32_t build_abs(struct compiler *compiler, const struct arguments *arguments)
{
    return unary(compiler, arguments, OP_ABS);
}

static int32_t build_floor(struct compiler *compiler, const struct arguments *arguments)
{
    return unary(compiler, arguments, OP_FLOOR);
}

static int32_t build_fract(struct compiler *compiler, const struct arguments *arguments)
{
    return binary(compiler, OP_SUBTRACT, arguments->fields[0],
                  unary(compiler, arguments, OP_FLOOR));
}

static int32_t build_sqrt(struct compiler *compiler, const struct arguments *arguments)
{
    return unary(compiler, arguments, OP_SQRT);
}

static int32_t build_sin(struct compiler *compiler, const struct arguments *arguments)
{
    return unary(compiler, arguments, OP_SIN);
}

static int32_t build_cos(struct compiler *compiler, const struct arguments *arguments)
{
    return unary(compiler, arguments, OP_COS);
}

static int32_t build_exp(struct compiler *compiler, const struct arguments *arguments)
{
    return unary(compiler, arguments, OP_EXP);
}

static int32_t build_chain(struct compiler *compiler, const struct arguments *arguments,
                           enum operation_code code)
{
    int32_t value = arguments->fields[0];
    for (uint32_t i = 1; i < arguments->count; i++)
        value = binary(compiler, code, value, arguments->fields[i]);
    return value;
}

static int32_t build_min(struct compiler *compiler, const struct arguments *arguments)
{
    return build_chain(compiler, arguments, OP_MINIMUM);
}

static int32_t build_max(struct compiler *compiler, const struct arguments *arguments)
{
    return build_chain(compiler, arguments, OP_MAXIMUM);
}

static int32_t build_clamp(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    return limit(compiler, f[0], f[1], f[2]);
}

static int32_t build_mix(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    int32_t range = binary(compiler, OP_SUBTRACT, f[1], f[0]);
    return binary(compiler, OP_ADD, f[0], binary(compiler, OP_MULTIPLY, range, f[2]));
}

static int32_t build_step(struct compiler *compiler, const struct arguments *arguments)
{
    return binary(compiler, OP_LESS_EQUAL, arguments->fields[0], arguments->fields[1]);
}

static int32_t build_smoothstep(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    struct operation operation = {.code = OP_SMOOTHSTEP, .a = f[2], .b = -1, .c = -1};
    float value;
    bool constants = program_is_constant(compiler->program, f[0], &operation.k[0]) &&
                     program_is_constant(compiler->program, f[1], &operation.k[1]);
    if (constants && !program_is_constant(compiler->program, f[2], &value))
        return program_add(compiler->program, &operation, compiler->error);
    int32_t range = binary(compiler, OP_SUBTRACT, f[1], f[0]);
    int32_t along = binary(compiler, OP_SUBTRACT, f[2], f[0]);
    int32_t t = program_choose(compiler->program, range,
                               limit01(compiler, binary(compiler, OP_DIVIDE, along, range)),
                               binary(compiler, OP_LESS_EQUAL, f[0], f[2]), compiler->error);
    int32_t twice = binary(compiler, OP_MULTIPLY, constant(compiler, 2.0f), t);
    int32_t bend = binary(compiler, OP_SUBTRACT, constant(compiler, 3.0f), twice);
    return binary(compiler, OP_MULTIPLY, binary(compiler, OP_MULTIPLY, t, t), bend);
}

static int32_t build_spline(struct compiler *compiler, const struct arguments *arguments)
{
    const double *points = arguments->numbers + 1;
    uint32_t numbers = arguments->count - 1;
    if (numbers % 2 != 0)
        return compile_fail(compiler, arguments->call, ERROR_VALUE,
                            "spline: the points are pairs x, y; the last y is missing");
    for (uint32_t i = 2; i < numbers; i += 2)
        if ((float)points[i] <= (float)points[i - 2])
            return compile_fail(compiler, arguments->formulas[i + 1], ERROR_VALUE,
                                "spline: the points' x must rise from one to the next");
    return program_spline(compiler->program, arguments->fields[0], points, numbers / 2,
                          compiler->error);
}

/* Steps of a height; within one, the middle part 1 − sharpness rises and the rest is flat. */
static int32_t build_terrace(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    int32_t half = constant(compiler, 0.5f);
    int32_t steps = binary(compiler, OP_DIVIDE, f[0], f[1]);
    int32_t whole = program_unary(compiler->program, OP_FLOOR, steps, compiler->error);
    int32_t rest = binary(compiler, OP_SUBTRACT, steps, whole);
    int32_t slope =
        binary(compiler, OP_MAXIMUM, one_minus(compiler, f[2]), constant(compiler, 1e-6f));
    int32_t ramp = binary(compiler, OP_DIVIDE, binary(compiler, OP_SUBTRACT, rest, half), slope);
    ramp = limit01(compiler, binary(compiler, OP_ADD, ramp, half));
    return binary(compiler, OP_MULTIPLY, binary(compiler, OP_ADD, whole, ramp), f[1]);
}

/* C. Schlick, "Fast Alternatives to Perlin's Bias and Gain Functions", Graphics Gems IV (1994). */
static int32_t schlick(struct compiler *compiler, int32_t parameter)
{
    /* At 0 and 1 the curves are steps, and their formulas have poles. */
    int32_t least = constant(compiler, 1e-6f), most = constant(compiler, 1.0f - 1e-6f);
    int32_t inside = limit(compiler, parameter, least, most);
    int32_t inverse = binary(compiler, OP_DIVIDE, constant(compiler, 1.0f), inside);
    return binary(compiler, OP_SUBTRACT, inverse, constant(compiler, 2.0f));
}

static int32_t build_bias(struct compiler *compiler, const struct arguments *arguments)
{
    int32_t one = constant(compiler, 1.0f);
    int32_t t = limit01(compiler, arguments->fields[0]);
    int32_t k = binary(compiler, OP_MULTIPLY, schlick(compiler, arguments->fields[1]),
                       one_minus(compiler, t));
    return binary(compiler, OP_DIVIDE, t, binary(compiler, OP_ADD, k, one));
}

static int32_t build_gain(struct compiler *compiler, const struct arguments *arguments)
{
    int32_t one = constant(compiler, 1.0f), half = constant(compiler, 0.5f);
    int32_t t = limit01(compiler, arguments->fields[0]);
    int32_t twice = binary(compiler, OP_MULTIPLY, constant(compiler, 2.0f), t);
    int32_t k = binary(compiler, OP_MULTIPLY, schlick(compiler, arguments->fields[1]),
                       one_minus(compiler, twice));
    int32_t low = binary(compiler, OP_DIVIDE, t, binary(compiler, OP_ADD, k, one));
    int32_t high = binary(compiler, OP_DIVIDE, binary(compiler, OP_SUBTRACT, k, t),
                          binary(compiler, OP_SUBTRACT, k, one));
    return program_choose(compiler->program, binary(compiler, OP_LESS, t, half), low, high,
                          compiler->error);
}

#define FIELD(n)                                                                                   \
    {                                                                                              \
        .name = n, .kind = PARAMETER_FIELD                                                         \
    }
#define WAVELENGTH                                                                                 \
    {                                                                                              \
        .name = "wavelength", .kind = PARAMETER_NUMBER, .low = NOISE_WAVELENGTH_MIN,               \
        .high = NOISE_WAVELENGTH_MAX                                                               \
    }
#define INTERPOLATION                                                                              \
    {                                                                                              \
        .name = "interpolation", .kind = PARAMETER_CHOICE, .optional = true,                       \
        .initial = NOISE_QUINTIC, .choices = interpolations                                        \
    }
#define SALT                                                                                       \
    {                                                                                              \
        .name = "salt", .kind = PARAMETER_TEXT, .optional = true                                   \
    }
#define OCTAVES                                                                                    \
    {                                                                                              \
        .name = "octaves", .kind = PARAMETER_WHOLE, .low = 1, .high = NOISE_OCTAVES_MAX            \
    }
#define NUMBER(n, value, least, most)                                                              \
    {                                                                                              \
        .name = n, .kind = PARAMETER_NUMBER, .optional = true, .initial = value, .low = least,     \
        .high = most                                                                               \
    }
#define BASIS                                                                                      \
    {                                                                                              \
        .name = "basis", .kind = PARAMETER_CHOICE, .optional = true, .initial = NOISE_PERLIN,      \
        .choices = bases                                                                           \
    }
#define FRACTAL                                                                                    \
    WAVELENGTH, OCTAVES, NUMBER("persistence", 0.5, 0.01, 2), NUMBER("lacunarity", 2, 1.01, 16),   \
        BASIS

const struct function functions[] = {
    {"value",
     "lattice values, interpolated; -1 ... 1",
     {WAVELENGTH, INTERPOLATION, SALT},
     false,
     build_value},
    {"perlin", "gradient noise; -1 ... 1", {WAVELENGTH, INTERPOLATION, SALT}, false, build_perlin},
    {"fbm", "octaves of noise, summed; -1 ... 1", {FRACTAL, INTERPOLATION, SALT}, false, build_fbm},
    {"ridged",
     "sharp crests, each octave weighted by the one before; 0 ... 1",
     {FRACTAL, NUMBER("feedback", 1.5, 0, 16), INTERPOLATION, SALT},
     false,
     build_ridged},
    {"warp",
     "e at a place moved by dx, dy metres",
     {{.name = "e", .kind = PARAMETER_MOVED}, FIELD("dx"), FIELD("dy")},
     false,
     build_warp},
    {"cycle",
     "place along an axis within a period in metres, 0 ... 1, exact anywhere",
     {{.name = "axis", .kind = PARAMETER_CHOICE, .choices = cycle_axes},
      {.name = "period",
       .kind = PARAMETER_NUMBER,
       .low = NOISE_WAVELENGTH_MIN,
       .high = NOISE_WAVELENGTH_MAX}},
     false,
     build_cycle},
    {"abs", "v without its sign", {FIELD("v")}, false, build_abs},
    {"min", "the least", {FIELD("a"), FIELD("b")}, true, build_min},
    {"max", "the greatest", {FIELD("a"), FIELD("b")}, true, build_max},
    {"clamp",
     "v held between low and high",
     {FIELD("v"), FIELD("low"), FIELD("high")},
     false,
     build_clamp},
    {"mix",
     "a where t is 0, b where it is 1",
     {FIELD("a"), FIELD("b"), FIELD("t")},
     false,
     build_mix},
    {"smoothstep",
     "0 below a, 1 above b, smooth between",
     {FIELD("a"), FIELD("b"), FIELD("v")},
     false,
     build_smoothstep},
    {"step", "0 below a, 1 from a on", {FIELD("a"), FIELD("v")}, false, build_step},
    {"floor", "the next whole number down", {FIELD("v")}, false, build_floor},
    {"fract", "v - floor(v)", {FIELD("v")}, false, build_fract},
    {"sqrt", "square root; 0 below 0", {FIELD("v")}, false, build_sqrt},
    {"sin", "sine, radians", {FIELD("v")}, false, build_sin},
    {"cos", "cosine, radians", {FIELD("v")}, false, build_cos},
    {"exp", "e to the power of v", {FIELD("v")}, false, build_exp},
    {"spline",
     "a monotone cubic through the points x, y; flat outside",
     {FIELD("v"), {.name = "points", .kind = PARAMETER_NUMBER, .low = -1e30, .high = 1e30}},
     true,
     build_spline},
    {"terrace",
     "v in steps; sharpness 0 leaves it, 1 makes stairs",
     {FIELD("v"), FIELD("step"), FIELD("sharpness")},
     false,
     build_terrace},
    {"bias",
     "0 ... 1 bent towards 0 or 1; b = 0.5 leaves it",
     {FIELD("v"), FIELD("b")},
     false,
     build_bias},
    {"gain",
     "0 ... 1 pulled to or from its middle; g = 0.5 leaves it",
     {FIELD("v"), FIELD("g")},
     false,
     build_gain},
};
const size_t function_count = sizeof functions / sizeof *functions;

const struct function *function_find(const char *name)
{
    for (size_t i = 0; i < function_count; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

uint32_t function_parameter_count(const struct function *function)
{
    uint32_t count = 0;
    while (count < FUNCTION_PARAMETERS_MAX && function->parameters[count].kind != PARAMETER_NONE)
        count++;
    return count;
}

static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    if (used + 1 < size)
        snprintf(out + used, size - used, "%s", text);
}

static void append_initial(char *out, size_t size, const struct parameter *parameter)
{
    char number[NUMBER_TEXT];
    if (!parameter->optional)
        return;
    append(out, size, "=");
    if (parameter->kind == PARAMETER_NUMBER || parameter->kind == PARAMETER_WHOLE) {
        number_format_double(parameter->initial, number);
        append(out, size, number);
        return;
    }
    append(out, size, "\"");
    if (parameter->kind == PARAMETER_CHOICE)
        append(out, size, parameter->choices[(int)parameter->initial]);
    append(out, size, "\"");
}

void function_signature(const struct function *function, char *out, size_t size)
{
    snprintf(out, size, "%s(", function->name);
    for (uint32_t i = 0; i < function_parameter_count(function); i++) {
        append(out, size, i > 0 ? ", " : "");
        append(out, size, function->parameters[i].name);
        append_initial(out, size, &function->parameters[i]);
    }
    append(out, size, function->variadic ? ", ...)" : ")");
}
