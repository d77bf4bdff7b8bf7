/* terrane query: what is at a place, or at each place of standard input. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "server/cli/command.h"
#include "server/queries/point_query.h"

/* A query in the making: what all its places share. */
struct asking {
    const struct catalog_world *world;
    struct sampler *sampler;
    struct query query;
    unsigned layers[WORLD_LAYERS_MAX + 1];
    bool json;
};

static bool read_layers(struct asking *asking, const struct options *options, struct error *error)
{
    size_t count;
    const char *const *names = options_list(options, OPTION_LAYER, &count);
    for (size_t i = 0; i < count; i++) {
        int layer;
        if (!command_layer(asking->world->world, names[i], &layer, error))
            return false;
        for (size_t k = 0; k < i; k++)
            if (asking->layers[k] == (unsigned)layer)
                return error_set(error, ERROR_VALUE, "--layer %s is given twice", names[i]);
        asking->layers[i] = (unsigned)layer;
    }
    asking->query.layers = count ? asking->layers : NULL;
    asking->query.layer_count = (unsigned)count;
    return true;
}

static bool ask(struct asking *asking, struct buffer *out, struct error *error)
{
    return asking->json
               ? query_json(asking->sampler, asking->world, &asking->query, false, out, error)
               : query_text(asking->sampler, asking->world, &asking->query, out, error);
}

/* "x y" or "x,y", with blanks around. */
static bool parse_point(const char *line, struct place *place, struct error *error)
{
    static const char blanks[] = " \t\r\n";
    const char *x = line + strspn(line, blanks);
    size_t x_length = strcspn(x, " \t\r\n,");
    const char *y = x + x_length + strspn(x + x_length, blanks);
    if (*y == ',')
        y += 1 + strspn(y + 1, blanks);
    size_t y_length = strcspn(y, blanks);
    if (!x_length || !y_length || y[y_length + strspn(y + y_length, blanks)])
        return error_set(error, ERROR_SYNTAX, "expected \"x y\" or \"x,y\" in metres");
    return place_parse(x, x_length, &place->x, error) && place_parse(y, y_length, &place->y, error);
}

static bool ask_line(struct asking *asking, const char *line, bool first, struct error *error)
{
    struct buffer out = {0};
    /* Several answers of more than a line each are parted by an empty one. */
    if (!first && !asking->json && asking->query.layer_count != 1)
        buffer_byte(&out, '\n');
    bool done = parse_point(line, &asking->query.place, error) && ask(asking, &out, error);
    if (done && fwrite(out.data, 1, out.length, stdout) != out.length)
        done = error_set(error, ERROR_IO, "standard output cannot be written: %s", strerror(errno));
    buffer_free(&out);
    return done;
}

static bool ask_lines(struct asking *asking, struct error *error)
{
    char line[512];
    bool first = true;
    for (uint32_t number = 1; fgets(line, sizeof line, stdin); number++) {
        size_t length = strlen(line);
        bool done = true;
        if (length + 1 == sizeof line && line[length - 1] != '\n')
            done =
                error_set(error, ERROR_LIMIT, "the line is longer than %zu bytes", sizeof line - 2);
        else if (line[strspn(line, " \t\r\n")]) {
            done = ask_line(asking, line, first, error);
            first = false;
        }
        if (!done) {
            error->line = number;
            return error_in_file(error, "standard input");
        }
    }
    if (ferror(stdin))
        return error_set(error, ERROR_IO, "standard input cannot be read: %s", strerror(errno));
    return fflush(stdout) == 0 ||
           error_set(error, ERROR_IO, "standard output cannot be written: %s", strerror(errno));
}

static bool ask_arguments(struct asking *asking, const struct options *options, struct error *error)
{
    int64_t *coordinates[2] = {&asking->query.place.x, &asking->query.place.y};
    for (int i = 0; i < 2; i++) {
        const char *text = options->arguments[i];
        if (!place_parse(text, strlen(text), coordinates[i], error))
            return error_in_path(error, "%s", i ? "Y" : "X");
    }
    struct buffer out = {0};
    bool done = ask(asking, &out, error);
    if (done)
        return command_print(&out) == EXIT_DONE;
    buffer_free(&out);
    return false;
}

static bool query_world(const struct options *options, struct catalog *catalog, struct error *error)
{
    struct asking asking = {
        .world = command_world(catalog, options, error),
        .query = {.zoom = options_given(options, OPTION_ZOOM)
                              ? (int)options_whole(options, OPTION_ZOOM)
                              : -1,
                  .z = place_from_metres(options_number(options, OPTION_Z)),
                  .t = place_from_metres(options_number(options, OPTION_TIME))},
        .json = options_given(options, OPTION_JSON),
    };
    bool done = asking.world && read_layers(&asking, options, error);
    if (done && !(asking.sampler = sampler_new()))
        done = error_memory(error);
    if (done)
        done = options->argument_count == 1 ? ask_lines(&asking, error)
                                            : ask_arguments(&asking, options, error);
    if (asking.sampler)
        sampler_free(asking.sampler);
    catalog_release(asking.world);
    return done;
}

enum exit_status command_query(const struct options *options)
{
    bool lines = options->argument_count == 1 && strcmp(options->arguments[0], "-") == 0;
    if (!command_takes(options, 2))
        return EXIT_USAGE;
    if (!lines && options->argument_count != 2)
        return command_misuse(options, "query needs a place: X Y in metres, or - to read places "
                                       "from standard input");
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return EXIT_FAILED;
    struct error error = {0};
    bool done = query_world(options, catalog, &error);
    catalog_free(catalog);
    if (!done && error.code != ERROR_NONE)
        command_fail(&error);
    return done ? EXIT_DONE : EXIT_FAILED;
}
