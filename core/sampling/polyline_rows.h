/* Rows of the operations OP_POLYLINE_… Internal to the sampler. */
#ifndef TERRANE_SAMPLING_POLYLINE_ROWS_H
#define TERRANE_SAMPLING_POLYLINE_ROWS_H

#include "core/base/work_meter.h"
#include "core/program/row_kernels_position.h"

struct polyline_rows {
    const struct program *program;
    const struct operation *operation;
    const struct band *band;
    const float *const *moved; /* rows of metres of the world by which places are moved, or null */
    struct work_meter *meter;
};
/* Writes the samples of the band. False if the meter has stopped; then they are of no use. */
bool polyline_rows_run(const struct polyline_rows *rows, float *out);

#endif
