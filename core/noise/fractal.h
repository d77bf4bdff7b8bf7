/* How octaves add up to a noise: the part that grids and lists of places share. Internal to this
 * folder. */
#ifndef TERRANE_NOISE_FRACTAL_H
#define TERRANE_NOISE_FRACTAL_H

#include "core/noise/kernels.h"

/* The amplitude an octave's kernels are run with: the basis' scale to −1 … 1, and for sums the
 * octave's share and level of detail. */
float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing);
/* Whether an octave has any detail at this spacing. Wavelengths fall from octave to octave, so once
 * one has none, the following have none. */
bool fractal_octave_counts(const struct noise *noise, unsigned octave, double spacing);
/* Whether an octave's noise is folded (|n|) before it is added: all fractals but fBm. */
bool fractal_folds(const struct noise *noise);
/* Folds octave `octave` and adds it to out: its noise is scratch->one, and scratch->weight goes
 * from octave to octave. */
void fractal_fold(const struct noise *noise, unsigned octave, double spacing, uint32_t count,
                  struct noise_scratch *scratch, float *out);
/* Adds the means of octaves `first` and all after it, which have no detail left. */
void fractal_fold_rest(const struct noise *noise, unsigned first, uint32_t count, float *weight,
                       float *out);

#endif
