/* A row of the table of routes.
 *
 * It says everything about a route once: the pattern, the parameters, the world that it needs, the
 * functions that answer, and what /openapi.json, the guide at / and the descriptor of a world tell
 * about it. The rows themselves stand in server/http/routes/route_table.c. */
#ifndef TERRANE_SERVER_HTTP_OPENAPI_ROUTE_H
#define TERRANE_SERVER_HTTP_OPENAPI_ROUTE_H

#include "server/http/jobs/http_request.h"
#include "server/queries/query.h"

struct route_steps; /* server/http/routes/steps.h */

/* The worlds of a request when its route makes the answer. */
enum route_world {
    ROUTE_WORLD_NONE,
    ROUTE_WORLD_IDENTITY, /* resolved; perhaps not compiled */
    ROUTE_WORLD_VIEW,     /* resolved, and where its map begins is known: views.h */
    ROUTE_WORLD_VIEWS,    /* none is resolved; where the maps of all begin is known */
    ROUTE_WORLD_COMPILED,
};

enum route_scope {
    ROUTE_FIXED,    /* the pattern is the whole path */
    ROUTE_WORLD,    /* so it is, for the default world; or /worlds/{world}/ stands in front */
    ROUTE_OF_WORLD, /* it is, and the first capture is the world */
};

/* The content types of a 200. */
enum route_content {
    ROUTE_SINGLE_TYPE, /* `type`, or JSON and text of a query with both */
    ROUTE_TILES,       /* the formats of tiles */
    ROUTE_PICTURES,    /* those of them that rectangles have */
    ROUTE_CHUNKS,      /* the formats of chunks */
    ROUTE_VOLUMES,     /* the formats of volumes */
};

/* Traits of a route: which other statuses and headers its answers may have. */
enum {
    ROUTE_ETAG = 1,            /* an entity tag: 304 */
    ROUTE_NAMES = 2,           /* names or indices that may be unknown: 404 and 410 */
    ROUTE_ABSOLUTE_URLS = 4,   /* absolute addresses made from the Host header: 421 */
    ROUTE_WORK_LIMIT = 8,      /* work that has a limit: 413 */
    ROUTE_SAMPLE_HEADERS = 16, /* headers that describe the samples */
    ROUTE_CACHE_HEADERS =
        32,                /* headers that say where the answer came from, and how long it took */
    ROUTE_COMPRESSED = 64, /* zstd or gzip by Accept-Encoding */
    ROUTE_RANGES = 256,    /* parts of it by Range: 206 and 416 */
    ROUTE_EXTREMES = 512,  /* headers with the least and the greatest sample */
    ROUTE_SAME_ORIGIN = 1024, /* 403 for pages of other sites, and no CORS headers */
    ROUTE_CREATES = 2048,     /* it keeps what it is sent: 201 with Location instead of 200; 422 */
    ROUTE_OWS = 4096,   /* a service of the OGC: names of parameters have no case, errors are XML */
    ROUTE_BINARY = 128, /* body and answer may be HTTP_BINARY instead of JSON, the answer NumPy's */
};

struct route {
    enum route_scope scope;
    const char *pattern; /* segments; "{…}" captures one, a last "*" stands for one or more */
    parameter_set parameters; /* of the URL's query: a set, see server/queries/parameters.h */
    enum route_world world;
    const struct route_steps *steps; /* what comes before the answer is made; null for nothing */
    http_handler *make;              /* the last step: the answer */
    const struct query *query;       /* the query that the route evaluates; or null */
    enum query_form form;            /* of a query's output, if the path decides it */

    /* For documents. */
    const char *path; /* as OpenAPI writes the pattern; null if it is the same */
    const char *id, *tag, *summary;
    unsigned traits;
    enum route_content content;
    const char *type;     /* of the answer */
    const char *schema;   /* of the JSON answer, in config/openapi.json; null for none */
    const char *body;     /* of the body, in the same file; null for a GET: only a POST has one */
    const char *examples; /* targets that work, or bodies of a POST; single spaces between */
    const char *url_name; /* in the descriptor of a world; null if the route is not in it */
    const char *url;      /* the address's template below the world; null for the pattern */
};

/* Rows in the order in which they are tried: borrowed, and never changed. */
struct route_table {
    const struct route *rows;
    size_t count;
};

#endif
