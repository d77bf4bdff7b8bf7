/* How much the samples of an operation change in a metre, at most about: prices are made of it, as
 * it tells how far displacement moves neighbours apart.
 *
 * Slopes follow the chain rule, with the usual bounds of the operands (program_bounds.c) for their
 * samples. What jumps, or may be infinitely steep, has the slope FLT_MAX. */
#include <float.h>

#include "core/base/lanes.h"
#include "core/program/program.h"

static float greatest(const float slopes[3])
{
    return max_float(max_float(slopes[0], slopes[1]), slopes[2]);
}

static float size_of(struct interval a)
{
    return max_float(-a.low, a.high);
}

/* An octave takes half a wavelength from the least to the greatest of its usual samples. */
static float noise_slope(const struct noise *noise, struct interval usual)
{
    float slope = 0.0f;
    for (unsigned i = 0; i < noise->settings.octaves; i++)
        slope += noise->octaves[i].share / (float)noise->octaves[i].wavelength;
    return slope * 2.0f * (usual.high - usual.low);
}

/* A monotone cubic is at most three times as steep as the line between its ends; 1.5 times if it is
 * flat there. */
static float spline_slope(const struct spline *spline)
{
    float slope = 0.0f;
    for (uint32_t i = 0; i + 1 < spline->count; i++) {
        const float rise = __builtin_fabsf(spline->c0[i + 1] - spline->c0[i]);
        slope = max_float(slope, 1.5f * rise / (spline->x[i + 1] - spline->x[i]));
    }
    return slope;
}

static float quotient_slope(const struct operation *operation, struct interval divisor,
                            const float slopes[3])
{
    const float least = max_float(divisor.low, -divisor.high);
    if (least <= 0.0f)
        return FLT_MAX;
    return (slopes[0] + size_of(operation->usual) * slopes[1]) / least;
}

/* Steeper the nearer to 0. */
static float log_slope(struct interval v, const float slopes[3])
{
    return v.low > 0.0f ? slopes[0] / v.low : FLT_MAX;
}

/* e·v^(e − 1), for a constant exponent: steepest at one of the ends, and there e times the power by
 * v. */
static float power_slope(const struct operation *operation, struct interval v,
                         const float slopes[3])
{
    const float e = operation->k[0];
    const float power = e >= 0.0f && e < 1.0f ? operation->usual.low : operation->usual.high;
    if (operation->b >= 0 || v.low < 0.0f || v.high <= 0.0f || (e < 1.0f && v.low <= 0.0f))
        return FLT_MAX;
    return __builtin_fabsf(e) * power / (e < 1.0f ? v.low : v.high) * slopes[0];
}

/* Of coordinates and noises, and of what is sampled at places: those move by so many metres in a
 * metre. */
static float position_slope(const struct program *program, const struct operation *operation,
                            const float slopes[3])
{
    switch (operation->code) {
    case OP_X:
    case OP_Y:
        return 1.0f;
    case OP_CYCLE:
        return (1.0f + slopes[0]) / program->cycles[operation->table_index].period;
    case OP_DISTANCE:
        return 1.0f + slopes[0] + slopes[1];
    case OP_NOISE:
        return (1.0f + slopes[0] + slopes[1]) *
               noise_slope(program->noises[operation->table_index], operation->usual);
    case OP_DRAINAGE: /* distances jump on ridges */
        return FLT_MAX;
    case OP_COARSE:
        return slopes[0] * (1.0f + slopes[1] + slopes[2]);
    default:
        return 0.0f;
    }
}

static float slope_of(const struct program *program, const struct operation *operation,
                      const struct interval usual[3], const float slopes[3])
{
    switch (operation->code) {
    case OP_BY_SPACING:
    case OP_ABS:
    case OP_SIN:
    case OP_COS:
    case OP_MINIMUM:
    case OP_MAXIMUM:
        return greatest(slopes);
    case OP_SMOOTHSTEP:
        return 1.5f * __builtin_fabsf(operation->k[1]) * slopes[0];
    case OP_SPLINE:
        return spline_slope(&program->splines[operation->table_index]) * slopes[0];
    case OP_ADD:
    case OP_SUBTRACT:
        return slopes[0] + slopes[1];
    case OP_MULTIPLY:
        return size_of(usual[0]) * slopes[1] + size_of(usual[1]) * slopes[0];
    case OP_DIVIDE:
        return quotient_slope(operation, usual[1], slopes);
    case OP_LOG:
        return greatest(slopes) > 0.0f ? log_slope(usual[0], slopes) : 0.0f;
    case OP_POWER:
        return greatest(slopes) > 0.0f ? power_slope(operation, usual[0], slopes) : 0.0f;
    case OP_CHOOSE:
        return slopes[0] > 0.0f ? FLT_MAX : greatest(slopes);
    default:
        if (operation->code < OP_NOT)
            return position_slope(program, operation, slopes);
        return greatest(slopes) > 0.0f ? FLT_MAX : 0.0f;
    }
}

void program_find_slope(const struct program *program, struct operation *operation)
{
    struct interval usual[3];
    float slopes[3];
    for (int i = 0; i < 3; i++) {
        const int32_t value = operation->operands[i];
        const struct operation *operand = value >= 0 ? &program->operations[value] : NULL;
        usual[i] = operand ? operand->usual : (struct interval){operation->k[0], operation->k[0]};
        slopes[i] = operand ? operand->slope : 0.0f;
    }
    operation->slope = min_float(slope_of(program, operation, usual, slopes), FLT_MAX);
}
