/* Lists of places that are sampled in an order of their own. Internal to this folder. */
#ifndef TERRANE_SAMPLING_ORDERED_POINTS_H
#define TERRANE_SAMPLING_ORDERED_POINTS_H

#include "core/sampling/sampler_nested.h"

/* Scratch memory. All zero to begin with. */
struct ordered_points {
    struct place_key *keys; /* two for each place */
    struct place *places;
    float *samples;
    size_t capacity; /* places */
};
void ordered_points_free(struct ordered_points *order);

/* As sampler_nested_points(), for a program with a drainage network and any list: places that are
 * near each other are sampled together, wherever they are in the list. */
bool ordered_points_sample(struct ordered_points *order, struct sampler *sampler,
                           const struct program *program, const struct sample_points *points,
                           const struct sampler_operations *wanted);

#endif
