/* terrane profile, stats, locate, objects: the questions of server/queries/query.h. Their
 * parameters are options of the same names, a place is the arguments X and Y. */
#include <stdio.h>
#include <string.h>

#include "server/cli/command.h"
#include "server/queries/query.h"

static const struct {
    const char *parameter;
    enum option_id option;
} given_as[] = {
    {"line", OPTION_LINE}, {"samples", OPTION_SAMPLES},       {"bbox", OPTION_BBOX},
    {"kind", OPTION_KIND}, {"biome", OPTION_BIOME},           {"radius", OPTION_RADIUS},
    {"x", OPTION_COUNT},   {"min_height", OPTION_MIN_HEIGHT}, {"y", OPTION_COUNT},
};

static const char *option_of(const void *context, const char *name)
{
    const struct options *options = context;
    size_t index = strcmp(name, "y") == 0;
    for (size_t i = 0; i < sizeof given_as / sizeof *given_as; i++) {
        if (strcmp(given_as[i].parameter, name) != 0)
            continue;
        if (given_as[i].option == OPTION_COUNT)
            return index < options->argument_count ? options->arguments[index] : NULL;
        return options_given(options, given_as[i].option)
                   ? options_text(options, given_as[i].option)
                   : NULL;
    }
    return NULL;
}

/* error.path names a parameter; a person gave an option or an argument. */
static void name_option(struct error *error)
{
    char path[sizeof error->path] = "";
    for (size_t i = 0; i < sizeof given_as / sizeof *given_as; i++) {
        if (strcmp(given_as[i].parameter, error->path) != 0)
            continue;
        if (given_as[i].option == OPTION_COUNT)
            snprintf(path, sizeof path, "%c", error->path[0] - 'a' + 'A');
        else
            snprintf(path, sizeof path, "--%s", option_table[given_as[i].option].name);
    }
    if (path[0])
        memcpy(error->path, path, sizeof path);
}

static const struct question *question_of(const struct options *options)
{
    for (size_t i = 0; i < command_count; i++)
        if (command_table[i].bit == options->command)
            return question_find(command_table[i].name, strlen(command_table[i].name));
    return NULL;
}

static bool ask(const struct options *options, struct catalog *catalog, struct buffer *out,
                struct error *error)
{
    const struct question_source source = {options, option_of, error};
    struct inquiry inquiry = {
        .question = question_of(options),
        .world = command_world(catalog, options, error),
        .form = options_given(options, OPTION_JSON) ? QUESTION_JSON : QUESTION_TEXT,
    };
    struct sampler *sampler = inquiry.world ? sampler_new() : NULL;
    bool done = inquiry.world && (sampler || error_memory(error));
    done = done && inquiry.question->read(&source, &inquiry);
    if (inquiry.world && !done)
        name_option(error);
    done = done && inquiry.question->answer(&inquiry, sampler, out, error);
    if (sampler)
        sampler_free(sampler);
    catalog_release(inquiry.world);
    return done;
}

/* What must be there, told before anything is loaded. */
static enum exit_status check_usage(const struct options *options)
{
    bool locate = options->command == FOR_LOCATE;
    if (!command_takes(options, locate ? 2 : 0))
        return EXIT_USAGE;
    if (locate && options->argument_count != 2)
        return command_misuse(options, "locate needs a place: X Y in metres");
    if (locate && options_given(options, OPTION_BIOME) == options_given(options, OPTION_MIN_HEIGHT))
        return command_misuse(options, "give either --biome NAME or --min-height H");
    if (options->command == FOR_PROFILE && !options_given(options, OPTION_LINE))
        return command_misuse(options, "--line X,Y;X,Y is needed");
    if ((options->command & (FOR_STATS | FOR_OBJECTS)) && !options_given(options, OPTION_BBOX))
        return command_misuse(options, "--bbox X0,Y0,X1,Y1 is needed");
    return EXIT_DONE;
}

enum exit_status command_question(const struct options *options)
{
    enum exit_status status = check_usage(options);
    struct catalog *catalog = status == EXIT_DONE ? command_catalog(options) : NULL;
    struct buffer out = {0};
    struct error error = {0};
    if (!catalog)
        return status == EXIT_DONE ? EXIT_FAILED : status;
    bool done = ask(options, catalog, &out, &error);
    catalog_free(catalog);
    if (done)
        return command_print(&out);
    buffer_free(&out);
    return command_fail(&error);
}
