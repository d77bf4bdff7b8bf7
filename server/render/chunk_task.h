/* A chunk in the making, and the encoders that the rows of chunk_format.c name. For server/render
 * only.
 *
 * An encoder appends the chunk's bytes to task->out, from the samples of all layers, one plane (of
 * a volume one stack of planes) after another; false with an error in task->error. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_TASK_H
#define TERRANE_SERVER_RENDER_CHUNK_TASK_H

#include "core/encode/png.h"
#include "server/render/chunk_maker.h"

/* The memory that encoders use besides `out`, kept from chunk to chunk. */
struct chunk_scratch {
    struct png_encoder *png;
    struct coder *coder;
    struct buffer numbers; /* of 16 bits */
    struct buffer plain;   /* before it is compressed */
};

struct chunk_task {
    struct chunk_scratch *scratch;
    struct canvas *canvas;
    const struct chunk_order *order;
    struct chunk_address origin; /* of the first sample */
    const float *samples;        /* without the format's ring */
    const float *ringed;         /* with it; the same without a ring */
    const char *digest;          /* of `samples` */
    struct buffer *out;
    struct error *error;
};

typedef bool chunk_encoder(const struct chunk_task *task);
chunk_encoder chunk_encode_r32f, chunk_encode_r16, chunk_encode_r16z, chunk_encode_r8,
    chunk_encode_png, chunk_encode_json, chunk_encode_asc, chunk_encode_tif, chunk_encode_glb,
    chunk_encode_npy;

#endif
