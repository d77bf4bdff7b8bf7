/* Simplex noise of two and three dimensions over the rows of a grid. The rows of its lattice lie
 * along them (see simplex.h), so a row of lattice points is hashed once for each column and serves
 * all sample rows within its radius. Internal to this folder. */
#ifndef TERRANE_NOISE_SIMPLEX_ROWS_H
#define TERRANE_NOISE_SIMPLEX_ROWS_H

#include "core/noise/sample_positions.h"

/* The points to the left and right of each column, in even rows or in shifted ones: the hashes of
 * their lines, and the distances from them in wavelengths. */
struct simplex_columns {
    uint32_t *line[2];
    float *x[2];
};

/* A lattice row under the columns: the gradients of the points to their left and right. `along` is
 * the gradient's x times the distance; `x` is for the noise's own gradient. */
struct simplex_row {
    int64_t cell[2]; /* its number, and its plane's */
    bool valid;
    float *along[2], *x[2], *y[2], *z[2];
};

/* An octave over a block: its columns, and the lattice rows around the last row of samples. The
 * four rows around a cell differ in the lowest bits of their numbers, which are their indices here.
 */
struct simplex_rows {
    struct simplex_columns columns[2]; /* of even rows, and of shifted ones */
    struct simplex_row rows[2][2];     /* by plane and row */
    float amplitude;
};

/* Bytes of the arrays of one octave. */
size_t simplex_rows_bytes(uint32_t columns);
/* Lays the arrays out from *memory on, and moves *memory behind them. */
void simplex_rows_begin(struct simplex_rows *rows, uint32_t columns, char **memory);
/* Sets a column: the low half of its cell, its position in it, and the lattice keys of the cell
 * before, of its own and of the next. */
void simplex_rows_column(struct simplex_rows *rows, uint32_t column, uint32_t low, float t,
                         const uint32_t key[3]);
/* To be called when all columns are set. Distances become wavelengths; the noise is multiplied by
 * `amplitude`. */
void simplex_rows_finish(struct simplex_rows *rows, uint32_t columns, unsigned dimensions,
                         float amplitude);

/* Adds the octave to a band of rows. */
void simplex_rows_add(struct simplex_rows *rows, const struct prepared_octave *octave,
                      const struct row_band *band, float *out);
/* Sets the noise and its gradient for the row at y. */
void simplex_rows_gradient(struct simplex_rows *rows, const struct prepared_octave *octave,
                           uint32_t columns, int64_t y, const struct kernel_out *out);

#endif
