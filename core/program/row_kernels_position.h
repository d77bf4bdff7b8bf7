/* The rows of operations on positions: coordinates, cycles and distances. */
#ifndef TERRANE_PROGRAM_ROW_KERNELS_POSITION_H
#define TERRANE_PROGRAM_ROW_KERNELS_POSITION_H

#include "core/program/program.h"

/* The samples of a band: rows of a grid, one after the other, or a list of places. */
struct band {
    struct noise_uniforms uniforms;
    size_t count;               /* samples */
    const struct place *places; /* null for a grid: */
    int64_t x, y, step;         /* the first sample, the distance to its neighbours (2⁻¹⁶ m) */
    uint32_t columns, rows;
};

/* Sets `count` samples to one value. */
void row_kernel_fill(size_t count, float value, float *out);
/* Limits `count` samples to a range. */
void row_kernel_limit(size_t count, float least, float most, float *values);
/* The metres of x (east) or y of each sample. */
void row_kernel_coordinates(const struct band *band, bool east, float *out);
/* The position of each sample in a cycle, 0 … 1, after a move by moved[i] metres along it; `moved`
 * may be null. */
void row_kernel_cycle(const struct band *band, const struct cycle *cycle, const float *moved,
                      float *out);
/* The metres from each sample to the centre, after a move by moved[0][i] and moved[1][i] metres;
 * both may be null. */
void row_kernel_distance(const struct band *band, const struct place *centre,
                         const float *const moved[2], float *out);

#endif
