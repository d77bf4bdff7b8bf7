/* How octaves add up to a noise: the part that grids and lists of places share. Internal to this
 * folder. */
#ifndef TERRANE_NOISE_FRACTAL_H
#define TERRANE_NOISE_FRACTAL_H

#include "core/noise/kernels.h"

/* The amplitude an octave's kernels are run with: the basis' scale to −1 … 1, and for plain sums
 * the octave's share and level of detail. */
float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing);
/* Whether an octave has any detail at this spacing. Wavelengths fall from octave to octave, so once
 * one has none, the following have none. */
bool fractal_octave_is_active(const struct noise *noise, unsigned octave, double spacing);
/* Whether octaves are simply added, each with its amplitude. */
bool fractal_is_plain_sum(const struct noise *noise);
/* Whether gradients are needed. */
bool fractal_needs_gradient(const struct noise *noise);

/* Octaves over a row of samples, from wherever they come: `add` adds octave `octave` to out->n, or
 * sets n, x and y. */
struct fractal_source {
    void (*add)(const void *context, unsigned octave, const struct kernel_out *out);
    const void *context;
};
/* The whole noise of `count` samples, a multiple of NOISE_LANES, into out. */
void fractal_row(const struct noise *noise, double spacing, uint32_t count,
                 const struct fractal_source *source, struct noise_scratch *scratch, float *out);

#endif
