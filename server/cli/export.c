/* terrane export: finds the kind of export by the options and the name of the file, refuses options
 * that other kinds have, and runs the job. */
#include "server/cli/export.h"

#include <string.h>

#include "server/export/job.h"

/* Options of `render` that pictures and tiles have, and not all exports. */
static const enum option_id picture_options[] = {OPTION_TILE,     OPTION_SIZE,   OPTION_COLS,
                                                 OPTION_INTERVAL, OPTION_FORMAT, OPTION_WIDTH,
                                                 OPTION_EFFORT,   OPTION_LABELS};
enum { PICTURE_OPTIONS = sizeof picture_options / sizeof *picture_options };

/* True if a kind of export has the option, and not all have it. */
static bool is_of_exports(enum option_id id)
{
    const struct export_kind *const *kind = export_kinds;
    while (*kind && !export_kind_has(*kind, id))
        kind++;
    return *kind != NULL;
}

static bool is_of_pictures(enum option_id id)
{
    size_t i = 0;
    while (i < PICTURE_OPTIONS && picture_options[i] != id)
        i++;
    return i < PICTURE_OPTIONS;
}

/* "map tiles; meshes, .glb and .stl": the kinds that have the option. */
static const char *names_of(unsigned command, enum option_id id, char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (const struct export_kind *const *kind = export_kinds; *kind; kind++)
        if ((*kind)->commands & command && export_kind_has(*kind, id))
            length += (size_t)snprintf(text + length, FORMAT_NAMES_TEXT - length, "%s%s",
                                       length ? "; " : "", (*kind)->name);
    return text;
}

/* True if the name seems to be that of a file: "x.obj", but neither "v1.2" nor ".obj". */
static bool has_ending(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] != '\0' && strchr(letters, dot[1]);
}

/* A folder of --step whose name looks like that of a file. */
static bool check_ending(const struct options *options, const struct export_kind *chosen,
                         const char *path, struct error *error)
{
    char text[FORMAT_NAMES_TEXT] = "", names[FORMAT_NAMES_TEXT];
    size_t length = 0;
    if (!options_given(options, OPTION_EXPORT_STEP) || !path || !has_ending(path) ||
        chosen->takes(options, path))
        return true;
    for (const struct export_kind *const *kind = export_kinds; *kind; kind++)
        if ((*kind)->endings && length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "in %s for a %s, ",
                                       (*kind)->endings(names), (*kind)->noun);
    error_set(error, ERROR_VALUE,
              "must end %sor in / for a folder, if its name has such an ending, not \"%s\"", text,
              path);
    return error_in_path(error, "-o");
}

/* The first option that is given and that the kind, or without one no picture, has; OPTION_COUNT if
 * there is none. */
static enum option_id find_foreign(const struct options *options, const struct export_kind *kind)
{
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (options_given(options, id) && (is_of_exports(id) || is_of_pictures(id)) &&
            (kind ? !export_kind_has(kind, id) : !is_of_pictures(id)))
            return id;
    return OPTION_COUNT;
}

static enum exit_status refuse_option(const struct options *options, const struct export_kind *kind,
                                      enum option_id id, const char *path)
{
    char names[FORMAT_NAMES_TEXT];
    const char *name = option_table[id].name;
    if (kind && options->command == FOR_RENDER && is_of_pictures(id))
        return command_misuse(options, "--%s does not go with the %s \"%s\"", name, kind->noun,
                              path);
    names_of(options->command, id, names);
    return path ? command_misuse(options, "--%s is for %s, not for \"%s\"", name, names, path)
                : command_misuse(options, "--%s is for %s", name, names);
}

static bool run_job(const struct options *options, const struct catalog_world *world, void *context,
                    struct error *error)
{
    (void)options;
    return export_job_run(context, world, error);
}

/* An error of no single option is one of how the command is used. */
static enum exit_status refuse(const struct options *options, const struct error *error)
{
    if (error->code == ERROR_MEMORY)
        return command_fail(error);
    if (!error->path[0])
        return command_misuse(options, "%s", error->message);
    command_fail(error);
    return EXIT_USAGE;
}

static enum exit_status export_kind(const struct options *options, const struct export_kind *kind,
                                    const char *path)
{
    struct export_job job = {0};
    struct error error = {0};
    const enum option_id foreign = find_foreign(options, kind);
    if (foreign != OPTION_COUNT)
        return refuse_option(options, kind, foreign, path);
    const bool is_read =
        check_ending(options, kind, path, &error) && export_job_read(&job, kind, options, &error);
    const enum exit_status status =
        is_read ? command_with_world(options, run_job, &job) : refuse(options, &error);
    export_job_free(&job);
    return status;
}

enum exit_status command_export(const struct options *options)
{
    const char *path = options_text(options, OPTION_ARCHIVE);
    return export_kind(options, export_kind_of(options, path), path);
}

bool export_rendered(const struct options *options, enum exit_status *status)
{
    const char *path = options_text(options, OPTION_OUTPUT);
    const struct export_kind *kind = export_kind_of(options, path);
    const enum option_id foreign = kind ? OPTION_COUNT : find_foreign(options, NULL);
    if (!kind && foreign == OPTION_COUNT)
        return false;
    if (kind)
        *status = export_kind(options, kind, path);
    else
        *status = path ? refuse_option(options, NULL, foreign, path)
                       : command_misuse(options, "-o FILE is needed");
    return true;
}
