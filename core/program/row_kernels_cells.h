/* Samples of a band in the square cells of a scope, found some at once. */
#ifndef TERRANE_PROGRAM_ROW_KERNELS_CELLS_H
#define TERRANE_PROGRAM_ROW_KERNELS_CELLS_H

#include "core/noise/cells.h"
#include "core/program/row_kernels_position.h"

enum { SOME_CELLS = NOISE_ROW_MAX }; /* samples at once */

/* Samples of one row in their cells, by axis: which cell, and where in it, 0 … 1. */
struct some_cells {
    int64_t cell[2][SOME_CELLS];
    float t[2][SOME_CELLS];
};

/* A part of a row of the band: at most SOME_CELLS samples from `first` on. */
struct band_part {
    size_t first, count;
};

/* Finds the cells of a part, moved by moved[0][i], moved[1][i] metres of the world; i counts from
 * the first sample of the band, and both may be null. */
void some_cells_find(const struct noise_cells *cells, const struct band *band,
                     struct band_part part, const float *const moved[2], struct some_cells *found);

#endif
