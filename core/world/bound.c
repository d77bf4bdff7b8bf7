/* How low and high an operation's samples can be, by interval arithmetic over the program.
 *
 * Rounding is monotone, so the operations on floats themselves bound each other; where an
 * operation is a polynomial that may overshoot by a rounding, its interval is widened. */
#include <float.h>
#include <stdlib.h>

#include "core/world/program.h"

static const struct interval anything = {-FLT_MAX, FLT_MAX};

/* What is not finite becomes 0, so then nothing is known. */
static struct interval checked(float low, float high)
{
    if (!(low >= -FLT_MAX && high <= FLT_MAX && low <= high))
        return anything;
    return (struct interval){low, high};
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

static struct interval product(struct interval a, struct interval b)
{
    const float p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    for (int i = 0; i < 4; i++)
        if (!(__builtin_fabsf(p[i]) <= FLT_MAX))
            return anything;
    return checked(least(least(p[0], p[1]), least(p[2], p[3])),
                   most(most(p[0], p[1]), most(p[2], p[3])));
}

static struct interval of_spline(const struct spline *spline)
{
    float low = spline->c0[0], high = low;
    for (uint32_t i = 1; i < spline->count; i++) {
        low = least(low, spline->c0[i]);
        high = most(high, spline->c0[i]);
    }
    const float slack = 0.001f * (high - low) + 0.0001f * most(-low, high);
    return checked(low - slack, high + slack);
}

static struct interval of_one(const struct program *program, const struct operation *operation,
                              struct interval a)
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
        return checked(0.0f, most(-a.low, a.high));
    case OP_FLOOR:
        return checked(__builtin_floorf(a.low), __builtin_floorf(a.high));
    case OP_SPLINE:
        return of_spline(&program->splines[operation->table]);
    default:
        return anything;
    }
}

static struct interval of_two(enum operation_code code, struct interval a, struct interval b)
{
    switch (code) {
    case OP_ADD:
        return checked(a.low + b.low, a.high + b.high);
    case OP_SUBTRACT:
        return checked(a.low - b.high, a.high - b.low);
    case OP_MULTIPLY:
        return product(a, b);
    case OP_MINIMUM:
        return checked(least(a.low, b.low), least(a.high, b.high));
    case OP_MAXIMUM:
        return checked(most(a.low, b.low), most(a.high, b.high));
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_EQUAL:
    case OP_AND:
    case OP_OR:
        return (struct interval){0.0f, 1.0f};
    default:
        return anything;
    }
}

static struct interval of_operation(const struct program *program,
                                    const struct operation *operation, const struct interval *known)
{
    const struct interval constant = {operation->k[0], operation->k[0]};
    const struct interval a = operation->a >= 0 ? known[operation->a] : constant;
    const struct interval b = operation->b >= 0 ? known[operation->b] : constant;
    if (operation->code == OP_CONSTANT)
        return constant;
    if (operation->code == OP_CHOOSE)
        return checked(least(b.low, known[operation->c].low),
                       most(b.high, known[operation->c].high));
    if (operation->code >= OP_ADD)
        return of_two(operation->code, a, b);
    if (operation->code >= OP_NOT)
        return of_one(program, operation, a);
    return anything;
}

bool program_bound(const struct program *program, int32_t value, struct interval *bounds)
{
    const size_t count = (size_t)value + 1; /* operands stand before it */
    struct interval *known = calloc(count, sizeof *known);
    if (!known)
        return false;
    for (size_t i = 0; i < count; i++)
        known[i] = of_operation(program, &program->operations[i], known);
    *bounds = known[value];
    free(known);
    return true;
}
