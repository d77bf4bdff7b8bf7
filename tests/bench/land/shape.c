/* Figures of the form of land. The power is found by Fourier transforms of all rows, then of all
 * columns. */
#include "tests/bench/land/shape.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "tests/bench/measure.h"

size_t land_slopes(const struct land_grid *grid, double spacing, float *slopes)
{
    const uint32_t side = grid->side;
    size_t count = 0;
    for (uint32_t y = grid->margin; y < side - grid->margin; y++)
        for (uint32_t x = grid->margin; x < side - grid->margin; x++) {
            if (grid->under[y * side + x])
                continue;
            const float *north = &grid->heights[(y - 1) * side + x], *here = north + side,
                        *south = here + side;
            const double east = (double)north[1] + 2.0 * (double)here[1] + (double)south[1];
            const double west = (double)north[-1] + 2.0 * (double)here[-1] + (double)south[-1];
            const double above = (double)north[-1] + 2.0 * (double)north[0] + (double)north[1];
            const double below = (double)south[-1] + 2.0 * (double)south[0] + (double)south[1];
            slopes[count++] = (float)(hypot(east - west, below - above) / (8 * spacing));
        }
    return count;
}

/* True if no other sample is higher in the square of 2 × 2 samples that reaches from `here` to the
 * side dx, dy, each −1 or 1. */
static bool is_highest(const float *here, ptrdiff_t side, int dx, int dy)
{
    const float *beside = here + dx, *across = here + dy * side;
    return *beside <= *here && *across <= *here && across[dx] <= *here;
}

uint32_t land_valley_samples(const struct land_grid *grid)
{
    const uint32_t side = grid->side;
    uint32_t count = 0;
    for (uint32_t y = grid->margin; y < side - grid->margin; y++)
        for (uint32_t x = grid->margin; x < side - grid->margin; x++) {
            const float *here = &grid->heights[y * side + x];
            count += !grid->under[y * side + x] && !is_highest(here, side, -1, -1) &&
                     !is_highest(here, side, 1, -1) && !is_highest(here, side, -1, 1) &&
                     !is_highest(here, side, 1, 1);
        }
    return count;
}

/* The discrete Fourier transform of `count` values, a power of two, `stride` apart, in place: each
 * half's transform, then their sums (Cooley and Tukey 1965). `scratch` has room for as many. */
static void transform(double complex *values, double complex *scratch, uint32_t count,
                      uint32_t stride)
{
    if (count == 1)
        return;
    transform(values, scratch, count / 2, 2 * stride);
    transform(values + stride, scratch, count / 2, 2 * stride);
    for (uint32_t i = 0; i < count / 2; i++) {
        const double angle = -2 * M_PI * i / count;
        const double complex even = values[2 * (size_t)i * stride];
        const double complex odd =
            values[(2 * (size_t)i + 1) * stride] * (cos(angle) + I * sin(angle));
        scratch[i] = even + odd;
        scratch[i + count / 2] = even - odd;
    }
    for (uint32_t i = 0; i < count; i++)
        values[(size_t)i * stride] = scratch[i];
}

/* The Hann window, 0 … 1, at sample i of `count`. */
static double hann(uint32_t i, uint32_t count)
{
    const double half = sin(M_PI * (i + 0.5) / count);
    return half * half;
}

/* Fills size × size values with heights less their mean, under the window; returns the sum of the
 * squares of the window. */
static double fill_window(const struct land_grid *grid, uint32_t size, double complex *values)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < size * size; i++) {
        const size_t at = (size_t)(grid->margin + i / size) * grid->side + grid->margin + i % size;
        values[i] = fmax((double)grid->heights[at], 0);
        mean += creal(values[i]) / ((double)size * size);
    }
    for (uint32_t i = 0; i < size * size; i++) {
        const double weight = hann(i / size, size) * hann(i % size, size);
        values[i] = (values[i] - mean) * weight;
        squares += weight * weight;
    }
    return squares;
}

/* The octave of a frequency in cycles a sample, −1 if it is in none: shorter than 2 samples are
 * waves along a diagonal. */
static int octave_of(double frequency)
{
    const int octave = (int)floor(-log2(frequency)) - 1;
    return octave < LAND_OCTAVES ? octave : -1;
}

void land_power(const struct land_grid *grid, double power[LAND_OCTAVES])
{
    const uint32_t size = grid->side - 2 * grid->margin;
    double complex *values = measure_memory(sizeof *values * size * size);
    double complex *scratch = measure_memory(sizeof *scratch * size);
    const double squares = fill_window(grid, size, values);
    for (uint32_t i = 0; i < size; i++)
        transform(values + (size_t)i * size, scratch, size, 1);
    for (uint32_t i = 0; i < size; i++)
        transform(values + i, scratch, size, size);
    for (int octave = 0; octave < LAND_OCTAVES; octave++)
        power[octave] = 0;
    for (uint32_t i = 1; i < size * size; i++) { /* all but the mean */
        const double x = fmin(i % size, size - i % size), y = fmin(i / size, size - i / size);
        const int octave = octave_of(hypot(x, y) / size);
        if (octave >= 0)
            power[octave] += creal(values[i] * conj(values[i])) / (squares * size * size);
    }
    free(values);
    free(scratch);
}
