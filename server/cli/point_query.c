/* terrane query: the values at a place, or at each place of standard input. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "server/cli/command.h"
#include "server/queries/point_query.h"

/* The state that the queries of all places share; the place is set for each. */
struct point_queries {
    const struct catalog_world *world;
    struct sampler *sampler;
    struct point_query query;
    unsigned layers[WORLD_LAYERS_MAX + 1];
    bool json;
};

static bool read_layers(struct point_queries *queries, const struct options *options,
                        struct error *error)
{
    size_t count;
    const char *const *names = options_list(options, OPTION_LAYER, &count);
    for (size_t i = 0; i < count; i++) {
        int layer;
        if (!catalog_layer(queries->world->world, names[i], &layer, error))
            return false;
        for (size_t k = 0; k < i; k++)
            if (queries->layers[k] == (unsigned)layer)
                return error_set(error, ERROR_VALUE, "--layer %s is given twice", names[i]);
        queries->layers[i] = (unsigned)layer;
    }
    queries->query.layers = count ? queries->layers : NULL;
    queries->query.layer_count = (unsigned)count;
    return true;
}

static bool ask(struct point_queries *queries, struct buffer *out, struct error *error)
{
    return queries->json
               ? point_query_json(queries->sampler, queries->world, &queries->query, out, error)
               : point_query_text(queries->sampler, queries->world, &queries->query, out, error);
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

static bool ask_line(struct point_queries *queries, const char *line, bool first,
                     struct error *error)
{
    struct buffer out = {0};
    /* An empty line separates answers of several lines. */
    if (!first && !queries->json && queries->query.layer_count != 1)
        buffer_byte(&out, '\n');
    bool done = parse_point(line, &queries->query.place, error) && ask(queries, &out, error);
    if (done && fwrite(out.data, 1, out.length, stdout) != out.length)
        done = error_set(error, ERROR_IO, "standard output cannot be written: %s", strerror(errno));
    buffer_free(&out);
    return done;
}

static bool ask_lines(struct point_queries *queries, struct error *error)
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
            done = ask_line(queries, line, first, error);
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

static bool ask_arguments(struct point_queries *queries, const struct options *options,
                          struct error *error)
{
    int64_t *coordinates[2] = {&queries->query.place.x, &queries->query.place.y};
    for (int i = 0; i < 2; i++) {
        const char *text = options->arguments[i];
        if (!place_parse(text, strlen(text), coordinates[i], error))
            return error_in_path(error, "%s", i ? "Y" : "X");
    }
    struct buffer out = {0};
    bool done = ask(queries, &out, error);
    if (done)
        return command_print(&out) == EXIT_DONE;
    buffer_free(&out);
    return false;
}

static bool query_world(const struct options *options, const struct catalog_world *world,
                        void *context, struct error *error)
{
    (void)context;
    struct point_queries queries = {
        .world = world,
        .sampler = sampler_new(),
        .query = {.zoom = options_given(options, OPTION_ZOOM)
                              ? (int)options_whole(options, OPTION_ZOOM)
                              : -1,
                  .z = place_from_metres(options_number(options, OPTION_Z)),
                  .t = place_from_metres(options_number(options, OPTION_TIME)),
                  .named = options_given(options, OPTION_NAMED)},
        .json = options_given(options, OPTION_JSON),
    };
    bool done = queries.sampler ? read_layers(&queries, options, error) : error_memory(error);
    if (done)
        done = options->argument_count == 1 ? ask_lines(&queries, error)
                                            : ask_arguments(&queries, options, error);
    sampler_free(queries.sampler);
    return done;
}

enum exit_status command_query(const struct options *options)
{
    bool lines = options->argument_count == 1 && strcmp(options->arguments[0], "-") == 0;
    if (!lines && options->argument_count != 2)
        return command_misuse(options, "query needs a place: X Y in metres, or - to read places "
                                       "from standard input");
    if (options_given(options, OPTION_NAMED) && options_given(options, OPTION_LAYER))
        return command_misuse(options, "--named goes with all layers, not with --layer");
    return command_with_world(options, query_world, NULL);
}
