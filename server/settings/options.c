/* Options: parsing by getopt_long(), checking, and reading values.
 *
 * A value is kept as text with its origin and is converted when it is read: the texts are needed
 * for --print-config and for comparing settings at a reload, and reading happens once, into struct
 * settings. Values may be added in any order of their origins, as a flag is parsed before the
 * file that it names is read. */
#include "server/settings/options.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/utf8.h"
#include "server/base/terminal.h"

/* getopt_long() returns RETURN_BASE + id for an option: beyond every letter. */
enum { RETURN_BASE = 256, LETTERS = 2 + 2 * OPTION_COUNT + 1 };
enum { CHOICES_TEXT = 64, HELP_TEXT = 1024 };

void options_free(struct options *options)
{
    for (size_t id = 0; id < OPTION_COUNT; id++) {
        for (size_t i = 0; i < options->values[id].count; i++)
            free(options->values[id].texts[i]);
        free(options->values[id].texts);
    }
    free(options->arguments);
    *options = (struct options){0};
}

/* A number with an optional K, M or G. False for any other text and for numbers beyond 64 bits. */
static bool parse_bytes(const char *text, int64_t *bytes)
{
    size_t length = strlen(text);
    const char *suffix = length > 1 ? strchr("KMG", text[length - 1]) : NULL;
    int64_t unit = suffix && *suffix ? (int64_t)1 << (10 * (suffix - "KMG" + 1)) : 1;
    return number_parse_integer(text, length - (unit > 1), 0, INT64_MAX / unit, bytes) &&
           !__builtin_mul_overflow(*bytes, unit, bytes);
}

static bool option_whole(const struct option_row *row, const char *text, int64_t *value)
{
    if (row->kind == OPTION_BYTES)
        return parse_bytes(text, value) && *value >= row->min && *value <= row->max;
    if (row->kind == OPTION_SWITCH)
        return number_parse_integer(text, strlen(text), 0, 1, value);
    return number_parse_integer(text, strlen(text), row->min, row->max, value);
}

/* "error, warning, info or debug" */
static const char *choices_text(const struct option_row *row, char out[CHOICES_TEXT])
{
    size_t used = 0;
    for (size_t i = 0; row->choices[i]; i++) {
        const char *between = i == 0 ? "" : row->choices[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(out + used, CHOICES_TEXT - used, "%s%s", between, row->choices[i]);
    }
    return out;
}

static bool is_choice(const struct option_row *row, const char *text)
{
    bool found = !row->choices[0];
    for (size_t i = 0; row->choices[i] && !found; i++)
        found = strcmp(row->choices[i], text) == 0;
    return found;
}

static bool check_value(const struct options *options, const struct option_row *row,
                        const char *text, struct error *error)
{
    int64_t whole;
    double number;
    char choices[CHOICES_TEXT];
    switch (row->kind) {
    case OPTION_SWITCH:
        return option_whole(row, text, &whole) ||
               error_set(error, ERROR_VALUE, "must be 0 or 1, not \"%s\"", text);
    case OPTION_WHOLE:
        return option_whole(row, text, &whole) ||
               error_set(error, ERROR_VALUE,
                         "must be a whole number from %" PRId64 " to %" PRId64 ", not \"%s\"",
                         row->min, row->max, text);
    case OPTION_BYTES:
        return option_whole(row, text, &whole) ||
               error_set(error, ERROR_VALUE,
                         "must be a number of bytes, or one with K, M or G behind it such as "
                         "256M, not \"%s\"",
                         text);
    case OPTION_NUMBER:
        return (number_parse(text, strlen(text), &number) && number >= -0x1p40 &&
                number <= 0x1p40) ||
               error_set(error, ERROR_VALUE, "must be a number such as 0.5, not \"%s\"", text);
    default:
        if (!*text)
            return error_set(error, ERROR_VALUE, "must not be empty");
        if (!is_choice(row, text))
            return error_set(error, ERROR_VALUE, "must be %s, not \"%s\"",
                             choices_text(row, choices), text);
        return !row->check || !options->checkers || options->checkers[row->check](text, error);
    }
}

static bool value_append(struct option_value *value, const char *text, struct error *error)
{
    char **texts = realloc(value->texts, (value->count + 1) * sizeof *texts);
    if (!texts)
        return error_memory(error);
    value->texts = texts;
    texts[value->count] = strdup(text);
    return texts[value->count++] || error_memory(error);
}

bool options_add(struct options *options, enum option_id id, const char *text,
                 enum option_origin origin, struct error *error)
{
    struct option_value *value = &options->values[id];
    if (origin < value->origin)
        return true;
    if (!check_value(options, &option_table[id], text, error))
        return false;
    if (origin > value->origin || option_table[id].kind != OPTION_LIST) {
        while (value->count > 0)
            free(value->texts[--value->count]);
        value->origin = origin;
    }
    return value_append(value, text, error);
}

bool options_copy(struct options *options, const struct options *from, enum option_origin origin,
                  struct error *error)
{
    *options = (struct options){.command = from->command, .checkers = from->checkers};
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        const struct option_value *value = &from->values[id];
        for (size_t i = 0; i < value->count && value->origin >= origin; i++)
            if (!options_add(options, id, value->texts[i], value->origin, error))
                return error_in_path(error, "--%s", option_table[id].name);
    }
    return true;
}

/* Scalars are compared with their defaults, so that an explicit default equals none. */
bool options_same(const struct options *a, const struct options *b, enum option_id id)
{
    const struct option_value *left = &a->values[id], *right = &b->values[id];
    if (option_table[id].kind != OPTION_LIST) {
        const char *one = options_text(a, id), *other = options_text(b, id);
        return one == other || (one && other && strcmp(one, other) == 0);
    }
    bool same = left->count == right->count;
    for (size_t i = 0; i < left->count && same; i++)
        same = strcmp(left->texts[i], right->texts[i]) == 0;
    return same;
}

bool options_given(const struct options *options, enum option_id id)
{
    return options->values[id].count > 0;
}

const char *options_text(const struct options *options, enum option_id id)
{
    return options_given(options, id) ? options->values[id].texts[0] : option_table[id].fallback;
}

int64_t options_whole(const struct options *options, enum option_id id)
{
    int64_t value = 0;
    const char *text = options_text(options, id);
    return text && option_whole(&option_table[id], text, &value) ? value : 0;
}

double options_number(const struct options *options, enum option_id id)
{
    double value = 0;
    const char *text = options_text(options, id);
    return text && number_parse(text, strlen(text), &value) ? value : 0;
}

const char *const *options_list(const struct options *options, enum option_id id, size_t *count)
{
    const char *const *fallback = &option_table[id].fallback;
    *count = options->values[id].count;
    if (*count > 0)
        return (const char *const *)options->values[id].texts;
    *count = *fallback ? 1 : 0;
    return fallback;
}

void option_key(enum option_id id, bool environment, char out[OPTION_KEY_TEXT])
{
    snprintf(out, OPTION_KEY_TEXT, "%s%s", environment ? "TERRANE_" : "", option_table[id].name);
    for (char *c = out; *c; c++) {
        if (*c == '-')
            *c = '_';
        else if (environment)
            *c = (char)toupper((unsigned char)*c);
    }
}

/* Writes the command's rows in the form that getopt_long() needs. */
static void getopt_tables(unsigned command, struct option longs[OPTION_COUNT + 1],
                          char letters[LETTERS])
{
    size_t count = 0, length = 0;
    letters[length++] = '+'; /* return at an argument that is no option */
    letters[length++] = ':'; /* distinguish a missing value from an unknown option */
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_table[id];
        if (!(row->commands & command))
            continue;
        int argument = row->kind == OPTION_SWITCH ? no_argument : required_argument;
        longs[count++] = (struct option){row->name, argument, NULL, RETURN_BASE + (int)id};
        if (row->letter) {
            letters[length++] = row->letter;
            if (argument == required_argument)
                letters[length++] = ':';
        }
    }
    longs[count] = (struct option){0};
    letters[length] = 0;
}

/* The letter is one of the command's. */
static int option_of_letter(unsigned command, int letter)
{
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].letter == letter && option_table[id].commands & command)
            return (int)id;
    return -1;
}

/* "--naem" gets a suggestion; a word with one dash does not. */
static bool error_unknown_option(const char *given, const struct option *longs, struct error *error)
{
    char name[64];
    const char *candidates[OPTION_COUNT] = {0};
    size_t count = 0, length = strcspn(given, "=");
    for (; longs[count].name; count++)
        candidates[count] = longs[count].name;
    snprintf(name, sizeof name, "%.*s", (int)length, given);
    const char *near =
        strncmp(name, "--", 2) == 0 ? error_suggest(name + 2, candidates, count) : NULL;
    if (near)
        return error_set(error, ERROR_SYNTAX, "unknown option \"%s\" (did you mean \"--%s\"?)",
                         name, near);
    return error_set(error, ERROR_SYNTAX, "unknown option \"%s\"", name);
}

/* Adds the option that getopt_long() found, or reports why there is none. `given` is the word that
 * it has read. */
static bool option_take(struct options *options, int found, const char *given,
                        const struct option *longs, struct error *error)
{
    if (found == ':')
        return error_set(error, ERROR_SYNTAX, "%s needs a value", given);
    if (found == '?' && optopt >= RETURN_BASE)
        return error_set(error, ERROR_SYNTAX, "--%s takes no value",
                         option_table[optopt - RETURN_BASE].name);
    if (found == '?')
        return error_unknown_option(given, longs, error);
    int id = found >= RETURN_BASE ? found - RETURN_BASE : option_of_letter(options->command, found);
    if (options_add(options, (enum option_id)id, optarg ? optarg : "1", ORIGIN_FLAG, error))
        return true;
    return error_in_path(error, "--%s", option_table[id].name);
}

/* True for "-5", "-.5" and "-", which getopt_long() would take for options. */
static bool is_argument(const char *text)
{
    bool number = text[0] == '-' && (isdigit((unsigned char)text[1]) || text[1] == '.');
    return text[0] != '-' || text[1] == 0 || number;
}

/* getopt_long() runs on one word at a time ("+" in the letters), so that options and arguments may
 * be mixed and negative numbers can be told from options before it sees them. */
bool options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    struct option longs[OPTION_COUNT + 1];
    char letters[LETTERS];
    options->arguments = calloc((size_t)argc + 1, sizeof(char *));
    if (!options->arguments)
        return error_memory(error);
    getopt_tables(options->command, longs, letters);
    opterr = 0;
    /* Resets the state of getopt_long(), which an earlier call may have left within a word. */
    optind = 0;
    getopt_long(1, argv, letters, longs, NULL);
    optind = 1;
    bool only_arguments = false; /* after "--" */
    while (optind < argc) {
        char *given = argv[optind];
        if (only_arguments || is_argument(given)) {
            options->arguments[options->argument_count++] = given;
            optind++;
            continue;
        }
        int found = getopt_long(argc, argv, letters, longs, NULL);
        only_arguments = found == -1;
        if (!only_arguments && !option_take(options, found, given, longs, error))
            return false;
    }
    return true;
}

static void print_row(const struct option_row *row, FILE *out)
{
    enum { LEFT = 33 }; /* columns of the option */
    char left[64], choices[CHOICES_TEXT], text[HELP_TEXT];
    snprintf(left, sizeof left, "%c%c%s --%s%s%s", row->letter ? '-' : ' ',
             row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
             row->argument ? " " : "", row->argument ? row->argument : "");
    /* printf() pads to bytes. */
    const size_t beyond = strlen(left) - utf8_count(left, strlen(left));
    fprintf(out, "  %-*s ", LEFT + (int)beyond, left);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", row->help, row->choices[0] ? ": " : "",
             row->choices[0] ? choices_text(row, choices) : "", row->fallback ? " [" : "",
             row->fallback ? row->fallback : "", row->game ? "; for a game " : "",
             row->game ? row->game : "", row->fallback ? "]" : "");
    terminal_print_indented(out, text, 2 + LEFT + 1);
}

void options_print_help(unsigned command, option_describer *describe, FILE *out)
{
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        if (!(option_table[id].commands & command))
            continue;
        struct option_row row = option_table[id];
        describe(command, id, &row);
        print_row(&row, out);
    }
}
