/* The rows of operations on positions: coordinates, cycles, distances and offsets; and the bands
 * that these and cells (row_kernels_cells.c) are computed for. */
#ifndef TERRANE_PROGRAM_ROW_KERNELS_POSITION_H
#define TERRANE_PROGRAM_ROW_KERNELS_POSITION_H

#include "core/program/operation_row.h"

/* The samples of a band: rows of a grid, one after the other, or a list of places. */
struct band {
    struct noise_uniforms uniforms;
    size_t count;               /* samples */
    const struct place *places; /* null for a grid: */
    int64_t x, y, step;         /* the first sample, the distance to its neighbours (2⁻¹⁶ m) */
    uint32_t columns, rows;
};

/* Targets of OP_OFFSET that are farther from the origin, metres, count as so far. */
#define OFFSET_TARGET_MAX 0x1p46f

/* Sets `count` samples to one value. */
void row_kernel_fill(size_t count, float value, float *out);
/* Limits `count` samples to a range. */
void row_kernel_limit(size_t count, float least, float most, float *values);

/* run_<name>() of each row of operations.def that is a BAND_OPERATION. */
#define OPERATION(...)
#define ROW_OPERATION(...)
#define BAND_OPERATION(id, name, ...) operation_run_band run_##name;
#include "core/program/operations.def"

#endif
