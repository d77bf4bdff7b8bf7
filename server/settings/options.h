/* The program's options: one table drives parsing, --help, the environment and the settings file.
 *
 * An option's value has an origin; one of a higher origin (a flag over the environment over the
 * file over the default) replaces one of a lower. Values are checked when they are added, so the
 * getters below cannot fail. */
#ifndef TERRANE_SERVER_SETTINGS_OPTIONS_H
#define TERRANE_SERVER_SETTINGS_OPTIONS_H

#include <stdio.h>

#include "core/base/error.h"

enum option_id {
    OPTION_HELP,
    OPTION_CONFIG,
    OPTION_LISTEN,
    OPTION_PORT,
    OPTION_WORLDS,
    OPTION_STYLES,
    OPTION_DEFAULT_WORLD,
    OPTION_WORLD_COST,
    OPTION_CACHE_MEMORY,
    OPTION_CACHE_DISK,
    OPTION_CACHE_DISK_SIZE,
    OPTION_LOOPS,
    OPTION_CACHE_SHARED,
    OPTION_CACHE_SHARED_TIMEOUT,
    OPTION_RENDERERS,
    OPTION_QUEUE,
    OPTION_QUEUE_COST,
    OPTION_REQUEST_COST,
    OPTION_DEADLINE,
    OPTION_CLIENT_REQUESTS,
    OPTION_CLIENT_COST,
    OPTION_CLIENT_BURST,
    OPTION_CLIENT_LOOPBACK,
    OPTION_CHUNK_SAMPLES,
    OPTION_ANSWERS_MEMORY,
    OPTION_CONNECTIONS,
    OPTION_CONNECTIONS_PER_ADDRESS,
    OPTION_HEADER_TIMEOUT,
    OPTION_BODY_TIMEOUT,
    OPTION_SEND_TIMEOUT,
    OPTION_TLS_CERT,
    OPTION_TLS_KEY,
    OPTION_LOG_FORMAT,
    OPTION_LOG_LEVEL,
    OPTION_TIMEOUT,
    OPTION_ADMIN,
    OPTION_SETTLE,
    OPTION_DRAIN,
    OPTION_ACCESS_LOG,
    OPTION_ACCESS_LOG_FORMAT,
    OPTION_PUBLIC_URL,
    OPTION_ALLOWED_HOSTS,
    OPTION_TRUSTED_PROXIES,
    OPTION_PRINT_CONFIG,
    OPTION_PRINT_SCHEMA,
    OPTION_WORLD,
    OPTION_STYLE,
    OPTION_TILE,
    OPTION_SIZE,
    OPTION_BBOX,
    OPTION_WIDTH,
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_COLS,
    OPTION_INTERVAL,
    OPTION_LAYER,
    OPTION_LINE,
    OPTION_SAMPLES,
    OPTION_KIND,
    OPTION_BIOME,
    OPTION_MIN_HEIGHT,
    OPTION_RADIUS,
    OPTION_ZOOM,
    OPTION_Z,
    OPTION_TIME,
    OPTION_DIGEST,
    OPTION_GOLDEN,
    OPTION_CHUNK,
    OPTION_STEP,
    OPTION_APRON,
    OPTION_CHECK,
    OPTION_PURGE,
    OPTION_JSON,
    OPTION_COUNT
};

enum option_kind {
    OPTION_SWITCH, /* given or not; no argument */
    OPTION_TEXT,
    OPTION_LIST,   /* text, may be repeated */
    OPTION_WHOLE,  /* a whole number from `min` to `max` */
    OPTION_BYTES,  /* likewise, with K, M or G behind it for powers of 1024 */
    OPTION_NUMBER, /* a decimal number, |v| ≤ 2⁴⁰ */
};

/* Where an option may be given besides its flag. */
enum option_scope {
    SCOPE_FLAG,        /* nowhere */
    SCOPE_ENVIRONMENT, /* TERRANE_NAME */
    SCOPE_SETTING,     /* TERRANE_NAME, and "name" in the settings file */
};

/* The commands that know an option, as bits. */
enum {
    FOR_SERVE = 1,
    FOR_RENDER = 2,
    FOR_QUERY = 4,
    FOR_CHECK = 8,
    FOR_WORLDS = 16,
    FOR_STYLES = 32,
    FOR_FORMULAS = 64,
    FOR_BENCH = 128,
    FOR_PROFILE = 256,
    FOR_STATS = 512,
    FOR_LOCATE = 1024,
    FOR_OBJECTS = 2048,
    FOR_CACHE = 4096,
    FOR_HEALTH = 8192,
    FOR_QUESTIONS = FOR_PROFILE | FOR_STATS | FOR_LOCATE | FOR_OBJECTS,
    FOR_CATALOG = FOR_SERVE | FOR_RENDER | FOR_QUERY | FOR_QUESTIONS | FOR_CHECK | FOR_WORLDS |
                  FOR_STYLES | FOR_CACHE,
    FOR_ALL = FOR_CATALOG | FOR_FORMULAS | FOR_BENCH | FOR_HEALTH,
};

enum { OPTION_CHOICES_MAX = 4 };

struct option_row {
    const char *name; /* of the flag, without "--" */
    char letter;      /* its short form, or 0 */
    enum option_kind kind;
    enum option_scope scope;
    unsigned commands;
    const char *separator; /* of a list in the environment; null is ":" */
    bool live;             /* a reload of a running server changes it */
    int64_t min, max;
    const char *choices[OPTION_CHOICES_MAX + 1]; /* of OPTION_TEXT: the only values, if any */
    /* Of texts, whether one makes sense, with an error that begins as options_add()'s does; or null
     * where only its use can tell. */
    bool (*check)(const char *text, struct error *error);
    const char *fallback; /* the default as text, or null for none */
    const char *argument; /* for help: "FILE" */
    const char *help;     /* without the choices, which follow from the table */
};

extern const struct option_row option_table[OPTION_COUNT];

enum option_origin { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_ENVIRONMENT, ORIGIN_FLAG };

struct option_value {
    enum option_origin origin;
    char **texts; /* owned copies */
    size_t count;
};

struct options {
    unsigned command; /* one of the FOR_ bits */
    struct option_value values[OPTION_COUNT];
    char **arguments; /* those that are no options; point into argv, the array is owned */
    size_t argument_count;
};

/* Parses what stands behind the command's name. A number with a minus sign is an argument, and so
 * is "-". False with ERROR_SYNTAX or ERROR_VALUE; `options` is to be freed in any case. */
bool options_parse(struct options *options, unsigned command, int argc, char **argv,
                   struct error *error);
void options_free(struct options *options);

/* The command and the values of `from` from that origin up, so that lower ones can be added anew.
 * Arguments are not copied. `options` is to be freed in any case. */
bool options_copy(struct options *options, const struct options *from, enum option_origin origin,
                  struct error *error);
/* Whether the option has the same value in both, wherever it came from. */
bool options_same(const struct options *a, const struct options *b, enum option_id id);

/* Checks and adds a value; one of a lower origin than what is there is passed over. The error's
 * message begins with what is wrong with it, not with the option's name. */
bool options_add(struct options *options, enum option_id id, const char *text,
                 enum option_origin origin, struct error *error);

/* Whether it was given at all, by whatever origin. */
bool options_given(const struct options *options, enum option_id id);
/* Its text, or the default (null if there is none). */
const char *options_text(const struct options *options, enum option_id id);
/* For OPTION_WHOLE and OPTION_BYTES; 0 if not given and without a default. */
int64_t options_whole(const struct options *options, enum option_id id);
/* For OPTION_NUMBER; 0 likewise. */
double options_number(const struct options *options, enum option_id id);
/* For OPTION_LIST: the texts, `*count` of them. */
const char *const *options_list(const struct options *options, enum option_id id, size_t *count);

/* "cache_memory" for "cache-memory" (the key in the settings file), or with `environment` set
 * "TERRANE_CACHE_MEMORY". */
enum { OPTION_KEY_TEXT = 48 };
void option_key(enum option_id id, bool environment, char out[OPTION_KEY_TEXT]);

/* The list of a command's options, for --help. */
void options_print_help(unsigned command, FILE *out);

#endif
