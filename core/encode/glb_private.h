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
    uint32_t first_row;     /* of vertices that the grid has samples of, behind its ring */
    uint32_t across, down;  /* squares that the texture spans */
    size_t image_bytes;     /* of the texture, behind the indices; 0 for none */
    float low[3], high[3];  /* of the positions */
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
/* Sets the sizes that follow from columns, rows and border; the texture spans all squares. */
void glb_measure(struct glb_mesh *mesh);
/* Appends the indices of the squares below some rows of vertices. */
void glb_write_squares(const struct glb_mesh *mesh, uint32_t first, uint32_t rows,
                       struct buffer *out);
/* Appends the text of the JSON chunk. */
void glb_write_json(const struct glb_mesh *mesh, struct buffer *out);
enum { GLB_JSON = 0x4E4F534A, GLB_BINARY = 0x004E4942 }; /* "JSON"; "BIN" and a zero */
/* Appends the attribute of some rows of vertices. */
void glb_write_rows(const struct glb_mesh *mesh, const struct glb_attribute *attribute,
                    uint32_t first, uint32_t rows, struct buffer *out);
/* Appends the attribute of all vertices: of the ground, row by row, then of the skirt. */
void glb_write_attribute(const struct glb_mesh *mesh, const struct glb_attribute *attribute,
                         struct buffer *out);
/* Sets the bounds of the positions: x, y and z. */
void glb_find_bounds(struct glb_mesh *mesh);
/* The column and row of the k-th vertex of the border: once around, from the north-west along the
 * west, south, east and north, which is counter-clockwise from above. The one behind the last is
 * the first. */
void glb_border_place(const struct glb_mesh *mesh, size_t k, uint32_t *i, uint32_t *j);
/* Stores a number in place, low byte first: appending each number of a mesh would be slow. Returns
 * the place behind it. */
uint8_t *glb_store_le(uint8_t *at, uint32_t value, unsigned bytes);

#endif
