/* How much the samples of an operation change in a metre, at most about: prices are made of it, as
 * it tells how far displacement moves neighbours apart. A function for each kind of operation,
 * which its row names.
 *
 * Slopes follow the chain rule, with the usual bounds of the operands (operation_bounds.c) for
 * their samples. What jumps, or may be infinitely steep, has the slope FLT_MAX. */
#include "core/program/operation_slopes.h"

#include <float.h>

#include "core/base/lanes.h"

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

/* ---- places: they move by so many metres in a metre */

float slope_of_coordinate(const struct operation_operands *of)
{
    (void)of;
    return 1.0f;
}

float slope_of_cycle(const struct operation_operands *of)
{
    return (1.0f + of->slopes[0]) / of->program->cycles[of->operation->table_index].period;
}

float slope_of_distance(const struct operation_operands *of)
{
    return 1.0f + of->slopes[0] + of->slopes[1];
}

float slope_of_offset(const struct operation_operands *of)
{
    return 1.0f + of->slopes[0];
}

float slope_of_polyline_distance(const struct operation_operands *of)
{
    const double scale = of->program->polyline_views[of->operation->table_index].scale;
    return slope_of_distance(of) / (float)scale;
}

/* What belongs to the nearest point jumps where another point becomes that. */
float slope_of_polyline_jumps(const struct operation_operands *of)
{
    (void)of;
    return FLT_MAX;
}

float slope_of_noise(const struct operation_operands *of)
{
    return (1.0f + of->slopes[0] + of->slopes[1]) *
           noise_slope(of->program->noises[of->operation->table_index], of->operation->usual);
}

/* Numbers and places jump from one cell to the next. */
float slope_of_cells(const struct operation_operands *of)
{
    (void)of;
    return FLT_MAX;
}

/* Each octave is as steep as the first: 2π over its wavelength. */
float slope_of_gullies(const struct operation_operands *of)
{
    const double wavelength = of->program->node_grids[of->operation->table_index].scale;
    return (1.0f + of->slopes[0] + of->slopes[1]) * of->operation->k[0] *
           (float)(6.283185307179586 / wavelength);
}

/* Distances jump on ridges. */
float slope_of_drainage(const struct operation_operands *of)
{
    (void)of;
    return FLT_MAX;
}

float slope_of_coarse(const struct operation_operands *of)
{
    return of->slopes[0] * (1.0f + of->slopes[1] + of->slopes[2]);
}

/* ---- curves */

float slope_of_smoothstep(const struct operation_operands *of)
{
    return 1.5f * __builtin_fabsf(of->operation->k[1]) * of->slopes[0];
}

float slope_of_spline(const struct operation_operands *of)
{
    return spline_slope(&of->program->splines[of->operation->table_index]) * of->slopes[0];
}

/* Steeper the nearer to 0. */
float slope_of_log(const struct operation_operands *of)
{
    if (slope_greatest(of) == 0.0f)
        return 0.0f;
    return of->bounds[0].low > 0.0f ? of->slopes[0] / of->bounds[0].low : FLT_MAX;
}

/* e·v^(e − 1), for a constant exponent: steepest at one of the ends, and there e times the power by
 * v. */
float slope_of_power(const struct operation_operands *of)
{
    const struct operation *operation = of->operation;
    const struct interval v = of->bounds[0];
    const float e = operation->k[0];
    const float power = e >= 0.0f && e < 1.0f ? operation->usual.low : operation->usual.high;
    if (slope_greatest(of) == 0.0f)
        return 0.0f;
    if (operation->b >= 0 || v.low < 0.0f || v.high <= 0.0f || (e < 1.0f && v.low <= 0.0f))
        return FLT_MAX;
    return __builtin_fabsf(e) * power / (e < 1.0f ? v.low : v.high) * of->slopes[0];
}

/* ---- arithmetic */

float slope_greatest(const struct operation_operands *of)
{
    return max_float(max_float(of->slopes[0], of->slopes[1]), of->slopes[2]);
}

float slope_of_sum(const struct operation_operands *of)
{
    return of->slopes[0] + of->slopes[1];
}

float slope_of_product(const struct operation_operands *of)
{
    return size_of(of->bounds[0]) * of->slopes[1] + size_of(of->bounds[1]) * of->slopes[0];
}

float slope_of_quotient(const struct operation_operands *of)
{
    const float least = max_float(of->bounds[1].low, -of->bounds[1].high);
    if (least <= 0.0f)
        return FLT_MAX;
    return (of->slopes[0] + size_of(of->operation->usual) * of->slopes[1]) / least;
}

float slope_of_choice(const struct operation_operands *of)
{
    return of->slopes[0] > 0.0f ? FLT_MAX : slope_greatest(of);
}

/* ---- all */

/* Of what jumps, unless it has one sample only. */
static float slope_of_jumps(const struct operation_operands *of)
{
    return slope_greatest(of) > 0.0f ? FLT_MAX : 0.0f;
}

void program_find_slope(const struct program *program, struct operation *operation)
{
    operation_slope *const rule = operation_rows[operation->code].slope;
    struct operation_operands of = {.program = program, .operation = operation, .usual = true};
    for (int i = 0; i < 3; i++) {
        const int32_t value = operation->operands[i];
        const struct operation *operand = value >= 0 ? &program->operations[value] : NULL;
        of.bounds[i] =
            operand ? operand->usual : (struct interval){operation->k[0], operation->k[0]};
        of.slopes[i] = operand ? operand->slope : 0.0f;
    }
    operation->slope = min_float(rule ? rule(&of) : slope_of_jumps(&of), FLT_MAX);
}
