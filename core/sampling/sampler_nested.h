/* Sampling operations of a program, rather than layers, for the nodes of coarse() and of the
 * drainage network. Internal to this folder. */
#ifndef TERRANE_SAMPLING_SAMPLER_NESTED_H
#define TERRANE_SAMPLING_SAMPLER_NESTED_H

#include "core/base/work_meter.h"
#include "core/program/program.h"
#include "core/sampling/sample_request.h"

struct sampler;

/* What a sampler keeps from call to call, and shares with the samplers nested in it. All is made
 * when it is first needed. */
struct sampler_kept {
    struct work_meter work; /* of all of them together */
    struct node_store *nodes;
    struct drainage *drainage;
    struct sampler *fields;       /* samples the network's fields */
    struct drainage_cache *cache; /* of networks; null: one of SAMPLER_MEMORY_DEFAULT is made */
};

struct drainage_cache *sampler_kept_cache(struct sampler_kept *kept); /* as sampler_cache() */

/* A sampler that shares what another one keeps; null when memory is out. */
struct sampler *sampler_new_nested(struct sampler_kept *kept);
void sampler_free_nested(struct sampler *sampler); /* null is allowed */

struct sampler_operations {
    const int32_t *operations;
    float *const *outputs;
    unsigned count;
};
/* As sampler_grid() and sampler_points(), for places up to ±2⁴⁶ m. False when memory is out. */
bool sampler_nested_grid(struct sampler *sampler, const struct program *program,
                         const struct sample_grid *grid, const struct sampler_operations *wanted);
bool sampler_nested_points(struct sampler *sampler, const struct program *program,
                           const struct sample_points *points,
                           const struct sampler_operations *wanted);

#endif
