/* The table of formats of chunks and volumes. A new format is a row in chunk_format.c and an
 * encoder in chunk_encoders.c. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_FORMAT_H
#define TERRANE_SERVER_RENDER_CHUNK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/worldfile/world.h"
#include "server/render/coding.h"
#include "server/render/names.h"

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

/* How a format has the shares of materials. */
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
    double sample_time;                            /* nanoseconds to encode a sample: see cost.h */
    double extreme_time;          /* more for one that is written with an exponent of two digits */
    double coding_times[CODINGS]; /* and to compress it, by coding */
};

/* Null if no format of this name has the shape. */
const struct chunk_format *chunk_format_find(const char *name, unsigned shape);
/* In the table's order; null behind the last. */
const struct chunk_format *chunk_format_at(size_t index);
typedef bool chunk_format_filter(const struct chunk_format *format);
chunk_format_filter chunk_format_is_coloured, chunk_format_has_crs, chunk_format_has_materials,
    chunk_format_has_material_groups, chunk_format_has_skirt;
/* "glb": the formats that the filter is true of. Returns the text. */
const char *chunk_format_names_of(chunk_format_filter *filter, char text[FORMAT_NAMES_TEXT]);
/* "r32f, r16 …": the formats that have the shape. Returns the text. */
const char *chunk_format_names(unsigned shape, char text[FORMAT_NAMES_TEXT]);

#endif
