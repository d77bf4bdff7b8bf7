/* The sum of a noise's octaves over a row of samples, for grids and for lists of places. Internal
 * to this folder. */
#ifndef TERRANE_NOISE_FRACTAL_H
#define TERRANE_NOISE_FRACTAL_H

#include "core/noise/kernels.h"

/* The amplitude that an octave's kernels get: the scale of the basis to −1 … 1, and for plain sums
 * also the octave's share and level of detail. */
float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing);
/* True if the octave has any detail at this spacing. Wavelengths fall from octave to octave, so all
 * octaves after one without detail have none. */
bool fractal_octave_is_active(const struct noise *noise, unsigned octave, double spacing);
/* True if octaves are simply added, each with its amplitude. */
bool fractal_is_plain_sum(const struct noise *noise);
/* True if the sum needs the gradients of its octaves. */
bool fractal_needs_gradient(const struct noise *noise);

/* The octaves of a noise over a row of the caller's: `add` adds octave `octave` to out->n, or sets
 * out->n, x and y if x is not null. */
struct fractal_source {
    const struct noise *noise;
    double spacing; /* level of detail */
    void (*add)(const void *context, unsigned octave, const struct kernel_out *out);
    const void *context;
};
/* Writes `count` samples of the noise to `out`. */
void fractal_row(const struct fractal_source *source, uint32_t count, struct noise_scratch *scratch,
                 float *out);

#endif
