/* Builders of functions of values, such as clamp(), mix(), step() and terrace(): their results do
 * not depend on where the values were sampled.
 *
 * Most are compositions of operations that exist anyway, so they have no kernel of their own, equal
 * parts of different calls are merged, and constant arguments are folded. Errors need no checks in
 * between: an operand of -1 makes every further operation -1. */
#include "core/language/compile.h"

#define RANDOM_SALT 0x72616E646F6DU /* tells these keys from those of noises */

int32_t build_pair(struct compiler *compiler, enum operation_code code, int32_t a, int32_t b)
{
    return program_binary(compiler->program, code, a, b);
}

int32_t build_number(struct compiler *compiler, float value)
{
    return program_constant(compiler->program, value);
}

int32_t build_clamped(struct compiler *compiler, int32_t v, int32_t low, int32_t high)
{
    return build_pair(compiler, OP_MINIMUM, build_pair(compiler, OP_MAXIMUM, v, low), high);
}

static int32_t build_clamped01(struct compiler *compiler, int32_t v)
{
    int32_t one = build_number(compiler, 1.0f), zero = build_number(compiler, 0.0f);
    return build_clamped(compiler, v, zero, one);
}

static int32_t one_minus(struct compiler *compiler, int32_t v)
{
    return build_pair(compiler, OP_SUBTRACT, build_number(compiler, 1.0f), v);
}

int32_t build_length(struct compiler *compiler, int32_t x, int32_t y)
{
    int32_t yy = build_pair(compiler, OP_MULTIPLY, y, y);
    int32_t xx = build_pair(compiler, OP_MULTIPLY, x, x);
    return program_unary(compiler->program, OP_SQRT, build_pair(compiler, OP_ADD, xx, yy));
}

int32_t build_unary(struct compiler *compiler, const struct arguments *arguments)
{
    const enum operation_code code = (enum operation_code)arguments->function->code;
    return program_unary(compiler->program, code, arguments->fields[0]);
}

/* Joins any number of arguments by an operation on two. */
int32_t build_fold(struct compiler *compiler, const struct arguments *arguments)
{
    const enum operation_code code = (enum operation_code)arguments->function->code;
    int32_t value = arguments->fields[0];
    for (uint32_t i = 1; i < arguments->count; i++)
        value = build_pair(compiler, code, value, arguments->fields[i]);
    return value;
}

/* The key hashes the seed of the world and n, not the layer: layers agree on what an id has. */
int32_t compile_random(struct compiler *compiler, int32_t id, uint32_t n)
{
    const uint64_t key = hash_mix(hash_mix(compiler->source->seed) + RANDOM_SALT + n);
    const struct operation random = {
        .code = OP_RANDOM, .a = id, .b = -1, .c = -1, .table_index = (uint32_t)(key >> 32)};
    return id < 0 ? -1 : program_fold(compiler->program, &random);
}

int32_t build_angle(struct compiler *compiler, const struct arguments *arguments)
{
    return build_pair(compiler, OP_ANGLE, arguments->fields[0], arguments->fields[1]);
}

int32_t build_random(struct compiler *compiler, const struct arguments *arguments)
{
    return compile_random(compiler, arguments->fields[0], (uint32_t)arguments->numbers[1]);
}

/* A constant whole power is multiplied out, as that of ^ is. */
int32_t build_pow(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t base = arguments->fields[0], exponent = arguments->fields[1];
    float n;
    if (program_is_constant(compiler->program, exponent, &n) && n == __builtin_floorf(n) &&
        __builtin_fabsf(n) <= EXPONENT_MAX)
        return compile_power(compiler, base, (int)n);
    return build_pair(compiler, OP_POWER, base, exponent);
}

int32_t build_fract(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t v = arguments->fields[0];
    return build_pair(compiler, OP_SUBTRACT, v, program_unary(compiler->program, OP_FLOOR, v));
}

int32_t build_clamp(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    return build_clamped(compiler, f[0], f[1], f[2]);
}

/* a + (b - a) t, three operations. They stay three where t guards the product, which is skipped
 * where t is 0 (guards.c); else the difference and the product become one (fuse.c). */
int32_t build_mix(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    int32_t range = build_pair(compiler, OP_SUBTRACT, f[1], f[0]);
    return build_pair(compiler, OP_ADD, f[0], build_pair(compiler, OP_MULTIPLY, range, f[2]));
}

int32_t build_step(struct compiler *compiler, const struct arguments *arguments)
{
    return build_pair(compiler, OP_LESS_EQUAL, arguments->fields[0], arguments->fields[1]);
}

/* t²(3 − 2t) with t = clamp((v − a) / (b − a)); where a equals b, a step at a. */
int32_t build_smoothstep(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    return program_smoothstep(compiler->program, f[0], f[1], f[2]);
}

int32_t build_spline(struct compiler *compiler, const struct arguments *arguments)
{
    const double *points = arguments->numbers + 1;
    uint32_t numbers = arguments->count - 1;
    if (numbers % 2 != 0)
        return compile_fail(compiler, arguments->call, ERROR_VALUE,
                            "spline: the points are pairs x, y; the last y is missing");
    for (uint32_t i = 2; i < numbers; i += 2)
        if ((float)points[i] <= (float)points[i - 2])
            return compile_fail(compiler, arguments->formulas[i + 1], ERROR_VALUE,
                                "spline: the x of the points must increase");
    return program_spline(compiler->program, arguments->fields[0], points, numbers / 2);
}

/* Stairs of height `step`: within a step, v rises over the middle 1 − sharpness of the interval and
 * is flat on both sides. (⌊s⌋ + clamp((s − ⌊s⌋ − ½) / (1 − sharpness) + ½)) · step with s = v /
 * step. */
int32_t build_terrace(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t *f = arguments->fields;
    int32_t half = build_number(compiler, 0.5f);
    int32_t steps = build_pair(compiler, OP_DIVIDE, f[0], f[1]);
    int32_t whole = program_unary(compiler->program, OP_FLOOR, steps);
    int32_t rest = build_pair(compiler, OP_SUBTRACT, steps, whole);
    int32_t least = build_number(compiler, 1e-6f);
    int32_t slope = build_pair(compiler, OP_MAXIMUM, one_minus(compiler, f[2]), least);
    int32_t ramp =
        build_pair(compiler, OP_DIVIDE, build_pair(compiler, OP_SUBTRACT, rest, half), slope);
    ramp = build_clamped01(compiler, build_pair(compiler, OP_ADD, ramp, half));
    return build_pair(compiler, OP_MULTIPLY, build_pair(compiler, OP_ADD, whole, ramp), f[1]);
}

/* 1/b − 2, the factor in bias and gain of C. Schlick, "Fast Alternatives to Perlin's Bias and Gain
 * Functions", Graphics Gems IV (1994): bias(t) = t / ((1/b − 2)(1 − t) + 1), and gain is two halves
 * of bias, joined at ½. */
static int32_t schlick(struct compiler *compiler, int32_t parameter)
{
    /* At 0 and 1 the curves are steps and their formulas have poles, so both are kept out. */
    int32_t least = build_number(compiler, 1e-6f), most = build_number(compiler, 1.0f - 1e-6f);
    int32_t inside = build_clamped(compiler, parameter, least, most);
    int32_t inverse = build_pair(compiler, OP_DIVIDE, build_number(compiler, 1.0f), inside);
    return build_pair(compiler, OP_SUBTRACT, inverse, build_number(compiler, 2.0f));
}

int32_t build_bias(struct compiler *compiler, const struct arguments *arguments)
{
    int32_t one = build_number(compiler, 1.0f);
    int32_t t = build_clamped01(compiler, arguments->fields[0]);
    int32_t rest = one_minus(compiler, t);
    int32_t k = build_pair(compiler, OP_MULTIPLY, schlick(compiler, arguments->fields[1]), rest);
    return build_pair(compiler, OP_DIVIDE, t, build_pair(compiler, OP_ADD, k, one));
}

int32_t build_gain(struct compiler *compiler, const struct arguments *arguments)
{
    int32_t one = build_number(compiler, 1.0f), half = build_number(compiler, 0.5f);
    int32_t t = build_clamped01(compiler, arguments->fields[0]);
    int32_t twice = build_pair(compiler, OP_MULTIPLY, build_number(compiler, 2.0f), t);
    int32_t rest = one_minus(compiler, twice);
    int32_t k = build_pair(compiler, OP_MULTIPLY, schlick(compiler, arguments->fields[1]), rest);
    int32_t low = build_pair(compiler, OP_DIVIDE, t, build_pair(compiler, OP_ADD, k, one));
    int32_t below = build_pair(compiler, OP_SUBTRACT, k, one);
    int32_t high = build_pair(compiler, OP_DIVIDE, build_pair(compiler, OP_SUBTRACT, k, t), below);
    return program_choose(compiler->program, build_pair(compiler, OP_LESS, t, half), low, high);
}
