/* Makes the blocks of a raster in a spool, on several threads: those of level 0 from the world, and
 * those of overviews from the blocks of the level below in the spool. */
#ifndef TERRANE_SERVER_EXPORT_RASTERS_RASTER_RUN_H
#define TERRANE_SERVER_EXPORT_RASTERS_RASTER_RUN_H

#include "server/export/rasters/raster_plan.h"
#include "server/export/spool/spool_run.h"

/* Appends a block as a file holds it: the pixels of `window`, row by row. */
typedef bool raster_encoder(const struct raster_plan *plan, const struct raster_window *window,
                            void *pixels, struct buffer *out, struct error *error);

struct raster_run {
    const struct raster_plan *plan;
    raster_encoder *encode;         /* null: tiles of the plan's layout */
    struct spool *spool;            /* has a beginning of the blocks */
    unsigned threads;               /* 1 … IN_ORDER_THREADS_MAX */
    struct drainage_cache *network; /* streams and land, which the threads share */
    struct progress *progress;      /* in blocks; may be null */
};

/* As spool_run(). */
bool raster_run(const struct raster_run *run, struct error *error);
/* From blocks of level 0; overviews are a third of them. */
bool raster_run_estimate(const struct raster_run *run, struct export_estimate *estimate,
                         struct error *error);

#endif
