/* A tile in the making, and the functions that the rows of format.c name. For server/render only.
 */
#ifndef TERRANE_SERVER_RENDER_TILE_TASK_H
#define TERRANE_SERVER_RENDER_TILE_TASK_H

#include "core/encode/png.h"
#include "core/tile/vector_labels.h"
#include "core/tile/vector_objects.h"
#include "core/tile/vector_rivers.h"
#include "core/tile/vector_tile.h"
#include "server/render/tile_maker.h"

/* One thread's memory, kept from tile to tile. */
struct tile_maker {
    struct canvas *canvas;
    struct png_encoder *png;
    struct vector_tile_maker *tiler;
    struct coder *coder;
    struct vector_objects objects;
    struct vector_rivers rivers;
    struct vector_labels labels;
    struct features features;
    float *samples;
    size_t capacity;             /* of samples */
    struct buffer plain;         /* before it is compressed */
    struct buffer pixels;        /* of a picture that two threads paint */
    struct tile_threads threads; /* or zeroed */
    struct tile_times times;
    int64_t painted; /* when sampling and painting ended, by clock_microseconds() */
};

enum { TILE_MESH_RING = 1 }; /* samples around a mesh, for its normals */

struct tile_task {
    struct tile_maker *maker;
    const struct tile_order *order;
    enum tile_effort effort;
    struct sample_grid grid;
    struct buffer *out;
    struct error *error;
};

/* Encoders: sample or paint the tile, set maker->painted, and append the bytes to task->out; false
 * with an error in task->error. */
typedef bool tile_encoder(const struct tile_task *task);
tile_encoder tile_encode_png, tile_encode_webp, tile_encode_json, tile_encode_tif, tile_encode_npy,
    tile_encode_mvt, tile_encode_txt, tile_encode_ansi, tile_encode_terrain;
tile_encoder tile_encode_samples; /* by the row's write_samples() */

#endif
