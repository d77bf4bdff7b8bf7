/* Bounds of the samples of an operation, by interval arithmetic over the program (R. Moore,
 * "Interval Analysis", 1966).
 *
 * Each operation gets the interval that its operands' intervals allow, when it is added. Rounding
 * to nearest is monotone, so computing the ends in float bounds all samples, whatever their
 * rounding. Where an operation is a polynomial that may overshoot by a rounding, its interval is
 * widened. The bounds reject candidates of objects early, replace operations with one possible
 * sample, show which clamps are needless, and which sums and products cannot overflow. A bound that
 * is too wide only costs time. */
#include <float.h>

#include "core/base/lanes.h"
#include "core/program/power.h"
#include "core/program/program.h"

static const struct interval unbounded = {-FLT_MAX, FLT_MAX};
/* No noise has larger samples, by far: octaves' shares add up to 1, and no basis, ridges included,
 * comes near. A distance to a zero is at most the wavelength. */
#define NOISE_SAMPLE_MAX 1024.0f
#define NOISE_SAMPLE_USUAL 0.5f
#define NOISE_DISTANCE_MAX (1.1f * (float)NOISE_WAVELENGTH_MAX)
#define COORDINATE_MAX 0x1p48f /* positions, z and t have 64 bits, 16 of them behind the point */

/* A result that overflows becomes 0 (row_kernels.c), so then nothing is known. */
static struct interval finite_interval(float low, float high)
{
    if (!(low >= -FLT_MAX && high <= FLT_MAX && low <= high))
        return unbounded;
    return (struct interval){low, high};
}

static bool is_unbounded(struct interval bounds)
{
    return bounds.low == -FLT_MAX && bounds.high == FLT_MAX;
}

static float size_of(struct interval bounds)
{
    return max_float(-bounds.low, bounds.high);
}

/* The least and the greatest of the combinations of ends, unless one overflows or is none. */
static struct interval ends_interval(const float ends[4])
{
    for (int i = 0; i < 4; i++)
        if (!(__builtin_fabsf(ends[i]) <= FLT_MAX))
            return unbounded;
    return finite_interval(min_float(min_float(ends[0], ends[1]), min_float(ends[2], ends[3])),
                           max_float(max_float(ends[0], ends[1]), max_float(ends[2], ends[3])));
}

static struct interval product_interval(struct interval a, struct interval b)
{
    return ends_interval((float[]){a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

static struct interval quotient_interval(struct interval a, struct interval b)
{
    if (b.low <= 0.0f && b.high >= 0.0f)
        return unbounded;
    return ends_interval((float[]){a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

/* 1 or 0 if that is known, or either. */
static struct interval truth_interval(bool is_true, bool is_false)
{
    return (struct interval){is_true ? 1.0f : 0.0f, is_false ? 0.0f : 1.0f};
}

static bool is_zero(struct interval a)
{
    return a.low == 0.0f && a.high == 0.0f;
}

static bool excludes_zero(struct interval a)
{
    return a.low > 0.0f || a.high < 0.0f;
}

/* The polynomial may overshoot by a rounding. */
static const struct interval smooth_interval = {-0.0001f, 1.0001f};

/* Flat outside the edges. */
static struct interval smoothstep_interval(const float k[2], struct interval a)
{
    const float ends[2] = {(a.low - k[0]) * k[1], (a.high - k[0]) * k[1]};
    const bool is_zero = ends[0] <= 0.0f && ends[1] <= 0.0f;
    const bool is_one = ends[0] >= 1.0f && ends[1] >= 1.0f;
    if (is_zero || is_one)
        return truth_interval(is_one, is_zero);
    return smooth_interval;
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

/* Rounded outwards: logarithms and powers may be one float off their order. */
static struct interval widened(float low, float high)
{
    return finite_interval(low - 0x1p-22f * __builtin_fabsf(low),
                           high + 0x1p-22f * __builtin_fabsf(high));
}

/* 0 where there is no logarithm; the least one is that of the least float, -103.3. */
static struct interval log_interval(struct interval a)
{
    const float high = power_log(a.high);
    if (a.low > 0.0f)
        return widened(power_log(a.low), high);
    return a.high > 0.0f ? widened(-104.0f, max_float(high, 0.0f)) : (struct interval){0.0f, 0.0f};
}

/* Between the corners of the operands' intervals a power of positive numbers is monotone in both.
 * One that is too large for a float is 0. Of negative numbers only whole powers are not 0. */
static struct interval power_interval(struct interval v, struct interval e)
{
    const bool fraction = e.low == e.high && __builtin_floorf(e.low) != e.low;
    if ((v.low < 0.0f && !fraction) || (v.low <= 0.0f && e.low < 0.0f))
        return unbounded;
    const float least = max_float(v.low, 0.0f), most = max_float(v.high, 0.0f);
    const float corners[4] = {power(least, e.low), power(least, e.high), power(most, e.low),
                              power(most, e.high)};
    for (int i = 0; i < 4; i++)
        if (corners[i] == 0.0f && (i < 2 ? least : most) > 0.0f)
            return unbounded;
    const struct interval ends = ends_interval(corners);
    return widened(v.low <= 0.0f ? 0.0f : ends.low, ends.high);
}

static struct interval unary_interval(const struct program *program,
                                      const struct operation *operation, struct interval a)
{
    switch (operation->code) {
    case OP_NOT:
        return truth_interval(is_zero(a), excludes_zero(a));
    case OP_SMOOTHSTEP:
        return smoothstep_interval(operation->k, a);
    case OP_SIN:
    case OP_COS:
        return (struct interval){-1.0001f, 1.0001f};
    case OP_ABS:
        return finite_interval(max_float(0.0f, max_float(a.low, -a.high)), size_of(a));
    case OP_FLOOR:
        return finite_interval(__builtin_floorf(a.low), __builtin_floorf(a.high));
    case OP_SQRT:
        return finite_interval(__builtin_sqrtf(max_float(a.low, 0.0f)),
                               __builtin_sqrtf(max_float(a.high, 0.0f)));
    case OP_EXP:
        return (struct interval){0.0f, FLT_MAX};
    case OP_LOG:
        return log_interval(a);
    case OP_SPLINE:
        return spline_interval(&program->splines[operation->table_index]);
    default:
        return unbounded;
    }
}

/* Weights that are not negative and add up to 1 leave a value between the least and the greatest,
 * but for rounding: on each of two axes less than 8 · 2⁻²⁴ of the largest. */
static struct interval weighted_interval(struct interval a)
{
    const float slack = 0x1p-19f * max_float(__builtin_fabsf(a.low), __builtin_fabsf(a.high));
    return finite_interval(a.low - slack, a.high + slack);
}

/* Nodes are limited. */
static struct interval coarse_interval(struct interval a)
{
    const float low = max_float(a.low, -COARSE_NODE_MAX), high = min_float(a.high, COARSE_NODE_MAX);
    return weighted_interval(
        (struct interval){min_float(low, COARSE_NODE_MAX), max_float(high, -COARSE_NODE_MAX)});
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
    case OP_DIVIDE:
        return quotient_interval(a, b);
    case OP_POWER:
        return power_interval(a, b);
    case OP_MINIMUM:
        return finite_interval(min_float(a.low, b.low), min_float(a.high, b.high));
    case OP_MAXIMUM:
        return finite_interval(max_float(a.low, b.low), max_float(a.high, b.high));
    case OP_LESS:
        return truth_interval(a.high < b.low, a.low >= b.high);
    case OP_LESS_EQUAL:
        return truth_interval(a.high <= b.low, a.low > b.high);
    case OP_EQUAL:
        return truth_interval(false, a.high < b.low || a.low > b.high);
    case OP_AND:
        return truth_interval(excludes_zero(a) && excludes_zero(b), is_zero(a) || is_zero(b));
    case OP_OR:
        return truth_interval(excludes_zero(a) || excludes_zero(b), is_zero(a) && is_zero(b));
    default:
        return unbounded;
    }
}

static struct interval choose_interval(struct interval condition, struct interval yes,
                                       struct interval no)
{
    if (is_zero(condition) || excludes_zero(condition))
        return is_zero(condition) ? no : yes;
    return (struct interval){min_float(yes.low, no.low), max_float(yes.high, no.high)};
}

#define DRAINAGE_INTERVAL(id, name, least, most) [DRAINAGE_##id] = {least, most},
const struct interval drainage_outputs[DRAINAGE_OUTPUTS] = {
    DRAINAGE_OUTPUT_ROWS(DRAINAGE_INTERVAL)};

/* How far from 0 the samples of a noise are at most, or usually. */
static float sample_size(const struct program *program, const struct operation *operation,
                         bool usual)
{
    const struct noise *noise = program->noises[operation->table_index];
    if (noise->settings.result == NOISE_SAMPLE)
        return usual ? NOISE_SAMPLE_USUAL : NOISE_SAMPLE_MAX;
    return usual ? (float)noise->settings.wavelength : NOISE_DISTANCE_MAX;
}

/* Of coordinates and noises; the operands are displacements. */
static struct interval position_interval(const struct program *program,
                                         const struct operation *operation,
                                         const struct interval operands[3], bool usual)
{
    const float moved = size_of(operands[0]) + size_of(operands[1]);
    float size = COORDINATE_MAX;
    switch (operation->code) {
    case OP_CYCLE:
        return (struct interval){0.0f, 1.0f};
    case OP_GIVEN:
        return (struct interval){-FLT_MAX, FLT_MAX};
    case OP_SPACING:
        return (struct interval){0.0f, COORDINATE_MAX};
    case OP_DISTANCE: /* rounded, so twice its true bound */
        return finite_interval(0.0f, 2.0f * (2.0f * COORDINATE_MAX + moved));
    case OP_NOISE:
        size = sample_size(program, operation, usual);
        return (struct interval){-size, size};
    case OP_DRAINAGE:
        return drainage_outputs[(int)operation->k[0]];
    default:
        return (struct interval){-size, size};
    }
}

/* The interval that those of the operands allow. */
static struct interval interval_of(const struct program *program, const struct operation *operation,
                                   const struct interval operands[3], bool usual)
{
    if (operation->code == OP_CONSTANT)
        return operands[0];
    if (operation->code == OP_COARSE)
        return coarse_interval(operands[0]);
    if (operation->code == OP_BY_SPACING)
        return weighted_interval((struct interval){min_float(operands[0].low, operands[1].low),
                                                   max_float(operands[0].high, operands[1].high)});
    if (operation->code == OP_CHOOSE)
        return choose_interval(operands[0], operands[1], operands[2]);
    if (operation->code == OP_SMOOTHSTEP_ROWS)
        return smooth_interval;
    if (operation->code >= OP_ADD)
        return binary_interval(operation->code, operands[0], operands[1]);
    if (operation->code >= OP_NOT)
        return unary_interval(program, operation, operands[0]);
    return position_interval(program, operation, operands, usual);
}

void program_bound(const struct program *program, struct operation *operation)
{
    struct interval all[3], usual[3];
    for (int i = 0; i < 3; i++) {
        const int32_t value = operation->operands[i];
        const struct operation *operand = value >= 0 ? &program->operations[value] : NULL;
        const struct interval number = {operation->k[0], operation->k[0]};
        all[i] = operand ? operand->bounds : number;
        usual[i] = operand ? operand->usual : number;
    }
    operation->bounds = interval_of(program, operation, all, false);
    operation->usual = interval_of(program, operation, usual, true);
    operation->finite = !is_unbounded(operation->bounds);
}
