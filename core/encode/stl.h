/* A grid of heights as a closed solid in binary STL, for 3-D printers: the ground, four walls and a
 * flat base. Every edge belongs to two triangles, which run along it in opposite directions, and
 * normals point outwards.
 *
 * STL's axes: X is east, Y is north, Z is up, so that nothing is mirrored; the south-west corner is
 * at X = Y = 0, and Z = 0 is sea level. Units are millimetres. Two triangles for each square, two
 * for each edge of the border as wall, and the base as a fan around its middle.
 *
 *     head | ground, row by row from the north | walls and base
 *
 * so that it can be written as rows are sampled. */
#ifndef TERRANE_ENCODE_STL_H
#define TERRANE_ENCODE_STL_H

#include "core/base/buffer.h"

enum { STL_HEAD = 84, STL_TRIANGLE = 50 /* bytes */ };

struct stl_shape {
    uint32_t columns, rows; /* samples, at least 2 each */
    double step;            /* millimetres from sample to sample */
    double scale;           /* millimetres of a metre of height */
};

/* Triangles, of the whole and of the ground alone; a file has at most 2³²−1. */
uint64_t stl_triangles(const struct stl_shape *shape);
uint64_t stl_ground_triangles(const struct stl_shape *shape);

void stl_write_head(const struct stl_shape *shape, struct buffer *out);
/* Appends `rows` rows of squares; `samples` are the heights in metres of the rows from `first` to
 * first + rows, `stride` from one to the next. */
struct stl_rows {
    uint32_t first, rows;
    const float *samples;
    size_t stride;
};
void stl_write_ground(const struct stl_shape *shape, const struct stl_rows *rows,
                      struct buffer *out);

/* Appends walls and base. `heights` are those of the samples of the border, once around
 * counter-clockwise seen from above, from the north-west corner to the south first; in metres, all
 * above the base. */
void stl_write_sides(const struct stl_shape *shape, const float *heights, double base,
                     struct buffer *out);

#endif
