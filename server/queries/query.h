/* Questions about a world, the same over HTTP and on the command line: one table says how each
 * reads its parameters and answers. (/at, which is asked most, is server/queries/point_query.h.) */
#ifndef TERRANE_SERVER_QUERIES_QUERY_H
#define TERRANE_SERVER_QUERIES_QUERY_H

#include "core/base/buffer.h"
#include "core/terrain/area.h"
#include "core/terrain/locate.h"
#include "core/terrain/profile.h"
#include "core/terrain/sight.h"
#include "server/queries/point_query.h"
#include "server/worlds/catalog.h"

enum {
    QUESTION_SAMPLES_MAX = 1024,   /* a side, of an area */
    QUESTION_VALUES_MAX = 1 << 24, /* samples × layers in memory at once */
    QUESTION_OBJECTS_MAX = 10000,
};
/* Noise evaluations (octaves) that one answer may take: some tenths of a second. Asked before
 * anything is sampled. */
#define QUESTION_COST_MAX ((uint64_t)1 << 27)

enum question_form { QUESTION_JSON, QUESTION_TEXT, QUESTION_SVG, QUESTION_GEOJSON, QUESTION_FORMS };

struct question_parameter {
    const char *name;
    const char *allowed; /* in words */
};

/* Where parameters come from, and where what is wrong with them goes. */
struct question_source {
    const void *context;
    const char *(*text)(const void *context, const char *name); /* null if it is not given */
    struct error *error;
};

/* A question with its parameters. What of it counts depends on the question. */
struct inquiry {
    const struct question *question;
    const struct catalog_world *world;
    enum question_form form;
    bool pretty; /* JSON indented */
    uint32_t samples;
    struct area area;
    union {
        struct profile_line line;
        struct sight sight;
        uint64_t kinds; /* of objects, as in struct object_search */
        struct locate_search search;
        struct query at;
    };
};

struct question {
    const char *name;
    unsigned forms;                              /* 1 << QUESTION_… */
    const char *example;                         /* the path and query of a request that works */
    const struct question_parameter *parameters; /* up to one without a name */
    /* False with the source's error, its path set to the parameter at fault; ERROR_UNKNOWN for
     * unknown names. */
    bool (*read)(const struct question_source *source, struct inquiry *inquiry);
    /* Whether it is not too much for one answer, where that can be told before anything is sampled;
     * else null. ERROR_LIMIT if it is. */
    bool (*check)(const struct inquiry *inquiry, struct error *error);
    /* What the answer costs at most: see cost.h. */
    uint64_t (*cost)(const struct inquiry *inquiry);
    const char *smaller; /* what would cost less, in words */
    /* Appends the answer, ending in a newline. ERROR_LIMIT, in good time, where it would take too
     * much; the errors of the samplers else. */
    bool (*answer)(const struct inquiry *inquiry, struct sampler *sampler, struct buffer *out,
                   struct error *error);
};

/* The question of that name, or null. `length` bytes of `name` count. */
const struct question *question_find(const char *name, size_t length);

/* question_*.c: rows of the table. */
extern const struct question question_profile, question_sight, question_stats, question_objects,
    question_locate, question_spawn, question_explain;

#endif
