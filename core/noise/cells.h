/* A plane divided into square cells: the cell of a place, and the place in it, by the same exact
 * arithmetic as the lattices of noises (lattice.h), so that both move together in a scope. */
#ifndef TERRANE_NOISE_CELLS_H
#define TERRANE_NOISE_CELLS_H

#include "core/noise/noise.h"

struct noise_cells {
    int64_t form[2][2]; /* by axis: 2⁻⁶⁴ cell for 2⁻¹⁶ m of x and of y */
    int128 origin[2];
    float displacement[2][2]; /* by axis: cells a metre of dx and of dy */
};

/* Cells that are `side` metres of the world wide, NOISE_WAVELENGTH_MIN … NOISE_WAVELENGTH_MAX, of
 * a plane that lies in the world as `domain` says. */
void noise_cells_prepare(struct noise_cells *cells, const struct noise_domain *domain, double side);

/* True if an axis depends on one coordinate alone: the first on x, the second on y. */
bool noise_cells_are_along(const struct noise_cells *cells);

/* Samples in their cells: which cell, by axis, and where in it, 0 … 1. */
struct noise_cells_samples {
    int64_t *cell[2];
    float *t[2];
};
/* Places along x: from `first` on, `step` units apart. */
struct noise_cells_places {
    struct place first;
    int64_t step;
    size_t count;
};
/* Writes one axis of the samples at the places of a row. Fast up to NOISE_ROW_MAX. */
void noise_cells_row(const struct noise_cells *cells, unsigned axis,
                     const struct noise_cells_places *row,
                     const struct noise_cells_samples *samples);
/* Any places. */
void noise_cells_list(const struct noise_cells *cells, unsigned axis, const struct place *places,
                      size_t count, const struct noise_cells_samples *samples);
/* Moves the samples by dx[i], dy[i] metres of the world: by at most 2²¹ cells. */
void noise_cells_displace(const struct noise_cells *cells, const float *dx, const float *dy,
                          size_t count, const struct noise_cells_samples *samples);

#endif
