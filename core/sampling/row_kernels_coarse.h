/* The interpolation of coarse(): a uniform cubic B-spline over square cells of nodes.
 *
 * A sample at tx, ty in its cell, 0 … 1, is the sum of the 4 × 4 nodes around the cell, weighed by
 * x first and then by y. Along an axis the weights of t are (1 − t)³/6, (3t³ − 6t² + 4)/6, (−3t³ +
 * 3t² + 3t + 1)/6 and t³/6 (C. de Boor, "A Practical Guide to Splines", 1978): not negative, with
 * the sum 1. So the sum is n1 + (((n0 − n1)·w0 + (n2 − n1)·w2) + (n3 − n1)·w3), which keeps
 * constants exactly. The spline smooths the nodes and is twice differentiable.
 *
 * All functions evaluate the same float expressions in the same order, so their samples agree bit
 * for bit. Nodes are within ±COARSE_NODE_MAX, so no sum overflows. */
#ifndef TERRANE_SAMPLING_ROW_KERNELS_COARSE_H
#define TERRANE_SAMPLING_ROW_KERNELS_COARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/program/program.h"

/* The columns of a block in their cells. Node columns are numbered from the first one of the row
 * that is expanded; a column lies between nodes node[i] + 1 and node[i] + 2. */
struct coarse_columns {
    uint32_t count;
    uint32_t span_count;                    /* runs of columns that lie in one cell */
    uint32_t span_first[NOISE_ROW_MAX + 1]; /* their first columns, and the count */
    uint32_t cell_columns;                  /* 2, 4 or 8 columns a cell, alike; or 0 */
    _Alignas(64) uint32_t node[NOISE_ROW_MAX];
    _Alignas(64) float weights[3][NOISE_ROW_MAX];
};
/* Finds the spans and weights of count columns; node is filled in, and t is each one's position in
 * its cell. */
void row_kernel_coarse_columns(struct coarse_columns *columns, uint32_t count, const float *t);

/* Four rows of nodes, expanded to the columns: those around the cells of one row. */
struct coarse_band {
    bool valid;
    int64_t top; /* the uppermost row */
    float *row[4];
    _Alignas(64) float memory[4][NOISE_ROW_MAX];
};

/* Rows of samples in one row of cells. */
struct coarse_rows {
    int64_t top;        /* the row of nodes above the cells, as the caller counts them */
    const float *nodes; /* that row, and three more */
    size_t pitch;       /* nodes from a row to the next */
    uint32_t count;
    const float *t; /* of each row in its cell */
};
/* Writes the samples of rows × columns->count. Rows of nodes that `band` has are not expanded
 * again; a band is of one field and of one preparation of the columns. */
void row_kernel_coarse_rows(const struct coarse_columns *columns, const struct coarse_rows *rows,
                            struct coarse_band *band, float *out);

/* Limits cells to ± `limit`. */
void row_kernel_limit_cells(size_t count, int64_t limit, int64_t *cell);
/* The least and the greatest of count cells. */
void row_kernel_cell_range(size_t count, const int64_t *cell, int64_t *low, int64_t *high);
/* first[i] = the number of the first of the 4 × 4 nodes around cell x[i], y[i], row by row of
 * `pitch` nodes from west, north on. */
void row_kernel_first_nodes(size_t count, const int64_t *const cell[2], const int64_t origin[2],
                            uint32_t pitch, uint32_t *first);

/* Samples at any places: sample i is at tx[i], ty[i] in the cell whose first node is
 * nodes[first[i]]. */
struct coarse_samples {
    const uint32_t *first;
    const float *tx, *ty;
};
void row_kernel_coarse_samples(uint32_t count, const struct coarse_samples *samples,
                               const float *nodes, size_t pitch, float *out);

/* out[i] = a[i] + (b[i] − a[i]) · share, or 0 if that is infinite. */
void row_kernel_mix(size_t count, const float *a, const float *b, float share, float *out);

#endif
