/* Algebra that keeps every bit of every sample.
 *
 * It relies on what row_kernels.c promises: samples are finite, and there is one zero. So x + 0 and
 * x · 1 are x, and a − (−1·b) is a + b. The bounds of the operands show which clamps are needless
 * and which conditions hold everywhere. Operations with one possible sample are not handled here:
 * program_add() replaces them, whatever they are.
 *
 * Sums are not regrouped and factors not collected, as that would change roundings. */
#include "core/program/simplify.h"

#include "core/program/program_builder.h"

static const struct operation *at(const struct program *program, int32_t value)
{
    return &program->operations[value];
}

static bool is_number(const struct program *program, int32_t value, float number)
{
    float constant;
    return program_is_constant(program, value, &constant) && constant == number;
}

/* 0 or 1 at every place. */
static bool is_truth(const struct program *program, int32_t value)
{
    return operation_rows[at(program, value)->code].is_truth;
}

static bool is_nowhere_zero(const struct program *program, int32_t value)
{
    const struct interval bounds = at(program, value)->bounds;
    return bounds.low > 0.0f || bounds.high < 0.0f;
}

/* x if the value is x · −1, else −1. */
static int32_t negated(const struct program *program, int32_t value)
{
    const struct operation *operation = at(program, value);
    const bool negates =
        operation->code == OP_MULTIPLY && operation->b < 0 && operation->k[0] == -1.0f;
    return negates ? operation->a : -1;
}

int32_t simplify_sum(struct program *program, const struct operation *operation)
{
    const int32_t a = operation->a, b = operation->b;
    if (is_number(program, b, 0.0f))
        return a;
    if (negated(program, b) >= 0)
        return program_binary(program, OP_SUBTRACT, a, negated(program, b));
    if (negated(program, a) >= 0)
        return program_binary(program, OP_SUBTRACT, b, negated(program, a));
    return -1;
}

int32_t simplify_difference(struct program *program, const struct operation *operation)
{
    const int32_t a = operation->a, b = operation->b;
    float constant;
    if (a == b)
        return program_constant(program, 0.0f);
    if (program_is_constant(program, b, &constant))
        return program_binary(program, OP_ADD, a, program_constant(program, -constant));
    if (negated(program, b) >= 0)
        return program_binary(program, OP_ADD, a, negated(program, b));
    return -1;
}

int32_t simplify_product(struct program *program, const struct operation *operation)
{
    const int32_t a = operation->a, b = operation->b;
    if (is_number(program, b, 1.0f))
        return a;
    return is_number(program, b, -1.0f) ? negated(program, a) : -1;
}

/* A power of two has an exact reciprocal, so product and quotient round the same number. */
int32_t simplify_quotient(struct program *program, const struct operation *operation)
{
    const int32_t a = operation->a, b = operation->b;
    float divisor;
    int exponent;
    if (is_number(program, a, 0.0f) || is_number(program, b, 0.0f)) /* not finite, so 0 */
        return program_constant(program, 0.0f);
    if (!program_is_constant(program, b, &divisor) ||
        __builtin_fabsf(__builtin_frexpf(divisor, &exponent)) != 0.5f ||
        __builtin_abs(exponent) > 125)
        return -1;
    return program_binary(program, OP_MULTIPLY, a, program_constant(program, 1.0f / divisor));
}

/* The minimum, or the maximum by exchanging the bounds. */
int32_t simplify_extremum(struct program *program, const struct operation *operation)
{
    const enum operation_code code = operation->code;
    const int32_t a = operation->a, b = operation->b;
    const struct operation *left = at(program, a);
    const struct interval of_a = left->bounds, of_b = at(program, b)->bounds;
    const bool least = code == OP_MINIMUM;
    float constant;
    if (a == b || (least ? of_a.high <= of_b.low : of_a.low >= of_b.high))
        return a;
    if (least ? of_b.high <= of_a.low : of_b.low >= of_a.high)
        return b;
    if (left->code != code || left->b >= 0 || !program_is_constant(program, b, &constant))
        return -1;
    const int32_t other = left->a, limit = program_constant(program, left->k[0]);
    return program_binary(program, code, other, program_binary(program, code, limit, b));
}

/* a && b, a || b: one operand may decide nothing. */
int32_t simplify_logic(struct program *program, const struct operation *operation)
{
    const int32_t a = operation->a, b = operation->b;
    const bool all = operation->code == OP_AND;
    if ((a == b || (all ? is_nowhere_zero(program, b) : is_number(program, b, 0.0f))) &&
        is_truth(program, a))
        return a;
    return all && is_nowhere_zero(program, a) && is_truth(program, b) ? b : -1;
}

int32_t simplify_less(struct program *program, const struct operation *operation)
{
    return operation->a == operation->b ? program_constant(program, 0.0f) : -1;
}

int32_t simplify_equal(struct program *program, const struct operation *operation)
{
    return operation->a == operation->b ? program_constant(program, 1.0f) : -1;
}

int32_t simplify_not(struct program *program, const struct operation *operation)
{
    const struct operation *operand = at(program, operation->a);
    return operand->code == OP_NOT && is_truth(program, operand->a) ? operand->a : -1;
}

int32_t simplify_floor(struct program *program, const struct operation *operation)
{
    return at(program, operation->a)->code == OP_FLOOR ? operation->a : -1;
}

int32_t simplify_abs(struct program *program, const struct operation *operation)
{
    const int32_t a = operation->a;
    if (at(program, a)->bounds.low >= 0.0f)
        return a;
    return negated(program, a) >= 0 ? program_unary(program, OP_ABS, negated(program, a)) : -1;
}

int32_t simplify_choice(struct program *program, const struct operation *operation)
{
    const int32_t condition = operation->a, yes = operation->b, no = operation->c;
    if (yes == no || is_nowhere_zero(program, condition))
        return yes;
    if (is_number(program, condition, 0.0f))
        return no;
    if (at(program, condition)->code == OP_NOT)
        return program_choose(program, at(program, condition)->a, no, yes);
    const bool same = is_number(program, yes, 1.0f) && is_number(program, no, 0.0f);
    return same && is_truth(program, condition) ? condition : -1;
}
