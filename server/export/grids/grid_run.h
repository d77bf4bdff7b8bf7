/* Makes the tiles of an export for engines on several threads, in bands of rows, and writes them to
 * their folder in their order. Memory does not grow with the size of tiles. */
#ifndef TERRANE_SERVER_EXPORT_GRIDS_GRID_RUN_H
#define TERRANE_SERVER_EXPORT_GRIDS_GRID_RUN_H

#include "server/export/grids/grid_folder.h"

struct grid_run {
    struct grid_plan plan;
    struct grid_folder *folder;     /* null for an estimate */
    unsigned threads;               /* 1 … IN_ORDER_THREADS_MAX */
    struct drainage_cache *network; /* streams and land, which the threads share */
    struct progress *progress;      /* of rows, by any thread but one at a time; may be null */
};

/* Makes the tiles that are not made. False with an error that names the tile, or without one if
 * the progress has ended the run. A height that the scale does not hold is ERROR_LIMIT. */
bool grid_run(const struct grid_run *run, struct error *error);

/* Makes some bands, spread evenly over all tiles, for a second or two: the seconds of all tiles on
 * the threads of the run. Finds most areas that the scale does not hold. */
bool grid_estimate(const struct grid_run *run, double *seconds, struct error *error);

#endif
