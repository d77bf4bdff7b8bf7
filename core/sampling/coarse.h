/* coarse(): an operation sampled at nodes, and interpolated between them.
 *
 * Nodes lie at whole multiples of a spacing on the x and y of a scope, which warp(), rotate(),
 * scale() and moves reach from the place by the arithmetic of noises (core/noise/cells.h). They are
 * sampled in the scope of the world, at the request's z and t, with a level of detail of half the
 * spacing. So the samples of a grid, of a chunk and of a point agree bit for bit, wherever a tile
 * begins, and none depends on which nodes are kept.
 *
 * A sampler has a struct coarse: the plan of the operations OP_COARSE that a request needs. Those
 * that share spacing, scope and use of z and t are a group, whose nodes are sampled together. In a
 * grid along the nodes, the rectangle of nodes under a block is loaded once; a moved or turned grid
 * loads the rectangle that its samples reach; single places, and grids whose samples are so far
 * apart that most nodes of the rectangle were of no use, load the nodes around each place. */
#ifndef TERRANE_SAMPLING_COARSE_H
#define TERRANE_SAMPLING_COARSE_H

#include <stdbool.h>

#include "core/program/program.h"
#include "core/program/row_kernels_position.h"

struct coarse;
struct sampler_kept;

/* The share of e itself, when samples are `metres` apart in the level of detail and nodes `spacing`
 * metres: 0 up to a quarter of the spacing, 1 from half of it on, smooth between. It depends on
 * nothing else, so no edge can be seen where nodes give way to e. */
static inline float coarse_direct_share(double metres, float spacing)
{
    const double along = 4.0 * metres / (double)spacing - 1.0;
    if (along <= 0.0)
        return 0.0f;
    return along >= 1.0 ? 1.0f : (float)(along * along * (3.0 - 2.0 * along));
}

/* Drops the operands that are not evaluated with the samples of a call: of OP_COARSE the one that
 * is sampled at nodes, of OP_BY_SPACING one that has no share. */
void coarse_drop_operands(const struct operation *operation, double metres, int32_t operands[3]);

/* A plan of a sampler, with the nodes that it keeps. Null when memory is out. */
struct coarse *coarse_new(struct sampler_kept *kept);
void coarse_free(struct coarse *coarse);

/* Begins a call, then adds the operations OP_COARSE that it needs. False when memory is out. */
bool coarse_begin(struct coarse *coarse, const struct program *program,
                  const struct noise_uniforms *uniforms);
bool coarse_add(struct coarse *coarse, uint32_t operation);

/* Begins a block of columns of a grid. */
void coarse_begin_block(struct coarse *coarse);
/* Begins a band of rows, of which, and of the rows after it, the block has rows_left; or a list of
 * places. */
void coarse_begin_band(struct coarse *coarse, uint32_t rows_left);
/* Writes the samples of an operation in the band, moved by moved[0][i], moved[1][i] metres; both
 * may be null. False when memory is out. */
bool coarse_run(struct coarse *coarse, uint32_t operation, const struct band *band,
                const float *const moved[2], float *out);

/* OP_BY_SPACING: rows[0] are samples of nodes and rows[1] those of e, null if it has no share. */
void coarse_by_spacing(size_t count, const float *const rows[2], double metres, float spacing,
                       float *out);

#endif
