/* The slope of the ground over a distance, at a list of places: for objects that stand on it.
 *
 * The ground's height is sampled on a lattice through the world's origin, `step` apart, at the
 * level of detail of that step (octaves finer than two steps are left out). Within a cell of the
 * lattice the height is bilinear between its four corners, and the result is the slope of that
 * surface. So it depends on the place alone and not on the list, and a list of neighbours costs
 * rows of one grid instead of several samples at full detail for each place. */
#ifndef TERRANE_TERRAIN_STEEPNESS_H
#define TERRANE_TERRAIN_STEEPNESS_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

struct steepness_request {
    const struct place *places; /* within ±(2⁴⁰ + 2²⁴) m */
    size_t count;
    int64_t step; /* 2⁻¹⁶ m, above 0 and at most 2¹⁷ m */
};

/* Writes each place's rise over run, 0 or more, into out[0 … count). One grid over the smallest
 * rectangle that holds all places is sampled. False with ERROR_MEMORY. */
bool steepness_at(struct sampler *sampler, const struct world *world,
                  const struct steepness_request *request, float *out, struct error *error);

#endif
