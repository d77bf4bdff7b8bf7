/* Functions that commands share: messages, output and the catalog. Messages go to standard error,
 * results to standard output; a result is composed in memory and written at once, so that a failed
 * write is noticed. */
#include "server/cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/terminal.h"
#include "server/settings/settings.h"
#include "server/worlds/pin.h"
#include "server/worlds/sources.h"

enum { LINE = sizeof(struct error) + 64 }; /* holds every formatted error */

static const char *command_name(const struct options *options)
{
    for (size_t i = 0; i < command_count; i++)
        if (command_table[i].bit == options->command)
            return command_table[i].name;
    return "";
}

static void print_name(void)
{
    fprintf(stderr, "%sterrane:%s ", terminal_error(stderr), terminal_plain(stderr));
}

enum exit_status command_fail(const struct error *error)
{
    char line[LINE];
    error_format(error, line, sizeof line);
    if (error->code != ERROR_NONE) {
        print_name();
        fprintf(stderr, "%s\n", line);
    }
    return EXIT_FAILED;
}

void command_complain(const char *file, const struct error *error)
{
    char line[LINE];
    struct error placed = *error;
    error_in_file(&placed, file);
    error_format(&placed, line, sizeof line);
    fprintf(stderr, "%s\n", line);
}

enum exit_status command_misuse(const struct options *options, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_name();
    vfprintf(stderr, format, list);
    fprintf(stderr, "\nSee \"terrane %s --help\".\n", command_name(options));
    va_end(list);
    return EXIT_USAGE;
}

bool command_takes(const struct options *options, size_t most)
{
    if (options->argument_count <= most)
        return true;
    command_misuse(options, "unexpected argument \"%s\"", options->arguments[most]);
    return false;
}

enum exit_status command_print(struct buffer *text)
{
    struct error error = {0};
    if (text->failed)
        error_memory(&error);
    else if ((text->length && fwrite(text->data, 1, text->length, stdout) != text->length) ||
             fflush(stdout) != 0)
        error_set(&error, ERROR_IO, "standard output cannot be written: %s", strerror(errno));
    buffer_free(text);
    return error.code == ERROR_NONE ? EXIT_DONE : command_fail(&error);
}

static void report_error(void *reported, const struct error *error)
{
    command_fail(error);
    *(bool *)reported = true;
}

struct catalog *command_catalog(const struct options *options)
{
    struct error error = {0};
    bool reported = false;
    struct catalog_options wanted = settings_catalog(options);
    wanted.report = report_error;
    wanted.context = &reported;
    struct catalog *catalog = catalog_load(&wanted, &error);
    if (!catalog && !reported)
        command_fail(&error);
    return catalog;
}

/* Finds the "~" before the seed in --world; null if there is none. The text names a file if it has
 * a
 * "/", or if ".json" ends the part before the seed. As a seed may contain any character, the name
 * of a file ends at a "~" after ".json", otherwise at the last "~" after the last "/". */
static const char *find_seed(const char *text, bool *is_file)
{
    const char *tilde = strchr(text, '~'), *slash = strrchr(text, '/');
    const char *dot = strstr(text, ".json");
    *is_file = true;
    for (; dot; dot = strstr(dot + 1, ".json"))
        if (dot[5] == '~' || dot[5] == 0)
            return dot[5] ? dot + 5 : NULL;
    if (slash && (!tilde || tilde == text || tilde > strchr(text, '/')))
        return strrchr(slash, '~');
    *is_file = false;
    return tilde;
}

static const struct catalog_world *open_file(struct catalog *catalog, const char *path,
                                             const char *seed)
{
    struct diagnostics diagnostics;
    const struct catalog_world *world = catalog_open_file(catalog, path, seed, &diagnostics);
    for (unsigned i = 0; !world && i < diagnostics.count; i++)
        command_fail(&diagnostics.errors[i]);
    return world;
}

/* NAME[~SEED][@PIN], which is cut at its marks. */
static const struct catalog_world *find_world(struct catalog *catalog, char *name, char *seed,
                                              struct error *error)
{
    char *at = strrchr(seed ? seed : name, '@');
    struct catalog_reference reference = {.name = name, .seed = seed};
    if (at && pin_is_valid(PIN_WORLD, at + 1, strlen(at + 1))) {
        *at = '\0';
        reference.pin = at + 1;
    }
    const struct catalog_world *base = catalog_find_version(catalog, &reference, error);
    const struct catalog_world *world =
        base ? catalog_acquire_seed(catalog, base, seed, error) : NULL;
    if (!world || !reference.pin || strcmp(world->identity.fingerprint, reference.pin) == 0)
        return world;
    error_set(error, ERROR_VALUE, "the world \"%s\" has changed: %s is now %s", name, reference.pin,
              world->identity.fingerprint);
    catalog_release(world);
    return NULL;
}

const struct catalog_world *command_find_world(struct catalog *catalog, const char *text,
                                               struct error *error)
{
    if (!text)
        return catalog_acquire(catalog, NULL, NULL, error);
    bool is_file;
    const char *tilde = find_seed(text, &is_file);
    char *name = strdup(text), *seed = name && tilde ? name + (tilde - text) : NULL;
    const struct catalog_world *world = NULL;
    if (seed)
        *seed++ = '\0';
    if (!name)
        error_memory(error);
    else
        world = is_file ? open_file(catalog, name, seed) : find_world(catalog, name, seed, error);
    free(name);
    return world;
}

const struct catalog_world *command_world(struct catalog *catalog, const struct options *options,
                                          struct error *error)
{
    return command_find_world(catalog, options_text(options, OPTION_WORLD), error);
}

enum exit_status command_with_world(const struct options *options, command_function *run,
                                    void *context)
{
    struct error error = {0};
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return EXIT_FAILED;
    const struct catalog_world *world = command_world(catalog, options, &error);
    const bool done = world && run(options, world, context, &error);
    catalog_release(world);
    catalog_free(catalog);
    return done ? EXIT_DONE : command_fail(&error);
}
