/* A mesh in the making: its vertices and their attributes (glb_vertices.c), and the file around
 * them (glb.c). For these two files only. */
#ifndef TERRANE_ENCODE_GLB_PRIVATE_H
#define TERRANE_ENCODE_GLB_PRIVATE_H

#include "core/encode/glb.h"

enum {
    GLB_SHARES_EACH = 4, /* materials in an attribute */
    GLB_ATTRIBUTES_MAX = 4 + GLB_SHARES_MAX / GLB_SHARES_EACH,
};

struct glb_mesh;

/* An attribute of vertices; all its values stand together in the file. */
struct glb_attribute {
    const char *name, *type; /* the type as members of the accessor */
    size_t bytes;            /* of a vertex */
    uint8_t *(*store)(const struct glb_mesh *mesh, uint32_t i, uint32_t j, uint8_t *at);
    unsigned first_share; /* of shares of materials */
};

struct glb_mesh {
    const struct sample_raster *grid;
    const struct glb_extras *extras;
    unsigned first_share;   /* of the attribute being written */
    uint16_t linear[256];   /* of a channel in sRGB */
    uint32_t columns, rows; /* of vertices */
    size_t border;          /* vertices of the skirt; 0 without one */
    size_t vertices, indices;
    const struct glb_attribute *attributes[GLB_ATTRIBUTES_MAX];
    unsigned attribute_count;
    unsigned index_bytes;
    double step;    /* metres */
    double skirt;   /* metres that the vertices of the skirt lie below the border; 0 for none */
    double lowered; /* metres that the vertices being written lie below the ground */
};

/* Chooses the attributes that the mesh has data of, and prepares their colours. */
void glb_choose_attributes(struct glb_mesh *mesh);
/* Appends the attribute of all vertices: of the ground, row by row, then of the skirt. */
void glb_write_attribute(const struct glb_mesh *mesh, const struct glb_attribute *attribute,
                         struct buffer *out);
/* Writes the bounds of the positions: x, y and z. */
void glb_find_bounds(const struct glb_mesh *mesh, float low[3], float high[3]);
/* The column and row of the k-th vertex of the border: once around, from the north-west along the
 * west, south, east and north, which is counter-clockwise from above. The one behind the last is
 * the first. */
void glb_border_place(const struct glb_mesh *mesh, size_t k, uint32_t *i, uint32_t *j);
/* Stores a number in place, low byte first: appending each number of a mesh would be slow. Returns
 * the place behind it. */
uint8_t *glb_store_le(uint8_t *at, uint32_t value, unsigned bytes);

#endif
