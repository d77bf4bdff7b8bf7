/* terrane check: validates files of worlds, styles and settings, or without arguments everything
 * that `serve` would load. It uses the parsers of the server, so that a file that passes here loads
 * there, and goes on after an error, so that one run reports the errors of all files. */
#include <stdio.h>
#include <string.h>

#include "core/world/inspect.h"
#include "core/world/sampler.h"
#include "server/base/file.h"
#include "server/cli/command.h"
#include "server/cli/option_checkers.h"
#include "server/settings/settings.h"
#include "server/worlds/catalog_world.h"
#include "server/worlds/sources.h"

enum content { CONTENT_WORLD, CONTENT_STYLE, CONTENT_SETTINGS, CONTENT_UNKNOWN };

/* A file to check. */
struct subject {
    const char *file;
    char name[WORLD_NAME_MAX + 1]; /* of a world or a style */
    struct buffer text;
    const struct world_limits *limits;
};

/* True if the folder that contains the file has that name. */
static bool is_in_folder(const char *file, const char *folder)
{
    const char *slash = strrchr(file, '/');
    size_t length = strlen(folder);
    return slash && (size_t)(slash - file) >= length &&
           memcmp(slash - length, folder, length) == 0 &&
           (slash - length == file || slash[-(ptrdiff_t)length - 1] == '/');
}

/* The content is determined by the name of the folder, otherwise by the members. */
static enum content detect_content(const char *file, const struct json *root)
{
    if (is_in_folder(file, "worlds") || json_member(root, "layers"))
        return CONTENT_WORLD;
    if (is_in_folder(file, "styles") || json_member(root, "paint"))
        return CONTENT_STYLE;
    return CONTENT_SETTINGS;
}

enum { FOLDS_ALLOWED = INSPECT_WARP_PLACES / 100000 };

/* Warns on standard error of a drainage network whose warp folds more than a hundred-thousandth of
 * the plane. */
static bool check_warp(const struct subject *subject, const struct world *world,
                       struct error *error)
{
    struct inspect_warp warp;
    struct sampler *sampler = sampler_new();
    const bool done = sampler && inspect_warp(world, sampler, &warp) ? true : error_memory(error);
    sampler_free(sampler);
    if (done && warp.folded > FOLDS_ALLOWED)
        fprintf(stderr,
                "%s: drainage: warning: the warp folds the plane at %u of %d random places, where "
                "water may find no way down; make it weaker\n",
                subject->file, warp.folded, INSPECT_WARP_PLACES);
    return done;
}

static bool check_world(const struct subject *subject, char fingerprint[WORLD_FINGERPRINT_TEXT],
                        struct error *error)
{
    struct catalog_recipe recipe = {
        .name = subject->name,
        .text = (const char *)subject->text.data,
        .length = subject->text.length,
        .file = subject->file,
        .limits = *subject->limits,
    };
    struct catalog_world *world = catalog_world_new(&recipe, error);
    if (!world)
        return false;
    snprintf(fingerprint, WORLD_FINGERPRINT_TEXT, "%s", world_fingerprint(world->world));
    const bool done = check_warp(subject, world->world, error);
    catalog_release(world);
    return done;
}

static bool check_style(const struct subject *subject, struct error *error)
{
    struct style *style = style_parse(subject->name, (const char *)subject->text.data,
                                      subject->text.length, subject->file, error);
    style_free(style);
    return style;
}

/* The checkers are those of `serve`, so that addresses and URLs are checked too. */
static bool check_settings(const struct subject *subject, const struct json *root,
                           struct error *error)
{
    struct options options = {.command = FOR_SERVE, .checkers = option_checkers};
    bool done = settings_read(&options, root, subject->file, error);
    options_free(&options);
    return done;
}

/* Prints one line: the kind of content on standard output, or the error on standard error. A file
 * of unknown content is parsed as JSON first, as its members may determine what it is. */
static bool check_source(const struct source *source, enum content content,
                         const struct world_limits *limits)
{
    static const char *const names[] = {"world ", "style", "settings"};
    struct error error = {0};
    struct subject subject = {.file = source->file, .limits = limits};
    struct json_document *document = NULL;
    char fingerprint[WORLD_FINGERPRINT_TEXT] = "";
    bool done = source_read(source, &subject.text, &error);
    file_stem(source->file, subject.name, sizeof subject.name);
    if (done && content == CONTENT_UNKNOWN) {
        document = json_parse((const char *)subject.text.data, subject.text.length, NULL, &error);
        done = document;
    }
    if (document)
        content = detect_content(source->file, json_root(document));
    if (done && content == CONTENT_WORLD)
        done = check_world(&subject, fingerprint, &error);
    else if (done && content == CONTENT_STYLE)
        done = check_style(&subject, &error);
    else if (done)
        done = check_settings(&subject, json_root(document), &error);
    if (done)
        printf("%s: %s%s\n", source->file, names[content], fingerprint);
    else
        command_complain(source->file, &error);
    json_free(document);
    buffer_free(&subject.text);
    return done;
}

static bool check_sources(const char *prefix, enum content content,
                          const struct catalog_options *wanted)
{
    struct error error = {0};
    struct source_list list = {0};
    bool worlds = content == CONTENT_WORLD;
    bool done = sources_collect(
        &list, prefix, worlds ? wanted->world_directories : wanted->style_directories,
        worlds ? wanted->world_directory_count : wanted->style_directory_count, &error);
    if (!done)
        command_complain("", &error);
    for (size_t i = 0; i < list.count; i++)
        done = check_source(&list.items[i], content, &wanted->limits) && done;
    sources_free(&list);
    return done;
}

/* Checks each file that `serve` would load, and then whether they load together. */
static bool check_catalog(const struct options *options)
{
    struct catalog_options wanted = settings_catalog(options);
    bool styles = check_sources("styles/", CONTENT_STYLE, &wanted);
    bool worlds = check_sources("worlds/", CONTENT_WORLD, &wanted);
    struct catalog *catalog = styles && worlds ? command_catalog(options) : NULL;
    bool done = catalog;
    catalog_free(catalog);
    return done;
}

/* True after a message if an option is given that needs --digest. */
static bool has_digest_option(const struct options *options)
{
    static const enum option_id ids[] = {OPTION_WORLD, OPTION_CHUNK, OPTION_SIZE, OPTION_STEP,
                                         OPTION_APRON, OPTION_LAYER, OPTION_TIME, OPTION_JSON};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (!options_given(options, ids[i]))
            continue;
        command_misuse(options, "--%s needs --digest", option_table[ids[i]].name);
        return true;
    }
    return false;
}

enum exit_status command_check(const struct options *options)
{
    const bool digest = options_given(options, OPTION_DIGEST);
    const bool golden = options_given(options, OPTION_GOLDEN);
    if (digest && golden)
        return command_misuse(options, "give either --digest or --golden");
    if (digest)
        return command_digest(options);
    if (has_digest_option(options))
        return EXIT_USAGE;
    if (golden)
        return command_golden(options);
    bool done = true;
    struct world_limits limits = settings_catalog(options).limits;
    for (size_t i = 0; i < options->argument_count; i++) {
        const struct source source = {.file = options->arguments[i]};
        done = check_source(&source, CONTENT_UNKNOWN, &limits) && done;
    }
    if (options->argument_count == 0)
        done = check_catalog(options);
    struct buffer nothing = {0};
    return command_print(&nothing) == EXIT_DONE && done ? EXIT_DONE : EXIT_FAILED;
}
