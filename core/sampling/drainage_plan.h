/* drainage(): the program's drainage network (core/drainage), sampled in the scopes of formulas.
 *
 * A sampler has a struct drainage_plan: which outputs of the network a call needs in which scope,
 * that is, in which of the program's node grids. The first operation of a scope that is evaluated
 * in a band samples all outputs that the call needs there, as they share nearly all of the work;
 * the others copy theirs.
 *
 * Samples are looked up in the network's cells at the level of detail that noises have in the
 * scope, by the arithmetic of noises (core/noise/cells.h). The network's fields are sampled by a
 * nested sampler, in the scope of the world, at a height and time of 0. */
#ifndef TERRANE_SAMPLING_DRAINAGE_PLAN_H
#define TERRANE_SAMPLING_DRAINAGE_PLAN_H

#include <stdbool.h>

#include "core/program/program.h"
#include "core/program/row_kernels_position.h"

struct drainage_plan;
struct sampler_kept;

/* A plan of a sampler, with the streams that it keeps. Null when memory is out. */
struct drainage_plan *drainage_plan_new(struct sampler_kept *kept);
void drainage_plan_free(struct drainage_plan *plan);

/* Begins a call, whose level of detail is `spacing` metres; false when memory is out. Then adds the
 * operations OP_DRAINAGE that it needs. */
bool drainage_plan_begin(struct drainage_plan *plan, const struct program *program, double spacing);
void drainage_plan_add(struct drainage_plan *plan, uint32_t operation);
/* The network of the call, until the next one begins. */
const struct drainage_network *drainage_plan_network(const struct drainage_plan *plan);

/* Begins a band of a grid, after which so many rows follow. */
void drainage_plan_begin_band(struct drainage_plan *plan, uint32_t rows_after);
/* The samples of an operation in the band, moved by moved[0][i], moved[1][i] metres; both may be
 * null. They last until the next band. Null when memory is out. */
const float *drainage_plan_run(struct drainage_plan *plan, uint32_t operation,
                               const struct band *band, const float *const moved[2]);

#endif
