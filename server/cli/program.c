/* terrane check --program: prints what the formulas of a world are compiled to. */
#include <stdlib.h>
#include <string.h>

#include "server/cli/command.h"
#include "server/worlds/catalog_world.h"

/* The colon before the layer, or null. One in the path of a file is none: layers' names have
 * neither slashes nor dots. */
static char *find_colon(char *text)
{
    char *colon = strrchr(text, ':');
    return colon && !strpbrk(colon, "/.") ? colon : NULL;
}

/* Completes the error of an unknown name. */
static bool fail_unknown(struct error *error, const char *command, const char *argument)
{
    const struct error unknown = *error;
    if (unknown.code == ERROR_UNKNOWN)
        error_set(error, ERROR_UNKNOWN, "%s; \"terrane %s%s\" lists all", unknown.message, command,
                  argument);
    return false;
}

static bool print_world(struct catalog *catalog, const char *name, const char *layer_name,
                        struct error *error)
{
    const struct catalog_world *world = command_find_world(catalog, name, error);
    struct buffer out = {0};
    int layer = -1;
    if (!world)
        return fail_unknown(error, "worlds", "");
    bool done = !layer_name || catalog_layer(world->world, layer_name, &layer, error) ||
                fail_unknown(error, "check --program ", name);
    if (done) {
        world_print_program(world->world, layer, &out);
        done = command_print(&out) == EXIT_DONE;
    }
    catalog_release(world);
    return done;
}

enum exit_status command_program(const struct options *options)
{
    struct error error = {0};
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    char *name = strdup(options_text(options, OPTION_PROGRAM));
    char *colon = name ? find_colon(name) : NULL;
    struct catalog *catalog = name ? command_catalog(options) : NULL;
    if (colon)
        *colon++ = '\0';
    const bool done = catalog && print_world(catalog, name, colon, &error);
    if (!name)
        error_memory(&error);
    catalog_free(catalog);
    free(name);
    return done ? EXIT_DONE : command_fail(&error);
}
