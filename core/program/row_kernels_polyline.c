/* Rows of points along polylines: at stations, which are few. */
#include "core/polylines/nearest.h"
#include "core/program/row_kernels.h"

void run_polyline_point(const struct program *program, const struct operation *operation,
                        size_t count, const float *const operands[3], float *out)
{
    const struct polyline *line = program->polyline_views[operation->table_index].line;
    const int axis = operation->k[1] != 0.0f;
    for (size_t i = 0; i < count; i++)
        out[i] = (float)polyline_point(line, (double)operands[0][i], axis);
}
