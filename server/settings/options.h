/* The program's options: one table (table.def) drives parsing, --help, the environment, the
 * settings file and its schema.
 *
 * A value has an origin. A flag replaces a value of the environment, that one a value of the
 * settings file, and that one the default of the profile or of all. Values are checked when they
 * are added, so the functions that read them cannot fail. */
#ifndef TERRANE_SERVER_SETTINGS_OPTIONS_H
#define TERRANE_SERVER_SETTINGS_OPTIONS_H

#include <stdio.h>

#include "core/base/error.h"

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#define SETTING(id, ...) OPTION_##id,
#include "server/settings/table.def"
    OPTION_COUNT
};

enum option_kind {
    OPTION_SWITCH, /* given or not: its flag has no argument; the text of a setting is 0 or 1 */
    OPTION_TEXT,
    OPTION_LIST,  /* texts; the option may be repeated */
    OPTION_WHOLE, /* an integer from `min` to `max` */
    OPTION_BYTES, /* an integer from `min` to `max`, with an optional K, M or G (2¹⁰, 2²⁰, 2³⁰) */
    OPTION_NUMBER, /* a decimal number, |v| ≤ 2⁴⁰ */
};

/* The places, besides its flag, where an option may be given. */
enum option_scope {
    SCOPE_FLAG,        /* nowhere */
    SCOPE_ENVIRONMENT, /* TERRANE_NAME */
    SCOPE_SETTING,     /* TERRANE_NAME, and "name" in the settings file */
};

/* The checks of texts whose syntax other folders define. This folder may not include those, so the
 * program supplies the functions: see struct options. */
enum option_check {
    CHECK_NONE,
    CHECK_LISTEN_ADDRESS,
    CHECK_NETWORK, /* an address or a network */
    CHECK_PUBLIC_URL,
    CHECK_HOST, /* of the Host header */
    CHECK_MEMCACHED_URL,
    CHECK_FRAME_ANCESTOR, /* who may show the map page in a frame */
    CHECK_MARKERS_URL,
    CHECK_COUNT
};

/* False with an error that begins with "must be" or the like, without the option's name. */
typedef bool option_checker(const char *text, struct error *error);

/* The commands that accept an option, as bits. */
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
    FOR_TRACE = 16384,
    FOR_RIVERS = 32768,
    FOR_SEEDS = 65536,
    FOR_EXPORT = 131072,
    FOR_MERGE = 262144,
    FOR_VERIFY = 524288,
    FOR_NAMES = 1048576,
    FOR_LABELS = 2097152,
    FOR_QUESTIONS =
        FOR_PROFILE | FOR_STATS | FOR_LOCATE | FOR_OBJECTS | FOR_TRACE | FOR_RIVERS | FOR_LABELS,
    FOR_CATALOG = FOR_SERVE | FOR_RENDER | FOR_QUERY | FOR_QUESTIONS | FOR_SEEDS | FOR_EXPORT |
                  FOR_VERIFY | FOR_CHECK | FOR_WORLDS | FOR_STYLES | FOR_CACHE | FOR_NAMES,
    FOR_ALL = FOR_CATALOG | FOR_FORMULAS | FOR_BENCH | FOR_HEALTH | FOR_MERGE,
};

enum { OPTION_CHOICES_MAX = 4 };

struct option_row {
    const char *name; /* of the flag, without "--" */
    char letter;      /* the flag's short form, or 0 */
    enum option_kind kind;
    enum option_scope scope;
    unsigned commands;     /* FOR_ bits */
    size_t offset;         /* of the member in struct settings; only with SCOPE_SETTING */
    const char *separator; /* of a list in the environment; null is ":" */
    bool live;             /* a reload of a running server changes it */
    int64_t min, max;
    const char *choices[OPTION_CHOICES_MAX + 1]; /* the only values of an OPTION_TEXT, if any */
    enum option_check check;                     /* of an OPTION_TEXT or of each text of a list */
    const char *fallback;                        /* the default as text, or null for none */
    const char *game;                            /* that of the profile game; null if the same */
    const char *argument;                        /* for --help: "FILE" */
    const char *help;                            /* without choices and default, which are added */
};

extern const struct option_row option_table[OPTION_COUNT];

enum option_origin { ORIGIN_DEFAULT, ORIGIN_PROFILE, ORIGIN_FILE, ORIGIN_ENVIRONMENT, ORIGIN_FLAG };

struct option_value {
    enum option_origin origin;
    char **texts; /* owned copies */
    size_t count;
};

struct options {
    unsigned command; /* one of the FOR_ bits; set by the caller */
    /* CHECK_COUNT functions, by enum option_check; set by the caller. Null checks none of these. */
    option_checker *const *checkers;
    struct option_value values[OPTION_COUNT];
    char **arguments; /* the arguments that are no options; point into argv, the array is owned */
    size_t argument_count;
};

/* Parses the words behind the command's name, for the command of `options`. A negative number is an
 * argument and no option, and so is "-". False with ERROR_SYNTAX or ERROR_VALUE; `options` is to be
 * freed in any case. */
bool options_parse(struct options *options, int argc, char **argv, struct error *error);
void options_free(struct options *options);

/* Copies the command, the checkers and the values of at least that origin. `options` is to be freed
 * in any case. */
bool options_copy(struct options *options, const struct options *from, enum option_origin origin,
                  struct error *error);
/* True if the option has the same value in both, whatever the origins. */
bool options_same(const struct options *a, const struct options *b, enum option_id id);

/* Checks and adds a value. Replaces values of a lower origin, and is ignored where there is one of
 * a higher origin. The error's message does not name the option. */
bool options_add(struct options *options, enum option_id id, const char *text,
                 enum option_origin origin, struct error *error);

/* True if the option has a value of any origin but the default. */
bool options_given(const struct options *options, enum option_id id);
/* The text, or the default; null if there is neither. */
const char *options_text(const struct options *options, enum option_id id);
/* For OPTION_SWITCH, OPTION_WHOLE and OPTION_BYTES; 0 if not given and without a default. */
int64_t options_whole(const struct options *options, enum option_id id);
/* For OPTION_NUMBER; 0 if not given and without a default. */
double options_number(const struct options *options, enum option_id id);
/* For OPTION_LIST: `*count` texts; the default is a list of one. */
const char *const *options_list(const struct options *options, enum option_id id, size_t *count);

/* The key in the settings file ("cache_memory" for "cache-memory"), or with `environment` set the
 * name of the variable ("TERRANE_CACHE_MEMORY"). */
enum { OPTION_KEY_TEXT = 48 };
void option_key(enum option_id id, bool environment, char out[OPTION_KEY_TEXT]);

/* Sets what another table says of a command's option in a copy of its row: help, default. Leaves
 * the row as it is if there is nothing. */
typedef void option_describer(unsigned command, enum option_id id, struct option_row *row);
/* Prints the list of a command's options, for --help. */
void options_print_help(unsigned command, option_describer *describe, FILE *out);

#endif
