/* terrane profile, stats, locate, objects, trace, rivers, labels: the queries of
 * server/queries/query.h that have a command. Their parameters are options of the same names with
 * "-" for "_"; a place is the arguments X and Y. */
#include <stdio.h>
#include <string.h>

#include "server/cli/command.h"
#include "server/queries/query.h"

/* The command's option of a parameter's name, or OPTION_COUNT. */
static enum option_id find_option(unsigned command, const char *name)
{
    char option[OPTION_KEY_TEXT];
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        option_key(id, false, option);
        if ((option_table[id].commands & command) && strcmp(option, name) == 0)
            return id;
    }
    return OPTION_COUNT;
}

static bool is_coordinate(const char *name)
{
    return strcmp(name, "x") == 0 || strcmp(name, "y") == 0;
}

static const char *parameter_text(const void *context, const char *name)
{
    const struct options *options = context;
    const enum option_id id = find_option(options->command, name);
    if (is_coordinate(name)) {
        const size_t index = name[0] == 'y';
        return index < options->argument_count ? options->arguments[index] : NULL;
    }
    return id != OPTION_COUNT && options_given(options, id) ? options_text(options, id) : NULL;
}

/* An error names a parameter; the user gave an option or an argument. */
static void name_option(unsigned command, struct error *error)
{
    char path[sizeof error->path] = "";
    const enum option_id id = find_option(command, error->path);
    if (is_coordinate(error->path))
        snprintf(path, sizeof path, "%c", error->path[0] - 'a' + 'A');
    else if (id != OPTION_COUNT)
        snprintf(path, sizeof path, "--%s", option_table[id].name);
    if (path[0])
        memcpy(error->path, path, sizeof path);
}

static const struct query *find_query(unsigned command)
{
    for (size_t i = 0; i < command_count; i++)
        if (command_table[i].bit == command)
            return query_find(command_table[i].name);
    return NULL;
}

/* The parameter of the command's query that the option stands for, or null. */
static const struct parameter *find_parameter(unsigned command, enum option_id id)
{
    const struct query *query = find_query(command);
    for (parameter_set rest = query ? query->parameters : 0; rest; rest &= rest - 1) {
        const struct parameter *parameter = &parameter_table[parameter_first(rest)];
        if (find_option(command, parameter->name) == id)
            return parameter;
    }
    return NULL;
}

void command_describe_option(unsigned command, enum option_id id, struct option_row *row)
{
    const struct parameter *parameter = find_parameter(command, id);
    if (!parameter)
        return;
    row->help = parameter->text;
    row->fallback = parameter->fallback;
}

const char *command_option_words(unsigned command, enum option_id id)
{
    const struct parameter *parameter = find_parameter(command, id);
    return parameter ? parameter->choices : NULL;
}

static bool read_query(const struct options *options, struct query_run *run, struct error *error)
{
    const struct parameter_source source = {options, parameter_text};
    if (parameters_read(run->query->parameters, &source, &run->values, error) &&
        (!run->query->prepare || run->query->prepare(run, error)))
        return true;
    name_option(options->command, error);
    return false;
}

static enum query_form form_of(const struct options *options)
{
    return options_given(options, OPTION_GEOJSON) ? QUERY_GEOJSON
           : options_given(options, OPTION_JSON)  ? QUERY_JSON
                                                  : QUERY_TEXT;
}

static bool ask(const struct options *options, const struct catalog_world *world, void *context,
                struct error *error)
{
    struct query_run run = {
        .query = context,
        .world = world,
        .form = form_of(options),
    };
    struct buffer out = {0};
    struct sampler *sampler = sampler_new();
    bool done = sampler ? read_query(options, &run, error) : error_memory(error);
    done = done && query_evaluate(&run, sampler, &out, error);
    sampler_free(sampler);
    if (done)
        return command_print(&out) == EXIT_DONE;
    buffer_free(&out);
    return false;
}

/* Checks that everything required is given, before worlds are loaded. */
static enum exit_status check_usage(const struct options *options, const struct query *query)
{
    size_t conditions;
    options_list(options, OPTION_WHERE, &conditions);
    if (options_given(options, OPTION_JSON) && options_given(options, OPTION_GEOJSON))
        return command_misuse(options, "give either --json or --geojson, not both");
    if ((query->parameters & PARAMETER_BIT(X)) && options->argument_count != 2)
        return command_misuse(options, "%s needs a place: X Y in metres", query->name);
    if ((query->parameters & PARAMETER_BIT(BIOME)) &&
        conditions + options_given(options, OPTION_BIOME) +
                options_given(options, OPTION_MIN_HEIGHT) + options_given(options, OPTION_FEATURE) +
                options_given(options, OPTION_NAME) !=
            1)
        return command_misuse(options,
                              "give either --where CONDITION, --biome NAME, --min-height H, "
                              "--feature KIND or --name PREFIX");
    for (parameter_set rest = query->parameters; rest; rest &= rest - 1) {
        const struct parameter *parameter = &parameter_table[parameter_first(rest)];
        const enum option_id id = find_option(options->command, parameter->name);
        if (!parameter->required || options_given(options, id))
            continue;
        const char *argument = option_table[id].argument;
        return command_misuse(options, "--%s %.*s is needed", option_table[id].name,
                              (int)strcspn(argument, "["), argument);
    }
    return EXIT_DONE;
}

enum exit_status command_ask(const struct options *options)
{
    const struct query *query = find_query(options->command);
    const enum exit_status status = check_usage(options, query);
    return status == EXIT_DONE ? command_with_world(options, ask, (void *)query) : status;
}
