/* The sampler as its files see it: sampler.c cuts a call into bands, sampler_evaluate.c evaluates
 * them. */
#ifndef TERRANE_SAMPLING_SAMPLER_PRIVATE_H
#define TERRANE_SAMPLING_SAMPLER_PRIVATE_H

#include "core/sampling/coarse.h"
#include "core/sampling/drainage_plan.h"
#include "core/sampling/ordered_points.h"
#include "core/sampling/sampler.h"
#include "core/sampling/sampler_nested.h"
#include "core/sampling/sampler_plan.h"

struct sampler_memory {
    char *bytes;
    size_t size;
};

/* The band whose samples are computed, and the call that it belongs to. */
struct sampler {
    struct noise_scratch scratch;
    struct sampling_plan plan;
    struct sampler_memory rows, grids;
    size_t row_bytes;
    uint32_t uniform_rows; /* how many are filled */
    uint32_t free_count;   /* of recycled rows */
    const struct program *program;
    struct sampler_operations wanted;
    int32_t operations[SAMPLER_LAYERS_MAX]; /* wanted, if layers are */
    struct band band;
    struct coarse *coarse; /* null before the first call that needs it; likewise */
    struct drainage_plan *drainage;
    struct ordered_points order;
    struct sampler_kept own; /* unless it is nested */
    struct sampler_kept *kept;
    bool failed; /* memory or work was out in a band of this call */
    /* In the caller's outputs: the band's first sample, and the distance between rows. */
    size_t output_offset, output_stride;
    uint32_t band_rows, rows_left; /* of a grid: rows of a full band; rows after this band */
};

/* sampler_evaluate.c: memory for a band's results, once the call is planned. False when memory is
 * out. */
bool sampler_reserve_rows(struct sampler *sampler, size_t samples);
/* Memory for the noises of a block of columns, whose position and width are those of the band. They
 * are prepared when they are first evaluated, as guards may skip them everywhere. */
bool sampler_reserve_grids(struct sampler *sampler);
/* Lets the requested layers be computed in the caller's rows. */
void sampler_use_output_rows(struct sampler *sampler);
/* Evaluates the requested layers in the band; their samples are then in the caller's rows. */
void sampler_run_band(struct sampler *sampler);

#endif
