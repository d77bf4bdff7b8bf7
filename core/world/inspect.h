/* What the layers of a world are made of, and what they cost together. */
#ifndef TERRANE_WORLD_INSPECT_H
#define TERRANE_WORLD_INSPECT_H

#include "core/world/world.h"

/* Noise evaluations (octaves) that one sample of all these layers needs at full detail: what they
 * share counts once. False when memory is out. */
bool inspect_cost(const struct world *world, const unsigned *layers, unsigned count, unsigned *cost,
                  struct error *error);

/* What one sample of all these layers takes at so many metres between samples, in octaves of
 * two-dimensional noise: octaves that are faded out there do not count, those of a place that was
 * moved count more than once, and every few of the other operations count as one. Whatever the
 * seed, it is the same. */
unsigned inspect_work(const struct world *world, const unsigned *layers, unsigned count,
                      double spacing);

/* A noise or fractal in a layer's formula. */
struct inspect_noise {
    double wavelength; /* metres, of its first octave */
    unsigned octaves;
    unsigned active_octaves; /* octaves that are not faded out at the spacing asked for */
};

enum { INSPECT_NOISES_MAX = 64 };

/* A layer's noises at a level of detail, without those that it has from the layers it names. */
struct inspect_layer {
    unsigned layer; /* which is asked for, */
    double spacing; /* at so many metres between samples */
    unsigned count; /* the answer: the first INSPECT_NOISES_MAX */
    struct inspect_noise noises[INSPECT_NOISES_MAX];
};

/* False when memory is out. */
bool inspect_noises(const struct world *world, struct inspect_layer *inspected,
                    struct error *error);

#endif
