/* A grid of heights as a mesh in a binary glTF 2.0 file (GLB), for engines and modelling programs.
 *
 * glTF's axes: X is east, Y is up, Z is south, all in metres; so x of the world is X, y is Z, and a
 * height is Y. Vertices are relative to the first one, the north-west one, whose place the node
 * tells in its `extras`: far from the origin a float would not hold it. Two triangles for each
 * square, seen from above counter-clockwise; indices are 16-bit where they can be.
 *
 * A skirt is a vertical strip below the border, seen from outside: it hides the gap to a
 * neighbouring mesh of another step, whose border has other heights between common vertices. It
 * shares the border's vertices, and its lower vertices have the normals, colours and texture
 * coordinates of those above them, so that it is lit and coloured like the ground beside it.
 *
 * Texture coordinates are (0, 0) at the north-west vertex and (1, 1) at the south-east one. The
 * material is white, matt and seen from above only; colours of vertices, if there are any, multiply
 * it. They are linear in the file, as glTF has them (section 3.7.2.1), in 16 bits a channel,
 * because 8 would not tell dark colours apart. */
#ifndef TERRANE_ENCODE_GLB_H
#define TERRANE_ENCODE_GLB_H

#include "core/base/error.h"
#include "core/encode/samples.h"
#include "core/tile/image.h"

enum {
    GLB_VERSION = 2,     /* changes when the bytes for the same samples do */
    GLB_SIDE_MAX = 4096, /* vertices a side */
    GLB_SHARES_MAX = 16,
    GLB_SKIRT_MAX = 65536, /* metres */
};

/* Colours and materials of a mesh, besides its shape. */
struct glb_extras {
    const struct image *colours; /* a pixel for each vertex, in sRGB; or null */
    /* Shares of materials: planes of a whole number from 0 to 255 for each vertex, one after the
     * other, and their names. They become attributes of four normalized bytes, _MATERIALS_0 the
     * first four of them and so on; 0 is where there are no more. The mesh's extras list the names
     * as `materials`. */
    const float *shares;
    const char *const *share_names;
    unsigned share_count; /* 0 … GLB_SHARES_MAX */
    double skirt;         /* its height in metres, at most GLB_SKIRT_MAX; 0 for none */
};

/* Appends the file. Around the mesh the grid has one ring of samples more, for normals (by central
 * differences) that are those of the neighbouring mesh at the same place: so the mesh has columns −
 * 2 by rows − 2 vertices, 2 … GLB_SIDE_MAX each. The layer's name becomes the mesh's; `origin` is
 * the grid's first sample's, in the ring. False, with nothing appended, when memory is out or the
 * mesh is too small or too large.
 */
bool glb_write(const struct sample_raster *grid, const struct glb_extras *extras,
               struct buffer *out, struct error *error);

#endif
