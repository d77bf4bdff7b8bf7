/* The parameters of every route and query: one table, from which the reader, the error texts, the
 * `allowed` member of problems and the schemas in /openapi.json are made.
 *
 * A route or query lists its parameters as a set of bits, one for each row (PARAMETER_BIT), because
 * one name may have several meanings: `samples` is up to 4096 along a line and up to 1024 along a
 * rectangle. parameters_read() reads such a set from any source of texts (the target of a request,
 * the options of a command) into a struct parameter_values; each row says where its value goes.
 *
 * A new parameter is a row in parameters.def and a member of the values. */
#ifndef TERRANE_SERVER_QUERIES_PARAMETERS_H
#define TERRANE_SERVER_QUERIES_PARAMETERS_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/terrain/area.h"
#include "core/terrain/profile.h"
#include "core/terrain/sight.h"

/* PARAMETER_WORLD … PARAMETER_PRETTY */
enum parameter_id {
#define PARAMETER(id, ...) PARAMETER_##id,
#include "server/queries/parameters.def"
#undef PARAMETER
    PARAMETER_COUNT
};

/* A set of rows. */
__extension__ typedef unsigned __int128 parameter_set;
/* The bit of PARAMETER_NAME in a set. */
#define PARAMETER_BIT(name) ((parameter_set)1 << PARAMETER_##name)
_Static_assert(PARAMETER_COUNT <= 128, "a set has a bit for each row");
/* The first row of a set that is not empty, in the order of the table. */
static inline enum parameter_id parameter_first(parameter_set set)
{
    const uint64_t low = (uint64_t)set;
    return (enum parameter_id)(low ? __builtin_ctzll(low)
                                   : 64 + __builtin_ctzll((uint64_t)(set >> 64)));
}
/* x and y, or lon and lat: one of the pairs must be given. */
#define PARAMETERS_PLACE                                                                           \
    (PARAMETER_BIT(X) | PARAMETER_BIT(Y) | PARAMETER_BIT(LON) | PARAMETER_BIT(LAT))
/* The parameters of every query with JSON and text as output. */
#define PARAMETERS_OUTPUT (PARAMETER_BIT(FORMAT) | PARAMETER_BIT(PRETTY))

/* The kind decides the type of the member that holds the value. */
enum parameter_kind {
    PARAMETER_KIND_TEXT,       /* const char *, as it was given */
    PARAMETER_KIND_INTEGER,    /* int64_t, low … high */
    PARAMETER_KIND_NUMBER,     /* double, low … high */
    PARAMETER_KIND_ABOVE,      /* double, above low, at most high */
    PARAMETER_KIND_FIXED,      /* int64_t, 2⁻¹⁶ of the unit; low … high in units */
    PARAMETER_KIND_COORDINATE, /* int64_t, 2⁻¹⁶ m, read exactly */
    PARAMETER_KIND_BOOL,       /* bool: "1" or "0" */
    PARAMETER_KIND_CHOICE,     /* unsigned, the index of the word in `choices` */
    PARAMETER_KIND_KEYWORD,    /* a choice, in small letters or capitals */
    PARAMETER_KIND_STEP,       /* int64_t, 2⁻¹⁶ m: a power of two */
    PARAMETER_KIND_BBOX,       /* struct area */
    PARAMETER_KIND_LINE,       /* struct profile_line */
    PARAMETER_KIND_POINT,      /* struct sight_end: place and `above` */
    PARAMETER_KIND_TILE_SIZE,  /* const char *: which sizes are allowed depends on the format */
};

struct parameter {
    const char *name;
    enum parameter_kind kind;
    bool required;
    size_t offset;        /* of the value in struct parameter_values */
    double low, high;     /* of numbers */
    const char *choices;  /* words with single spaces between */
    const char *form;     /* of texts: what one looks like, "32 hex digits" */
    const char *pattern;  /* of texts: a regular expression; or null */
    const char *fallback; /* the value if none is given, as text; null for none */
    const char *text;     /* what it means, for people; stands alone */
    const char *example;  /* occurs in an example of every route that has the parameter */
};

extern const struct parameter parameter_table[PARAMETER_COUNT];

/* The choices of format= where it is the format of the tiles that a document describes. */
enum map_format { MAP_FORMAT_PNG, MAP_FORMAT_WEBP, MAP_FORMAT_MVT };

/* The choices of REQUEST= and FORMAT= of WMTS. */
enum wmts_request { WMTS_GET_CAPABILITIES, WMTS_GET_TILE };
enum wmts_format { WMTS_PNG, WMTS_WEBP, WMTS_TIFF };

enum { PICTURE_SERVED_MAX = 4096 }; /* pixels a side */

/* The choices of coordinates=. */
enum coordinate_type { COORDINATE_FLOAT64, COORDINATE_INT64 };

/* The choices of format= of points. */
enum points_format { POINTS_JSON, POINTS_BINARY, POINTS_NPY, POINTS_FORMATS };

/* The choices of detail=: the level of detail of a grid's samples. */
enum detail { DETAIL_GRID, DETAIL_FULL };

/* The values of a set. Members of parameters that are not in the set, or are not given and have no
 * fallback, are zero, and `zoom` is -1. Texts belong to the source. */
struct parameter_values {
    parameter_set given; /* of those that the source had */
    struct place place;
    double longitude, latitude; /* degrees; `place` is filled from them */
    int64_t zoom;               /* -1: full detail */
    int64_t z, t;               /* 2⁻¹⁶ m and s */
    int64_t size;               /* steps a side of a chunk or volume */
    int64_t step, apron;        /* 2⁻¹⁶ m; rings of samples */
    int64_t dx, dy;             /* steps */
    int64_t materials;          /* four of them: their number */
    int64_t skirt;              /* 2⁻¹⁶ m */
    int64_t samples;
    int64_t radius, apart, min_distance; /* 2⁻¹⁶ m */
    int64_t limit;                       /* places */
    int64_t columns, width;              /* characters; pixels */
    double interval, min_height;         /* metres */
    double min_flow;                     /* square metres */
    int64_t tile_row, tile_column;       /* of WMTS */
    unsigned wmts_request, wmts_format;  /* enum wmts_request, enum wmts_format */
    unsigned map_size;                   /* index in "256 512" */
    unsigned map_format;                 /* enum map_format */
    unsigned crs;                        /* enum geotiff_crs less one */
    unsigned format;                     /* index in "json text" */
    unsigned picture_format;             /* index among the formats of rectangles */
    unsigned points_format;              /* enum points_format */
    unsigned coordinates;                /* enum coordinate_type */
    unsigned detail;                     /* enum detail */
    unsigned feature;                    /* enum landmark_kind */
    unsigned name_kind;                  /* 0: any; 1 + enum name_kind */
    unsigned ignored;                    /* of parameters that are checked only */
    bool pretty, labels, named, once;
    const char *world, *style, *tile_size, *chunk, *layers, *layer, *digest, *a, *b, *kind, *biome,
        *where, *version, *name, *after;
    struct area area;
    struct profile_line line;
    struct sight_end from, to;
};

/* The source of the texts of parameters. */
struct parameter_source {
    const void *context;
    /* The text of the parameter of that name, or null if it is not given. */
    const char *(*text)(const void *context, const char *name);
};

/* Reads the parameters of `set`. False with an error whose path is the parameter's name and whose
 * message reads on from it: "must be …". A malformed value, a missing one that is required, and a
 * place given twice or not at all are ERROR_VALUE or ERROR_SYNTAX. */
bool parameters_read(parameter_set set, const struct parameter_source *source,
                     struct parameter_values *values, struct error *error);
/* Reads one parameter from its text; false with an error as from parameters_read(). */
bool parameter_parse(enum parameter_id id, const char *text, struct parameter_values *values,
                     struct error *error);
/* The error of a text that is not of the parameter's form. Returns false. */
bool parameter_refuse(enum parameter_id id, const char *text, struct error *error);

/* Appends the set's values, each in one canonical spelling: equal values give equal bytes. */
void parameters_write(parameter_set set, const struct parameter_values *values, struct buffer *out);

/* The parameter of that name in the set; PARAMETER_COUNT if there is none. */
enum parameter_id parameter_find(parameter_set set, const char *name);

enum { PARAMETER_ALLOWED_TEXT = 256 };
/* Writes the values that the parameter may have, in short: "0 … 20", "json, text". Always
 * terminated. */
void parameter_allowed(enum parameter_id id, char out[PARAMETER_ALLOWED_TEXT]);
/* Writes them as the end of a sentence that begins with "must be": "a whole number from 0 to
 * 20". */
void parameter_expected(enum parameter_id id, char out[PARAMETER_ALLOWED_TEXT]);
/* Writes the word of a choice, by its index. */
void parameter_choice(enum parameter_id id, unsigned index, char out[PARAMETER_ALLOWED_TEXT]);

#endif
