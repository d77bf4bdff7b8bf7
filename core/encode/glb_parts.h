/* The mesh of glb.h in parts, for grids that are larger than memory: every part has its place in
 * the file before any sample is known, so that rows can be written in any order and by any thread;
 * the head comes last, when the bounds and the length of the picture are known.
 *
 *     head | positions | normals | texture coordinates | indices | picture (PNG)
 *
 * The picture colours the mesh: its pixels lie over `pixel` × `pixel` squares each, from the
 * north-west vertex on, and the last ones may reach beyond the mesh. */
#ifndef TERRANE_ENCODE_GLB_PARTS_H
#define TERRANE_ENCODE_GLB_PARTS_H

#include "core/encode/glb.h"

enum {
    GLB_PART_COUNT = 4,          /* that have rows: all but head and picture */
    GLB_PICTURE_SIDE_MAX = 8192, /* pixels: what most graphics processors can have at least */
};

struct glb_shape {
    const char *layer;      /* the mesh's name */
    uint32_t columns, rows; /* vertices, at least 2 each */
    int64_t step;           /* 2⁻¹⁶ m */
    struct place origin;    /* of the north-west vertex */
};

/* Squares across a pixel of the picture, and its pixels. */
uint32_t glb_picture_pixel(const struct glb_shape *shape);
uint32_t glb_picture_columns(const struct glb_shape *shape);
uint32_t glb_picture_rows(const struct glb_shape *shape);

/* Bytes of the file, at most: it must not be more than 2³²−1. */
uint64_t glb_bytes_max(const struct glb_shape *shape);
/* Where the picture begins. */
uint64_t glb_picture_offset(const struct glb_shape *shape);

/* Some rows of vertices, and the samples around them: a row more at the north and the south, and a
 * column more at the west and the east. */
struct glb_rows {
    uint32_t first, rows;
    const float *samples;
};
/* Appends what the part has of those rows, and returns its place in the file. The indices of a row
 * are those of the squares to its south. */
uint64_t glb_part_rows(const struct glb_shape *shape, unsigned part, const struct glb_rows *rows,
                       struct buffer *out);
/* Appends the head, for the beginning of the file. `heights` are the least and the
 * greatest sample of all vertices. Behind the picture zeros follow until `*length`, the file's. */
void glb_part_head(const struct glb_shape *shape, const float heights[2], uint64_t picture_bytes,
                   uint64_t *length, struct buffer *out);

#endif
