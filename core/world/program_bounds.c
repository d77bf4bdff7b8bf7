/* Bounds of the samples of an operation, by interval arithmetic over the program (R. Moore,
 * "Interval Analysis", 1966).
 *
 * Each operation gets the interval that its operands' intervals allow. Rounding to nearest is
 * monotone, so computing the ends in float bounds all samples, whatever their rounding. Where an
 * operation is a polynomial that may overshoot by a rounding, its interval is widened. Noises,
 * coordinates and quotients are unbounded: it is enough for densities, which end in smoothstep(),
 * clamp() or a comparison, and a bound that is too wide only costs time. */
#include <float.h>

#include "core/base/lanes.h"
#include "core/world/program.h"

static const struct interval unbounded = {-FLT_MAX, FLT_MAX};

/* A result that overflows becomes 0 (row_kernels.c), so then nothing is known. */
static struct interval finite_interval(float low, float high)
{
    if (!(low >= -FLT_MAX && high <= FLT_MAX && low <= high))
        return unbounded;
    return (struct interval){low, high};
}

static struct interval product_interval(struct interval a, struct interval b)
{
    const float p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    for (int i = 0; i < 4; i++)
        if (!(__builtin_fabsf(p[i]) <= FLT_MAX))
            return unbounded;
    return finite_interval(min_float(min_float(p[0], p[1]), min_float(p[2], p[3])),
                           max_float(max_float(p[0], p[1]), max_float(p[2], p[3])));
}

static struct interval spline_interval(const struct spline *spline)
{
    float low = spline->c0[0], high = low;
    for (uint32_t i = 1; i < spline->count; i++) {
        low = min_float(low, spline->c0[i]);
        high = max_float(high, spline->c0[i]);
    }
    /* The cubics are monotone between the points but for their rounding. */
    const float slack = 0.001f * (high - low) + 0.0001f * max_float(-low, high);
    return finite_interval(low - slack, high + slack);
}

static struct interval unary_interval(const struct program *program,
                                      const struct operation *operation, struct interval a)
{
    switch (operation->code) {
    case OP_NOT:
        return (struct interval){0.0f, 1.0f};
    case OP_SMOOTHSTEP:
        return (struct interval){-0.0001f, 1.0001f};
    case OP_SIN:
    case OP_COS:
        return (struct interval){-1.0001f, 1.0001f};
    case OP_ABS:
        return finite_interval(0.0f, max_float(-a.low, a.high));
    case OP_FLOOR:
        return finite_interval(__builtin_floorf(a.low), __builtin_floorf(a.high));
    case OP_SPLINE:
        return spline_interval(&program->splines[operation->table_index]);
    default:
        return unbounded;
    }
}

/* Weights that are not negative and add up to 1 leave a value between the least and the greatest,
 * but for rounding: on each of two axes less than 8 · 2⁻²⁴ of the largest. */
static struct interval weighted_interval(float low, float high)
{
    const float slack = 0x1p-19f * max_float(__builtin_fabsf(low), __builtin_fabsf(high));
    return finite_interval(low - slack, high + slack);
}

static struct interval binary_interval(enum operation_code code, struct interval a,
                                       struct interval b)
{
    switch (code) {
    case OP_ADD:
        return finite_interval(a.low + b.low, a.high + b.high);
    case OP_SUBTRACT:
        return finite_interval(a.low - b.high, a.high - b.low);
    case OP_MULTIPLY:
        return product_interval(a, b);
    case OP_MINIMUM:
        return finite_interval(min_float(a.low, b.low), min_float(a.high, b.high));
    case OP_MAXIMUM:
        return finite_interval(max_float(a.low, b.low), max_float(a.high, b.high));
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_EQUAL:
    case OP_AND:
    case OP_OR:
        return (struct interval){0.0f, 1.0f};
    default:
        return unbounded;
    }
}

struct interval program_bound(const struct program *program, const struct operation *operation,
                              const struct operation_facts *facts)
{
    const struct interval constant = {operation->k[0], operation->k[0]};
    const struct interval a = operation->a >= 0 ? facts[operation->a].bounds : constant;
    const struct interval b = operation->b >= 0 ? facts[operation->b].bounds : constant;
    if (operation->code == OP_CONSTANT)
        return constant;
    if (operation->code == OP_COARSE)
        return weighted_interval(a.low, a.high);
    if (operation->code == OP_BY_SPACING)
        return weighted_interval(min_float(a.low, b.low), max_float(a.high, b.high));
    if (operation->code == OP_CHOOSE)
        return finite_interval(min_float(b.low, facts[operation->c].bounds.low),
                               max_float(b.high, facts[operation->c].bounds.high));
    if (operation->code >= OP_ADD)
        return binary_interval(operation->code, a, b);
    if (operation->code >= OP_NOT)
        return unary_interval(program, operation, a);
    return unbounded;
}
