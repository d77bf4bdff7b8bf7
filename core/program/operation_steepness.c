/* How much an operation can change from a place to one a metre away, at most, in metres of the
 * world: its Lipschitz constant, by the rules of sums and products. For warps, which must not fold
 * the plane; so only what they are made of is known, sums of smooth noises. */
#include "core/program/operation_steepness.h"

#include <math.h>
#include <stdlib.h>

#include "core/noise/basis.h"

/* The greatest gradient of one octave, in cells. */
static double basis_steepness(const struct noise *noise)
{
    const double *steepness = basis_variant_of(noise)->steepness;
    const bool is_known = noise->settings.axes == NOISE_XY && steepness;
    return is_known ? steepness[noise->settings.interpolation] : INFINITY;
}

static double noise_steepness(const struct noise *noise)
{
    const struct noise_settings *settings = &noise->settings;
    const bool sums = settings->fractal == NOISE_SINGLE || settings->fractal == NOISE_FBM;
    double steepness = 0.0;
    if (!sums || settings->result != NOISE_SAMPLE || settings->damping > 0.0f)
        return INFINITY;
    for (unsigned i = 0; i < settings->octaves; i++)
        steepness += (double)noise->octaves[i].share / noise->octaves[i].wavelength;
    return steepness * basis_steepness(noise);
}

double steepness_of_constant(const struct program *program, const struct operation *operation,
                             const double operands[3])
{
    (void)program, (void)operation, (void)operands;
    return 0.0;
}

double steepness_of_coordinate(const struct program *program, const struct operation *operation,
                               const double operands[3])
{
    (void)program, (void)operation, (void)operands;
    return 1.0;
}

/* Operands move it. */
double steepness_of_noise(const struct program *program, const struct operation *operation,
                          const double operands[3])
{
    return (1.0 + operands[0] + operands[1]) *
           noise_steepness(program->noises[operation->table_index]);
}

/* No distance changes by more than the place moves. */
double steepness_of_polyline_distance(const struct program *program,
                                      const struct operation *operation, const double operands[3])
{
    return (1.0 + operands[0] + operands[1]) /
           program->polyline_views[operation->table_index].scale;
}

double steepness_of_sum(const struct program *program, const struct operation *operation,
                        const double operands[3])
{
    (void)program, (void)operation;
    return operands[0] + operands[1];
}

/* Of a product by a number. */
double steepness_of_product(const struct program *program, const struct operation *operation,
                            const double operands[3])
{
    (void)program;
    if (operation->a >= 0 && operation->b >= 0)
        return INFINITY;
    return fabs((double)operation->k[0]) * (operands[0] + operands[1]);
}

bool program_find_steepness(const struct program *program, int32_t value, double *steepness)
{
    double *all = malloc(((size_t)value + 1) * sizeof *all);
    for (int32_t i = 0; all && i <= value; i++) {
        const struct operation *operation = &program->operations[i];
        operation_steepness *const rule = operation_rows[operation->code].steepness;
        double operands[3];
        for (int k = 0; k < 3; k++) /* one that is missing is a number */
            operands[k] = operation->operands[k] < 0 ? 0.0 : all[operation->operands[k]];
        all[i] = rule ? rule(program, operation, operands) : INFINITY;
    }
    if (all)
        *steepness = all[value];
    free(all);
    return all != NULL;
}
