/* How octaves add up to a noise: the part that grids and lists of places share. Internal to this
 * folder. */
#ifndef TERRANE_NOISE_FRACTAL_H
#define TERRANE_NOISE_FRACTAL_H

#include "core/noise/kernels.h"

/* The amplitude an octave's kernels are run with: the basis' scale to −1 … 1, and for sums the
 * octave's share and level of detail. */
float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing);
/* Octaves 0 … count−1 have any detail at this spacing. Wavelengths may also grow (lacunarity < 1).
 */
bool fractal_octave_counts(const struct noise *noise, unsigned octave, double spacing);
/* Adds ridged octave `octave` to out: n is its noise, or null where it has no detail left and its
 * mean stands in. */
void fractal_ridge(const struct noise *noise, unsigned octave, double spacing, uint32_t count,
                   const float *n, float *weight, float *out);

#endif
