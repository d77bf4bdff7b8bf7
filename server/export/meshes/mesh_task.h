/* A mesh in the making, and the functions of its kind. For server/export/meshes only. */
#ifndef TERRANE_SERVER_EXPORT_MESHES_MESH_TASK_H
#define TERRANE_SERVER_EXPORT_MESHES_MESH_TASK_H

#include "server/export/meshes/mesh.h"

enum { MESH_PARTS_MAX = 4 };

/* Rows of vertices that a thread makes. */
struct mesh_band {
    uint32_t first, rows;
    struct canvas *canvas;
    float *samples;  /* with a ring of one sample around the rows */
    float low, high; /* without the ring */
    struct buffer bytes;
    struct {
        uint64_t offset; /* in the file */
        size_t end;      /* in `bytes` */
    } parts[MESH_PARTS_MAX];
    unsigned part_count;
};

struct mesh_task {
    const struct mesh_run *run;
    uint32_t band_rows;
    float low, high;      /* of the bands that are written */
    uint64_t done, total; /* rows */
    float *border;        /* of solids */
};

struct mesh_kind {
    const char *name; /* the extension */
    bool is_coloured, is_solid;
    bool (*check)(const struct mesh_plan *plan, struct error *error);
    uint64_t (*bytes_max)(const struct mesh_plan *plan);
    uint64_t (*triangles)(const struct mesh_plan *plan);
    uint32_t (*more_rows)(const struct mesh_plan *plan); /* that end() makes; or null */
    /* Encodes the band into its parts, beside other threads. */
    bool (*make)(struct mesh_task *task, struct mesh_band *band, struct error *error);
    /* The seconds of one thread that end() takes, by some of its rows; null for few. */
    bool (*estimate_end)(const struct mesh_run *run, double *seconds, struct error *error);
    /* Writes what is no band, when all bands are written. */
    bool (*end)(struct mesh_task *task, struct error *error);
};

extern const struct mesh_kind mesh_glb, mesh_stl;

/* Closes the part of the band that begins at that place of the file. */
void mesh_end_part(struct mesh_band *band, uint64_t offset);
bool mesh_write_at(const struct mesh_task *task, const struct buffer *bytes, uint64_t offset,
                   struct error *error);
#endif
