/* Sampling operations of a world, rather than layers, for the nodes of coarse(). Internal to this
 * folder. */
#ifndef TERRANE_WORLD_SAMPLER_NESTED_H
#define TERRANE_WORLD_SAMPLER_NESTED_H

#include "core/world/sampler.h"

struct node_reader;

/* A sampler whose nodes are kept in the store of `reader`; null when memory is out. */
struct sampler *sampler_new_nested(struct node_reader *reader);

struct sampler_operations {
    const int32_t *operations;
    float *const *outputs;
    unsigned count;
};
/* As sampler_grid() and sampler_points(), for places up to ±2⁴⁶ m. False when memory is out. */
bool sampler_nested_grid(struct sampler *sampler, const struct world *world,
                         const struct sample_grid *grid, const struct sampler_operations *wanted);
bool sampler_nested_points(struct sampler *sampler, const struct world *world,
                           const struct sample_points *points,
                           const struct sampler_operations *wanted);

#endif
