/* A row of the table of formats of chunks and volumes (chunk_format.h). */
#ifndef TERRANE_SERVER_RENDER_CHUNK_FORMAT_ROW_H
#define TERRANE_SERVER_RENDER_CHUNK_FORMAT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/worldfile/world.h"
#include "server/render/coding.h"

/* Shapes of samples, as a set. */
enum {
    CHUNK_FLAT = 1,   /* grids */
    CHUNK_VOLUME = 2, /* stacks of grids */
};

enum {
    CHUNK_LAYERS_MAX = 16, /* that a request names; one of them may be all materials */
    CHUNK_PLANES_MAX = CHUNK_LAYERS_MAX - 1 + WORLD_MATERIALS_MAX,
    CHUNK_MATERIAL_GROUP = 4, /* materials in a PNG, and in an attribute of a mesh */
};

/* The way in which a format has the shares of materials. */
enum chunk_materials {
    CHUNK_NO_MATERIALS,
    CHUNK_MATERIAL_PLANES, /* each as a layer */
    CHUNK_MATERIALS_ALONE, /* four of them, and no layer */
    CHUNK_MATERIALS_BESIDE /* behind its layer */
};

struct chunk_task;

struct chunk_format {
    const char *name; /* the extension */
    unsigned id;      /* part of recipes: unique, and never changed */
    unsigned version; /* of the encoded bytes: part of recipes, increased whenever they change */
    const char *content_type;
    const char *encoding; /* how to decode the bytes, for the header X-Terrane-Encoding */
    unsigned shapes;      /* CHUNK_FLAT, CHUNK_VOLUME or both */
    unsigned layers;      /* at most */
    enum chunk_materials materials;
    unsigned ring;         /* rings of samples that the encoder needs beyond those of the chunk */
    unsigned codings;      /* content codings that it is offered in: a set of coding.h */
    bool coloured;         /* a style may colour it */
    bool has_crs;          /* it may name a coordinate system */
    bool has_skirt;        /* it may have a skirt */
    bool scaled_to_range;  /* the layer's range is scaled into the numbers */
    unsigned sample_bytes; /* bytes a sample, about; text as heights of the world terra need */
    unsigned share_bytes;  /* bytes a sample of a material that is no plane */
    bool (*encode)(const struct chunk_task *task); /* see chunk_task.h */
    double sample_time;                            /* nanoseconds to encode a sample: see price.h */
    double extreme_time;          /* more for one that is written with an exponent of two digits */
    double coding_times[CODINGS]; /* and to compress it, by coding */
};

#endif
