/* Runs operations on rows of samples. Every result is finite: infinities and NaNs become 0. */
#ifndef TERRANE_PROGRAM_ROW_KERNELS_H
#define TERRANE_PROGRAM_ROW_KERNELS_H

#include "core/program/program.h"

/* Runs any operation but those on positions (OP_X … OP_NOISE) over `count` samples. `operands` are
 * the rows of a, b and c, null for constants and absent ones. `out` must not overlap them. */
void row_kernel_run(const struct program *program, const struct operation *operation, size_t count,
                    const float *const operands[3], float *out);

/* row_kernels_spline.c: the spline at `count` samples. `a` and `out` must not overlap. */
void row_kernel_spline(size_t count, const float *a, const struct spline *spline, float *out);

/* row_kernels_fused.c: an OP_FUSED. */
void row_kernel_fused(const struct operation *operation, size_t count,
                      const float *const operands[3], float *out);

/* The zeros in a row: some samples are 0, all are, or none is. */
enum row_zeros { ROW_SOME_ZERO, ROW_ALL_ZERO, ROW_NONE_ZERO };
enum row_zeros row_kernel_zeros(size_t count, const float *row);

#endif
