/* The functions that compute rows from rows. Every result is finite: infinities and NaNs become 0.
 */
#ifndef TERRANE_PROGRAM_ROW_KERNELS_H
#define TERRANE_PROGRAM_ROW_KERNELS_H

#include "core/program/operation_row.h"

/* run_<name>() of each row of operations.def that is a ROW_OPERATION. */
#define OPERATION(...)
#define BAND_OPERATION(...)
#define ROW_OPERATION(id, name, ...) operation_run run_##name;
#include "core/program/operations.def"

/* Runs such an operation over `count` samples; see operation_run. */
static inline void row_kernel_run(const struct program *program, const struct operation *operation,
                                  size_t count, const float *const operands[3], float *out)
{
    operation_rows[operation->code].run(program, operation, count, operands, out);
}

/* row_kernels_spline.c: the spline at `count` samples. `a` and `out` must not overlap. */
void row_kernel_spline(size_t count, const float *a, const struct spline *spline, float *out);

/* The zeros in a row: some samples are 0, all are, or none is. */
enum row_zeros { ROW_SOME_ZERO, ROW_ALL_ZERO, ROW_NONE_ZERO };
enum row_zeros row_kernel_zeros(size_t count, const float *row);

#endif
