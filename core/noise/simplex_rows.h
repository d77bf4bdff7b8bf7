/* Simplex noise of two and three dimensions over the rows of a grid: its lattice's rows lie along
 * them, so a row of lattice points is hashed once for each column and serves all sample rows within
 * reach. Internal to this folder. */
#ifndef TERRANE_NOISE_SIMPLEX_ROWS_H
#define TERRANE_NOISE_SIMPLEX_ROWS_H

#include "core/noise/sample_positions.h"

/* The points at the left and right of each column in one kind of row: hashes of their lines, and
 * wavelengths from them. */
struct simplex_columns {
    uint32_t *line[2];
    float *x[2];
};

/* A lattice row under the columns: the gradients at their left and right, x by the way there. */
struct simplex_row {
    int64_t cell[2]; /* its number, and its plane's */
    bool valid;
    float *along[2], *y[2], *z[2];
};

/* An octave over a block: its columns, and the rows around the last row of samples. A cell's four
 * rows differ in the lowest bits of their numbers, and have their places by these. */
struct simplex_rows {
    struct simplex_columns columns[2]; /* of rows as they are, and of those moved by half */
    struct simplex_row rows[2][2];     /* by plane and row */
    float amplitude;
};

/* Bytes of the arrays of one octave. */
size_t simplex_rows_bytes(uint32_t columns);
/* Lays the arrays out from *memory on, which moves behind them. */
void simplex_rows_begin(struct simplex_rows *rows, uint32_t columns, char **memory);
/* A column's cell and place in it; the lattice keys of the cell before, its own and the next. */
void simplex_rows_column(struct simplex_rows *rows, uint32_t column, uint32_t low, float t,
                         const uint32_t key[3]);
/* Once all columns are there: wavelengths for cells, and what the noise is multiplied by. */
void simplex_rows_finish(struct simplex_rows *rows, uint32_t columns, unsigned dimensions,
                         float amplitude);

/* Adds the octave to rows of samples: the first one's y and the way to the next; `columns` is also
 * from one row of `out` to the next. */
struct simplex_band {
    int64_t y, step;
    uint32_t columns, rows;
};
void simplex_rows_add(struct simplex_rows *rows, const struct prepared_octave *octave,
                      const struct simplex_band *band, float *out);

#endif
