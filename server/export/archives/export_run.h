/* Makes the tiles of an export on several threads and puts them into spools, in their order. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_EXPORT_RUN_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_EXPORT_RUN_H

#include "server/export/archives/tile_range.h"
#include "server/export/spool/spool_run.h"
#include "server/render/tile_maker.h"

/* One of the archives that are made in one walk over the tiles. */
struct export_output {
    struct tile_order order; /* of each tile, but for its address */
    struct spool *spool;
};

struct export_run {
    const struct tile_range *range;
    uint64_t first,
        end; /* which tiles of the range; spools have a beginning of them, equally long */
    const struct export_output *outputs;
    unsigned output_count;
    unsigned threads;          /* 1 … EXPORT_THREADS_MAX */
    struct progress *progress; /* may be null */
};

/* True when all tiles are there, and on the disk; false with an error that names the tile, or
 * without one if the progress has ended the run: what is there can be continued. */
bool export_run(const struct export_run *run, struct error *error);

/* Makes some tiles, spread evenly over the run, for a second or two. */
bool export_estimate(const struct export_run *run, struct export_estimate *estimate,
                     struct error *error);

#endif
