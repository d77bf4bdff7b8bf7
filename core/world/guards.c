/* Chooses the guards of products, conjunctions and choices.
 *
 * A guard is the operand that is evaluated first: where it is 0 over a whole band of samples, or
 * where a condition has one value, the other operand is not evaluated (see sampler.c). Looking for
 * zeros costs most of a pass over the row, and a guarded operation cannot be fused. So a guard must
 * pay: the operand that it may skip is expensive, and the guard itself is 0 over areas, as
 * smoothstep(), clamps, splines and conditions are. A noise is 0 along lines only.
 *
 * What skipping saves is estimated by apportioning the work of each operation among its readers, as
 * what others read as well is evaluated anyway, or skipped only if they skip it too. */
#include "core/world/guards.h"

#include <stdlib.h>

/* In passes over a row. */
enum { WORTH_SKIPPING = 8, WORK_OF_OCTAVE = 8, WORK_OF_CURVE = 8, WORK_OF_QUOTIENT = 3 };

struct estimate {
    float work; /* of the operation, and its share of the work of its operands */
    bool vanishes;
};

static float own_work(const struct program *program, const struct operation *operation)
{
    switch (operation->code) {
    case OP_NOISE:
        return (float)(WORK_OF_OCTAVE * program_noise_cost(program, operation));
    case OP_CYCLE:
    case OP_DISTANCE:
    case OP_SIN:
    case OP_COS:
    case OP_EXP:
    case OP_SPLINE:
        return WORK_OF_CURVE;
    case OP_DIVIDE:
    case OP_SMOOTHSTEP:
        return WORK_OF_QUOTIENT;
    default:
        return 1.0f;
    }
}

/* What a reader saves if it need not evaluate the operand. */
static float saved_work(const struct program *program, const struct estimate *estimates,
                        int32_t operand)
{
    const uint32_t readers = operand < 0 ? 0 : program->operations[operand].readers;
    return readers == 0 ? 0.0f : estimates[operand].work / (float)readers;
}

static bool operand_vanishes(const struct estimate *estimates, const struct operation *operation,
                             int operand)
{
    const int32_t value = operation->operands[operand];
    return value < 0 ? operation->k[0] == 0.0f : estimates[value].vanishes;
}

/* True if the operation may be 0 over a whole area, by its kind and its operands. */
static bool may_vanish(const struct estimate *estimates, const struct operation *operation)
{
    const struct interval bounds = operation->bounds;
    const bool a = operand_vanishes(estimates, operation, 0);
    const bool b = operand_vanishes(estimates, operation, 1);
    if (bounds.low > 0.0f || bounds.high < 0.0f)
        return false;
    switch (operation->code) {
    case OP_NOISE:
    case OP_X:
    case OP_Y:
    case OP_CYCLE:
    case OP_DISTANCE:
    case OP_COS:
        return false;
    case OP_ABS:
    case OP_SIN:
    case OP_DIVIDE:
        return a;
    case OP_ADD:
    case OP_SUBTRACT:
        return a && b;
    case OP_MULTIPLY:
    case OP_MINIMUM:
    case OP_MAXIMUM:
        return a || b;
    case OP_CHOOSE:
        return b || operand_vanishes(estimates, operation, 2);
    default:
        return true;
    }
}

static enum operation_guard guard_of(const struct program *program,
                                     const struct operation *operation,
                                     const struct estimate *estimates)
{
    const float a = saved_work(program, estimates, operation->a);
    const float b = saved_work(program, estimates, operation->b);
    const float c = saved_work(program, estimates, operation->c);
    if (operation->code == OP_CHOOSE)
        return b + c >= WORTH_SKIPPING ? GUARD_A : GUARD_NONE;
    if ((operation->code != OP_MULTIPLY && operation->code != OP_AND) || operation->a < 0 ||
        operation->b < 0 || operation->a == operation->b)
        return GUARD_NONE;
    const bool a_decides = estimates[operation->a].vanishes && b >= WORTH_SKIPPING;
    const bool b_decides = estimates[operation->b].vanishes && a >= WORTH_SKIPPING;
    if (a_decides && b_decides)
        return a > b ? GUARD_B : GUARD_A;
    return a_decides ? GUARD_A : b_decides ? GUARD_B : GUARD_NONE;
}

bool guards_choose(struct program *program)
{
    struct estimate *estimates = calloc(program->count + 1, sizeof *estimates);
    if (!estimates)
        return false;
    for (uint32_t i = 0; i < program->count; i++) {
        struct operation *operation = &program->operations[i];
        estimates[i].work = own_work(program, operation);
        for (int k = 0; k < 3; k++)
            estimates[i].work += saved_work(program, estimates, operation->operands[k]);
        estimates[i].vanishes = may_vanish(estimates, operation);
        operation->guard = guard_of(program, operation, estimates);
    }
    free(estimates);
    return true;
}
