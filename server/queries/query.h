/* Queries about a world: one table, from which the HTTP routes, the guide at /, the entries of
 * /openapi.json, the addresses in a world's descriptor and the commands are made.
 *
 * A query goes through four steps: parameters_read() fills the values, prepare() checks them
 * against the world, price() says what the answer costs at most before anything is sampled, and
 * evaluate() samples and writes the output. A new query is one file that defines its row, and its
 * name in QUERIES below. */
#ifndef TERRANE_SERVER_QUERIES_QUERY_H
#define TERRANE_SERVER_QUERIES_QUERY_H

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "core/terrain/locate.h"
#include "server/queries/parameters.h"
#include "server/worlds/resolved_world.h"

enum {
    QUERY_SAMPLES_MAX = 1024,   /* along a side of an area */
    QUERY_VALUES_MAX = 1 << 24, /* samples × layers in memory at once */
    QUERY_OBJECTS_MAX = 10000,
    QUERY_POINTS_MAX = 10000, /* in the body of POST /heights */
};
/* Noise evaluations (octaves) that one answer may take, with or without a server: a count, so that
 * what a search looks at does not depend on prices. Checked before anything is sampled. */
#define QUERY_OCTAVES_MAX ((uint64_t)150000000)

/* JSON and text are the values of format=, in its order; the others have routes of their own. The
 * numbers are part of the hashes of outputs: they stay. */
enum query_form { QUERY_JSON, QUERY_TEXT, QUERY_SVG, QUERY_GEOJSON, QUERY_BINARY, QUERY_FORMS };

struct query_form_row {
    const char *extension; /* of the path: ".svg" */
    const char *content_type;
    const char *schema; /* in config/openapi.json; null for the query's own or for none */
};
extern const struct query_form_row query_forms[QUERY_FORMS];

/* A query with its parameters. */
struct query_run {
    const struct query *query;
    const struct catalog_world *world;
    enum query_form form;
    struct parameter_values values;
    union {             /* what prepare() makes of the values */
        uint64_t kinds; /* of objects, as in struct object_search */
        struct locate_search search;
    };
    /* Searches also have the condition, which is compiled again where it is used. */
    char condition[CONDITION_BYTES_MAX + 1];
    struct condition_needs needs;
};

struct query {
    const char *name;    /* the path in a world; letters only */
    const char *summary; /* one line, for people */
    const char *tag;     /* its group in the guide and in /openapi.json; null for "questions" */
    const char *url;     /* what follows the path in the address's template of a descriptor */
    parameter_set parameters;   /* a set, see parameters.h */
    const char *schema;         /* of the JSON output, in config/openapi.json */
    const char *geojson_schema; /* of the GeoJSON output; null: that of points */
    const char *body;           /* the schema of the request's body if it is a POST, else null */
    bool binary;                /* body and output may be binary instead of JSON */
    const char *examples; /* targets, or bodies of a POST, that work; separated by single spaces */
    /* The examples of the forms that have routes of their own; null for the other forms. */
    const char *more_examples[QUERY_FORMS];
    bool has_materials; /* the output has shares of materials */
    bool has_names;     /* the output has names of features */
    bool quotes_world;  /* the output quotes formulas, rules or names of the world's file */
    bool limited;       /* it may be refused for what it costs */

    /* Null for the queries whose route has a handler of its own: a body, a second world or a chunk
     * are read by server/http. */
    /* Checks the values against the world, and fills the union. False with an error whose path is a
     * parameter; ERROR_UNKNOWN for names. May be null. */
    bool (*prepare)(struct query_run *run, struct error *error);
    /* True unless the query is known to be too large for one answer before anything is sampled;
     * else false with ERROR_LIMIT. May be null. */
    bool (*check)(const struct query_run *run, struct error *error);
    /* The price of the answer, at most: nanoseconds, see server/render/price.h. */
    uint64_t (*price)(const struct query_run *run);
    const char *smaller; /* what would cost less, in words */
    const char *parts; /* what the parameter `samples` counts, if the price grows by it; or null */
    /* The parameter, zoom or radius, by which the price of a run grows, if it is not `samples`;
     * PARAMETER_COUNT for none. May be null. */
    enum parameter_id (*scale)(const struct query_run *run);
    /* Appends the output; a failed buffer is reported by query_evaluate(). ERROR_LIMIT, in good
     * time, where it would take too much; else the errors of the samplers. */
    bool (*evaluate)(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                     struct error *error);
};

/* The table's rows; null behind the last. */
const struct query *query_at_index(size_t index);
/* The query of that name, or null. Commands have the names of the queries that they evaluate. */
const struct query *query_find(const char *name);

/* Samples and writes the output, which ends in a newline unless it is binary. */
bool query_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                    struct error *error);

/* The hash of everything that decides the bytes of the output, for its entity tag: the query, its
 * values however they are spelled, and the world of that identity. The run may be of its base, from
 * which no seed differs but in samples. False when memory is out. */
bool query_hash(const struct query_run *run, const struct world_identity *identity,
                struct hash128 *hash);

/* The error of a name that is none of the world's: `what` it should be, and the nearest one.
 * Returns false. */
bool query_unknown_name(const char *what, const char *name, const char *const *names,
                        unsigned count, struct error *error);

/* True if an area has degrees: within the map's central square; else false with an error about the
 * parameter. */
bool query_check_degrees(const struct area *area, const char *parameter, struct error *error);

/* The grid of the parameters bbox, samples and detail. */
struct sample_grid query_grid(const struct parameter_values *values);

/* True if `samples` samples of so many octaves each may be taken; else false with ERROR_LIMIT. */
bool query_check_samples(uint64_t samples, unsigned octaves, struct error *error);

/* The names of the queries. Each has a row `query_NAME`, whose `schema` is an entry of
 * config/openapi.json. */
#define QUERIES(QUERY)                                                                             \
    QUERY(at)                                                                                      \
    QUERY(heights)                                                                                 \
    QUERY(profile)                                                                                 \
    QUERY(stats)                                                                                   \
    QUERY(objects)                                                                                 \
    QUERY(locate)                                                                                  \
    QUERY(spawn)                                                                                   \
    QUERY(sight)                                                                                   \
    QUERY(trace)                                                                                   \
    QUERY(rivers)                                                                                  \
    QUERY(labels)                                                                                  \
    QUERY(explain)                                                                                 \
    QUERY(diff)                                                                                    \
    QUERY(verify)
#define QUERY_DECLARE(name) extern const struct query query_##name;
QUERIES(QUERY_DECLARE)

#endif
