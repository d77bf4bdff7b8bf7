/* The ground of a rectangle as a mesh in one file: GLB for engines and modelling programs, binary
 * STL for 3-D printers. Rows are sampled in bands by several threads and written where they belong,
 * so that memory does not grow with the area; the bytes do not depend on the threads. */
#ifndef TERRANE_SERVER_EXPORT_MESHES_MESH_H
#define TERRANE_SERVER_EXPORT_MESHES_MESH_H

#include "core/base/place.h"
#include "core/tile/style.h"
#include "server/base/progress.h"
#include "server/render/names.h"

struct mesh_plan {
    const struct mesh_kind *kind;
    int64_t box[4];         /* what was asked for: west, north, east, south, 2⁻¹⁶ m */
    int64_t step;           /* 2⁻¹⁶ m */
    uint32_t columns, rows; /* vertices: the fewest that cover the box from its north-west corner */
    int64_t t;
    const struct world *world;
    const struct painter *painter; /* of the colours, of kinds that have some */
    double scale;                  /* of kinds in millimetres: 1 : scale */
    bool has_base;                 /* it is given; else it lies below the lowest place */
    double base;                   /* metres */
};

/* The kind of a path by its extension, in upper or lower case; null if it is no mesh. */
const struct mesh_kind *mesh_kind_of(const char *path);
const char *mesh_kind_name(const struct mesh_kind *kind);
/* The endings of names, ".glb, .stl". Returns the text. */
const char *mesh_kind_names(char text[FORMAT_NAMES_TEXT]);
bool mesh_kind_is_coloured(const struct mesh_kind *kind);
bool mesh_kind_is_solid(const struct mesh_kind *kind); /* it has scale and base */

/* Sets columns and rows by the box and step. False with ERROR_LIMIT if the file would be larger
 * than its format allows. */
bool mesh_cover(struct mesh_plan *plan, struct error *error);
uint64_t mesh_triangles(const struct mesh_plan *plan);
/* Bytes of the file, at most. */
uint64_t mesh_bytes_max(const struct mesh_plan *plan);

struct mesh_run {
    struct mesh_plan plan;
    int file;                       /* open for writing, empty and seekable */
    unsigned threads;               /* 1 … IN_ORDER_THREADS_MAX */
    struct drainage_cache *network; /* streams and land, which the threads share */
    struct progress *progress;      /* of rows, by any thread but one at a time; may be null */
};

/* Makes some bands, spread evenly over the area, and some rows of the picture, for a second or two:
 * about how long mesh_write() takes. Needs no file. */
bool mesh_estimate(const struct mesh_run *run, double *seconds, struct error *error);
/* Writes the file. Without an error if the progress has ended the work. */
bool mesh_write(const struct mesh_run *run, struct error *error);

#endif
