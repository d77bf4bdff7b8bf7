/* One octave over the rows of a grid whose columns and rows lie along its lattice, for bases that
 * interpolate between the corners of cells: the noise alone, or with its gradient.
 *
 * Line hashes and weights are computed once for each column, and a lattice row is hashed once for
 * all rows of samples between it and the next. Going south, the lower lattice row becomes the
 * upper. A row of samples is then a polynomial in its height in the cell, with coefficients by
 * column. Internal to this folder. */
#ifndef TERRANE_NOISE_LATTICE_ROWS_H
#define TERRANE_NOISE_LATTICE_ROWS_H

#include "core/noise/sample_positions.h"

/* An octave over a block: the weights of each column, and the coefficients of the pair of lattice
 * rows that the last row of samples lay between. */
struct lattice_rows {
    uint32_t columns;
    bool with_gradient;
    uint32_t *line_left, *line_right; /* the hashes of the lattice lines around each column */
    struct kernel_weights weights;
    struct kernel_slopes slopes;
    struct kernel_pair pair[2]; /* of the noise; with gradients also of its derivative by x */
    int64_t cell;               /* of the pair's upper row */
    bool valid;
};

/* Bytes of the arrays of one octave. */
size_t lattice_rows_bytes(uint32_t columns, bool with_gradient);
/* Lays the arrays out from *memory on, and moves *memory behind them. The caller then fills in the
 * lines, and calls lattice_rows_finish() with the columns' positions in their cells. */
void lattice_rows_begin(struct lattice_rows *rows, uint32_t columns, bool with_gradient,
                        char **memory);
void lattice_rows_finish(struct lattice_rows *rows, enum noise_interpolation interpolation,
                         const float *t, float amplitude);

/* Adds the octave to a band of rows. */
void lattice_rows_add(struct lattice_rows *rows, const struct prepared_octave *octave,
                      const struct row_band *band, float *out);
/* Sets the noise and its gradient for the row at y. Only with gradients. */
void lattice_rows_gradient(struct lattice_rows *rows, const struct prepared_octave *octave,
                           int64_t y, const struct kernel_out *out);

#endif
