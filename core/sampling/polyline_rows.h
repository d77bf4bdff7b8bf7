/* Rows of the operations OP_POLYLINE_… Internal to the sampler. */
#ifndef TERRANE_SAMPLING_POLYLINE_ROWS_H
#define TERRANE_SAMPLING_POLYLINE_ROWS_H

#include "core/base/work_meter.h"
#include "core/polylines/nearest.h"
#include "core/program/row_kernels_position.h"

/* Samples a side of a square that is searched at once, in a grid. */
enum { POLYLINE_SQUARE = 16 };

struct polyline_rows {
    const struct program *program;
    const struct operation *operation;
    const struct band *band;
    const float *const *moved; /* rows of metres of the world by which places are moved, or null */
    struct work_meter *meter;
};
/* A place of the world, moved by (dx, dy) metres, in the plane of the polyline. */
struct polyline_position polyline_rows_position(const struct polyline_view *view,
                                                struct place place, double dx, double dy);
/* Writes the samples of the band. False if the meter has stopped; then they are of no use. */
bool polyline_rows_run(const struct polyline_rows *rows, float *out);

#endif
