/* How long noise takes, in nanoseconds of one core of the machine of tests/bench/README.md,
 * estimated without sampling it: prices are made of it, and work is counted by it while it is done.
 */
#ifndef TERRANE_NOISE_WORK_H
#define TERRANE_NOISE_WORK_H

#include "core/noise/evaluation_path.h"
#include "core/noise/noise.h"

#define NOISE_CELLS_MAX 2.0 /* from a sample to the next; beyond, nothing is shared any more */
#define NOISE_PLACE 3.0     /* to find the cell of a place that may be anywhere */

/* True if octaves are sampled with their gradients. */
bool noise_needs_gradient(const struct noise_settings *settings);
/* The time of an octave for a sample, with so many cells from a sample to the next: its fold, its
 * gradient, and that share of the evaluation itself. */
double noise_octave_work(const struct noise *noise, enum evaluation_path path, double cells,
                         double share);

/* The time of a sample, roughly, for counting work while it is done: it takes less time than
 * price_noise() (core/price/noise.h). `places`: of a list, not of a grid. */
float noise_sample_work(const struct noise *noise, bool displaced, bool places, double spacing);

#endif
