/* The samples of a band in the cells of a scope: for coarse() and drainage(), which look their
 * samples up in cells. Internal to this folder. */
#ifndef TERRANE_SAMPLING_BAND_CELLS_H
#define TERRANE_SAMPLING_BAND_CELLS_H

#include <stdbool.h>

#include "core/noise/cells.h"
#include "core/program/row_kernels_position.h"

/* Makes room for at least `count` items, and for half as many more if it grows; what they were is
 * lost. False when memory is out. */
bool band_reserve(void *items, size_t *capacity, size_t count, size_t size);

/* The square cells of a scope. Before displacement a cell is limited to ± `limit`. */
struct scope_cells {
    struct noise_cells cells;
    int64_t limit;
};

/* Rows of samples in their cells, whose memory is kept from band to band. */
struct band_cells {
    struct noise_cells_samples at;
    size_t capacity;
};
/* Finds the cells of all samples of a band, moved by moved[0][i], moved[1][i] metres; both may be
 * null. False when memory is out. */
bool band_cells_find(struct band_cells *found, const struct scope_cells *scope,
                     const struct band *band, const float *const moved[2]);
void band_cells_free(struct band_cells *found);

#endif
