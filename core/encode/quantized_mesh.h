/* A grid of heights as a tile of terrain on a globe, in Cesium's format quantized-mesh-1.0
 * (https://github.com/CesiumGS/quantized-mesh).
 *
 * The world's central square is Web Mercator's (core/tile/mercator.h), so each vertex has a
 * longitude and a latitude, and stands at its height in metres over the ellipsoid WGS 84. In the
 * file a vertex has the part of the tile's degrees at which it lies, in 15 bits each: of rows that
 * are equally far apart on the map, those of a large tile are not equally far apart in degrees.
 * Heights are in 15 bits between the least and the greatest.
 *
 * Vertices are numbered in the order in which the triangles use them first, as the encoding of
 * indices requires: row by row from the north-west, but for the first two rows, which alternate. */
#ifndef TERRANE_ENCODE_QUANTIZED_MESH_H
#define TERRANE_ENCODE_QUANTIZED_MESH_H

#include "core/base/error.h"
#include "core/encode/samples.h"

enum {
    QUANTIZED_MESH_VERSION = 1,    /* changes when the bytes for the same samples do */
    QUANTIZED_MESH_SIDE_MAX = 256, /* vertices a side: their numbers have 16 bits */
};

/* The name of the extension with the normals of vertices, in the header Accept and in documents. */
#define QUANTIZED_MESH_NORMALS "octvertexnormals"

/* Appends the file. Around the mesh the grid has one ring of samples more, for normals that are
 * those of the neighbouring tile at a common vertex; so the mesh has columns − 2 by rows − 2
 * vertices, 2 … QUANTIZED_MESH_SIDE_MAX each, all of them within ±2²⁴ m. `normals`: whether that
 * extension follows. Layer and unit are not written. False, with nothing
 * appended, when memory is out or the mesh is too small or too large. */
bool quantized_mesh_write(const struct sample_raster *grid, bool normals, struct buffer *out,
                          struct error *error);

#endif
