/* How steep, how hollow and how rough land is: slopes, samples in valleys by their form, and the
 * power of heights by octaves of wavelengths. */
#ifndef TERRANE_BENCH_LAND_SHAPE_H
#define TERRANE_BENCH_LAND_SHAPE_H

#include <stddef.h>

#include "tests/bench/land/flow.h"

/* Writes the slope, a rise over a distance, of each counted sample (flow.h) that is not under
 * water; returns how many there are. By Horn's formula (1981) as gdaldem has it, from the eight
 * neighbours, `spacing` metres apart. The margin must be at least 1. */
size_t land_slopes(const struct land_grid *grid, double spacing, float *slopes);

/* The number of counted samples that are not under water and are the highest of none of the four
 * squares of 2 × 2 samples that they belong to (Peucker and Douglas 1975). They lie along the
 * middle of valleys, however small: unlike lines by the number of samples upstream, they are fewer
 * where small valleys are missing. The margin must be at least 1. */
uint32_t land_valley_samples(const struct land_grid *grid);

/* Wavelengths of 2 to 4, 4 to 8, … 32 to 64 samples. */
enum { LAND_OCTAVES = 5 };
/* The power, in square metres, of heights in each octave of wavelengths: a sine of amplitude A
 * along any direction has A² / 2 in the octave of its wavelength. The sea is level. By a discrete
 * Fourier transform in two dimensions of the samples within the margin, whose number must be a
 * power of two along a side, less their mean, under a Hann window in both directions (Harris 1978).
 */
void land_power(const struct land_grid *grid, double power[LAND_OCTAVES]);

#endif
