/* Bounds of the samples of an operation, by interval arithmetic over the program (R. Moore,
 * "Interval Analysis", 1966): a function for each kind of operation, which its row names.
 *
 * Each operation gets the interval that its operands' intervals allow, when it is added. Rounding
 * to nearest is monotone, so computing the ends in float bounds all samples, whatever their
 * rounding. Where an operation is a polynomial that may overshoot by a rounding, its interval is
 * widened. The bounds reject candidates of objects early, replace operations with one possible
 * sample, show which clamps are needless, and which sums and products cannot overflow. A bound that
 * is too wide only costs time. */
#include "core/program/operation_bounds.h"

#include <float.h>

#include "core/base/lanes.h"
#include "core/program/power.h"
#include "core/program/row_kernels_position.h"

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

struct interval bounds_of_a(const struct operation_operands *of)
{
    return of->bounds[0];
}

/* ---- places */

struct interval bounds_of_coordinate(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){-COORDINATE_MAX, COORDINATE_MAX};
}

struct interval bounds_of_spacing(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){0.0f, COORDINATE_MAX};
}

struct interval bounds_of_cycle(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){0.0f, 1.0f};
}

struct interval bounds_of_cell_number(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){0.0f, 0x1p24f};
}

/* 1 + ½ + ¼ …, and what rounding adds. */
struct interval bounds_of_gullies(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){-2.001f, 2.001f};
}

struct interval bounds_of_polyline_distance(const struct operation_operands *of)
{
    return (struct interval){0.0f, of->operation->k[0]};
}

/* Rounded to a float, and so up to the next one. */
struct interval bounds_of_polyline_along(const struct operation_operands *of)
{
    const struct polyline *line = of->program->polyline_views[of->operation->table_index].line;
    return (struct interval){0.0f, (float)(line->starts[line->segments] * (1.0 + 0x1p-22))};
}

struct interval bounds_of_polyline_side(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){-1.0f, 1.0f};
}

struct interval bounds_of_polyline_signed(const struct operation_operands *of)
{
    return (struct interval){-of->operation->k[0], of->operation->k[0]};
}

/* Rounded, and so twice what they can be. */
struct interval bounds_of_polyline_move(const struct operation_operands *of)
{
    const float most = 2.0f * (2.0f * COORDINATE_MAX + bounds_of_polyline_along(of).high);
    return (struct interval){-most, most};
}

struct interval bounds_of_polyline_point(const struct operation_operands *of)
{
    const struct polyline *line = of->program->polyline_views[of->operation->table_index].line;
    const float most = (float)(line->extent * (1.0 + 0x1p-22));
    return (struct interval){-most, most};
}

/* Rounded, so twice its true bound. */
struct interval bounds_of_distance(const struct operation_operands *of)
{
    const float moved = size_of(of->bounds[0]) + size_of(of->bounds[1]);
    return finite_interval(0.0f, 2.0f * (2.0f * COORDINATE_MAX + moved));
}

struct interval bounds_of_offset(const struct operation_operands *of)
{
    const float low =
        min_float(max_float(of->bounds[0].low, -OFFSET_TARGET_MAX), OFFSET_TARGET_MAX);
    const float high =
        min_float(max_float(of->bounds[0].high, -OFFSET_TARGET_MAX), OFFSET_TARGET_MAX);
    return finite_interval(low - COORDINATE_MAX, high + COORDINATE_MAX);
}

/* How far from 0 the samples of a noise are at most, or usually. */
static float sample_size(const struct noise_settings *settings, bool usual)
{
    if (settings->result == NOISE_SAMPLE)
        return usual ? NOISE_SAMPLE_USUAL : NOISE_SAMPLE_MAX;
    return usual ? (float)settings->wavelength : NOISE_DISTANCE_MAX;
}

struct interval bounds_of_noise(const struct operation_operands *of)
{
    const struct noise *noise = of->program->noises[of->operation->table_index];
    const float size = sample_size(&noise->settings, of->usual);
    return (struct interval){-size, size};
}

#define DRAINAGE_INTERVAL(id, name, least, most) [DRAINAGE_##id] = {least, most},
const struct interval drainage_outputs[DRAINAGE_OUTPUTS] = {
    DRAINAGE_OUTPUT_ROWS(DRAINAGE_INTERVAL)};

struct interval bounds_of_drainage(const struct operation_operands *of)
{
    return drainage_outputs[(int)of->operation->k[0]];
}

/* Weights that are not negative and add up to 1 leave a value between the least and the greatest,
 * but for rounding: on each of two axes less than 8 · 2⁻²⁴ of the largest. */
static struct interval weighted_interval(struct interval a)
{
    const float slack = 0x1p-19f * max_float(__builtin_fabsf(a.low), __builtin_fabsf(a.high));
    return finite_interval(a.low - slack, a.high + slack);
}

/* Nodes are limited. */
struct interval bounds_of_coarse(const struct operation_operands *of)
{
    const float low = max_float(of->bounds[0].low, -COARSE_NODE_MAX);
    const float high = min_float(of->bounds[0].high, COARSE_NODE_MAX);
    return weighted_interval(
        (struct interval){min_float(low, COARSE_NODE_MAX), max_float(high, -COARSE_NODE_MAX)});
}

/* The interval of both. */
static struct interval either_interval(struct interval a, struct interval b)
{
    return (struct interval){min_float(a.low, b.low), max_float(a.high, b.high)};
}

struct interval bounds_by_spacing(const struct operation_operands *of)
{
    return weighted_interval(either_interval(of->bounds[0], of->bounds[1]));
}

/* ---- truth: 1 or 0 if that is known, or either */

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

struct interval bounds_of_not(const struct operation_operands *of)
{
    return truth_interval(is_zero(of->bounds[0]), excludes_zero(of->bounds[0]));
}

struct interval bounds_of_less(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return truth_interval(a.high < b.low, a.low >= b.high);
}

struct interval bounds_of_less_equal(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return truth_interval(a.high <= b.low, a.low > b.high);
}

struct interval bounds_of_equal(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return truth_interval(false, a.high < b.low || a.low > b.high);
}

struct interval bounds_of_and(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return truth_interval(excludes_zero(a) && excludes_zero(b), is_zero(a) || is_zero(b));
}

struct interval bounds_of_or(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return truth_interval(excludes_zero(a) || excludes_zero(b), is_zero(a) && is_zero(b));
}

struct interval bounds_of_choice(const struct operation_operands *of)
{
    const struct interval condition = of->bounds[0], yes = of->bounds[1], no = of->bounds[2];
    if (is_zero(condition) || excludes_zero(condition))
        return is_zero(condition) ? no : yes;
    return either_interval(yes, no);
}

/* ---- curves */

struct interval bounds_of_abs(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0];
    return finite_interval(max_float(0.0f, max_float(a.low, -a.high)), size_of(a));
}

struct interval bounds_of_floor(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0];
    return finite_interval(__builtin_floorf(a.low), __builtin_floorf(a.high));
}

struct interval bounds_of_sqrt(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0];
    return finite_interval(__builtin_sqrtf(max_float(a.low, 0.0f)),
                           __builtin_sqrtf(max_float(a.high, 0.0f)));
}

struct interval bounds_of_random(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){0.0f, 1.0f};
}

struct interval bounds_of_angle(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){-3.1416f, 3.1416f};
}

/* The polynomials of these two may overshoot by a rounding. */
struct interval bounds_of_sine(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){-1.0001f, 1.0001f};
}

struct interval bounds_of_smoothstep_rows(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){-0.0001f, 1.0001f};
}

/* Flat outside the edges. */
struct interval bounds_of_smoothstep(const struct operation_operands *of)
{
    const float *k = of->operation->k;
    const float ends[2] = {(of->bounds[0].low - k[0]) * k[1], (of->bounds[0].high - k[0]) * k[1]};
    const bool is_low = ends[0] <= 0.0f && ends[1] <= 0.0f;
    const bool is_high = ends[0] >= 1.0f && ends[1] >= 1.0f;
    if (is_low || is_high)
        return truth_interval(is_high, is_low);
    return bounds_of_smoothstep_rows(of);
}

struct interval bounds_of_exp(const struct operation_operands *of)
{
    (void)of;
    return (struct interval){0.0f, FLT_MAX};
}

struct interval bounds_of_spline(const struct operation_operands *of)
{
    const struct spline *spline = &of->program->splines[of->operation->table_index];
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
struct interval bounds_of_log(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0];
    const float high = power_log(a.high);
    if (a.low > 0.0f)
        return widened(power_log(a.low), high);
    return a.high > 0.0f ? widened(-104.0f, max_float(high, 0.0f)) : (struct interval){0.0f, 0.0f};
}

/* Between the corners of the operands' intervals a power of positive numbers is monotone in both.
 * One that is too large for a float is 0. Of negative numbers only whole powers are not 0. */
struct interval bounds_of_power(const struct operation_operands *of)
{
    const struct interval v = of->bounds[0], e = of->bounds[1];
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

/* ---- arithmetic */

struct interval bounds_of_sum(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return finite_interval(a.low + b.low, a.high + b.high);
}

struct interval bounds_of_difference(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return finite_interval(a.low - b.high, a.high - b.low);
}

struct interval bounds_of_product(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return ends_interval((float[]){a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

struct interval bounds_of_quotient(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    if (b.low <= 0.0f && b.high >= 0.0f)
        return unbounded;
    return ends_interval((float[]){a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

struct interval bounds_of_minimum(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return finite_interval(min_float(a.low, b.low), min_float(a.high, b.high));
}

struct interval bounds_of_maximum(const struct operation_operands *of)
{
    const struct interval a = of->bounds[0], b = of->bounds[1];
    return finite_interval(max_float(a.low, b.low), max_float(a.high, b.high));
}

/* ---- all */

void program_bound(const struct program *program, struct operation *operation)
{
    operation_bounds *const rule = operation_rows[operation->code].bounds;
    struct operation_operands all = {.program = program, .operation = operation};
    struct operation_operands usual = {.program = program, .operation = operation, .usual = true};
    for (int i = 0; i < 3; i++) {
        const int32_t value = operation->operands[i];
        const struct operation *operand = value >= 0 ? &program->operations[value] : NULL;
        const struct interval number = {operation->k[0], operation->k[0]};
        all.bounds[i] = operand ? operand->bounds : number;
        usual.bounds[i] = operand ? operand->usual : number;
    }
    operation->bounds = rule ? rule(&all) : unbounded;
    operation->usual = rule ? rule(&usual) : unbounded;
    operation->finite = !is_unbounded(operation->bounds);
}
