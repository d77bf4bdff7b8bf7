/* The formats that chunks and volumes come in: one row for each. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_FORMAT_H
#define TERRANE_SERVER_RENDER_CHUNK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are part of recipes: they stay. */
enum chunk_format_id {
    CHUNK_R32F = 1,
    CHUNK_R16 = 2,
    CHUNK_R16Z = 3,
    CHUNK_PNG = 4,
    CHUNK_JSON = 5,
    CHUNK_ASC = 6,
    CHUNK_TIF = 7,
    CHUNK_GLB = 8,
    CHUNK_R8 = 9,
};

/* What can be asked for in a format. */
enum {
    CHUNK_FLAT = 1,   /* grids */
    CHUNK_VOLUME = 2, /* stacks of grids */
};

struct chunk_format {
    const char *name; /* the extension */
    const char *content_type;
    const char *encoding; /* how its bytes are read, for the header X-Terrane-Encoding */
    enum chunk_format_id id;
    unsigned version; /* of its bytes */
    unsigned shapes;  /* CHUNK_FLAT, CHUNK_VOLUME or both */
    unsigned layers;  /* at most */
    unsigned ring;    /* rings of samples that it needs around those it shows */
    unsigned codings; /* in which it is offered: a set of coding.h */
};

enum { CHUNK_LAYERS_MAX = 16 };

/* Null if no format of this name has the shape. */
const struct chunk_format *chunk_format_find(const char *name, unsigned shape);
/* In the table's order; null behind the last. */
const struct chunk_format *chunk_format_at(size_t index);
/* "r32f, r16 …": those that have the shape. */
const char *chunk_format_names(unsigned shape);

#endif
