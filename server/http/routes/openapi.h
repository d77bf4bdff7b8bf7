/* /openapi.json: the OpenAPI 3.1 document, from tables. The routes, their methods and the names of
 * their parameters are router.c's; here stands what a reader needs besides. Formats come from their
 * tables, the schemas of JSON bodies from config/openapi-schemas.json. A route without a row, or a
 * parameter without one, fails a test. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_OPENAPI_H
#define TERRANE_SERVER_HTTP_ROUTES_OPENAPI_H

#include "server/http/routes/router.h"

enum { OPENAPI_EXAMPLES_MAX = 6 };

/* What a 200 consists of. */
enum openapi_content {
    OPENAPI_SINGLE_TYPE,  /* `type` alone, under `schema` if it has one */
    OPENAPI_JSON_OR_TEXT, /* JSON, or with format=text a table */
    OPENAPI_TILES,        /* whatever the table of tiles' formats says */
    OPENAPI_TILES_2X,     /* those of them that may have 512 samples a side */
    OPENAPI_CHUNKS,
    OPENAPI_VOLUMES,
};

/* Traits of a route, which say what else it may answer. */
enum {
    OPENAPI_ETAG = 1,            /* it has an entity tag: 304 */
    OPENAPI_NOT_FOUND = 2,       /* it has names or indices that may be unknown: 404 */
    OPENAPI_ABSOLUTE_URLS = 4,   /* it has absolute addresses in it: 421 */
    OPENAPI_COST_LIMIT = 8,      /* its work has a limit: 413 */
    OPENAPI_SAMPLE_HEADERS = 16, /* headers that tell what its samples are */
    OPENAPI_CACHE_HEADERS = 32,  /* headers that tell where it came from, and how long it took */
    OPENAPI_COMPRESSED = 64,     /* zstd or gzip by Accept-Encoding */
};

struct openapi_route {
    const char *pattern; /* of the route */
    const char *path;    /* as OpenAPI writes it */
    const char *id, *tag, *summary;
    unsigned traits;
    enum openapi_content response_content;
    const char *type;           /* of OPENAPI_SINGLE_TYPE */
    const char *schema;         /* of the JSON answer, a name in the schemas; null for none */
    const char *request_schema; /* of a POST's body, likewise */
    /* Targets that work, each parameter in at least one of them; of a POST, bodies. */
    const char *examples[OPENAPI_EXAMPLES_MAX];
    const char
        *excluded_parameters; /* parameters of the route that this form has no use for; or null */
};

enum openapi_parameter_kind {
    OPENAPI_TEXT,
    OPENAPI_INTEGER,           /* low … high */
    OPENAPI_NUMBER,            /* low … high */
    OPENAPI_EXCLUSIVE_MINIMUM, /* above low, to high */
    OPENAPI_ENUM,              /* of `values`: numbers if the first is one */
    OPENAPI_CHUNK_STEP,        /* a power of two */
    OPENAPI_TILE_FORMAT,
    OPENAPI_TILE_2X_FORMAT,
    OPENAPI_CHUNK_FORMAT,
    OPENAPI_VOLUME_FORMAT,
};

struct openapi_parameter {
    const char *name;
    const char *routes; /* ids of the routes that it is for, or null for all others */
    const char *description;
    enum openapi_parameter_kind kind;
    double low, high;
    const char *values;        /* with single spaces */
    const char *pattern;       /* of a text, a regular expression; or null */
    const char *default_value; /* the default, or null */
    bool required;
};

/* Null behind the last. Several rows may have a route's pattern, where its paths have several
 * forms. */
const struct openapi_route *openapi_route_at(size_t index);
/* The parameter of that name in that row's route, or null. `length` bytes of `name` count. */
const struct openapi_parameter *openapi_parameter_find(const struct openapi_route *row,
                                                       const char *name, size_t length);
/* Whether the text, null or with single spaces, has the word. */
bool openapi_has_word(const char *text, const char *word, size_t length);
/* The route of that pattern, or null. */
const struct route *openapi_find_route(const struct openapi_route *row);

/* The text that the parameter of a path or query has in an example's target; false if it is not in
 * it. */
bool openapi_find_example(const struct openapi_route *row, const char *target, const char *name,
                          size_t length, char *out, size_t size);

/* Appends the document; false when memory is out. */
bool openapi_write(bool pretty, struct buffer *out, struct error *error);

#endif
