/* terrane check: validates files of worlds, styles and settings, or without arguments everything
 * that `serve` would load. It uses the parsers of the server, so that a file that passes here loads
 * there, and goes on after an error, so that one run reports the errors of all files. */
#include <stdio.h>
#include <string.h>

#include "core/price/inspect_warp.h"
#include "core/sampling/sampler.h"
#include "core/worldfile/shared_salts.h"
#include "server/cli/command.h"
#include "server/cli/option_checkers.h"
#include "server/settings/settings.h"
#include "server/worlds/catalog_world.h"
#include "server/worlds/sources.h"

enum content { CONTENT_WORLD, CONTENT_STYLE, CONTENT_SETTINGS, CONTENT_UNKNOWN };

/* A file to check. */
struct subject {
    const char *name;                     /* of a world or a style */
    const char *pin;                      /* of a former version of a world, else "" */
    const struct catalog_options *wanted; /* its limits and shared styles */
    struct diagnostics diagnostics;
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

/* Points for the keys of an object that a kind of content has: 2 for each of them, 1 for a key that
 * looks like one of them misspelt. */
static unsigned count_keys(const struct json *object, const char *const *keys, size_t count)
{
    unsigned points = 0;
    for (const struct json *member = json_first(object); member; member = json_next(member)) {
        const char *nearest = error_suggest(json_key(member), keys, count);
        points += !nearest ? 0 : strcmp(nearest, json_key(member)) == 0 ? 2 : 1;
    }
    return points;
}

/* The content is determined by the name of the folder, otherwise by the keys. */
static enum content detect_content(const char *file, const struct json *root)
{
    char names[OPTION_COUNT][OPTION_KEY_TEXT];
    const char *settings_key[OPTION_COUNT + 1];
    if (is_in_folder(file, "worlds"))
        return CONTENT_WORLD;
    if (is_in_folder(file, "styles"))
        return CONTENT_STYLE;
    const unsigned world = count_keys(root, world_keys, WORLD_KEYS),
                   style = count_keys(root, style_keys, STYLE_KEYS),
                   settings = count_keys(root, settings_key, settings_keys(names, settings_key));
    if (world > settings && world >= style)
        return CONTENT_WORLD;
    return style > settings ? CONTENT_STYLE : CONTENT_SETTINGS;
}

enum { FOLDS_ALLOWED = INSPECT_WARP_PLACES / 100000 };

/* Warns on standard error of a drainage network whose warp folds more than a hundred-thousandth of
 * the plane, or moves neighbours far apart. */
static bool check_warp(const struct subject *subject, const struct world *world,
                       struct error *error)
{
    struct inspect_warp warp = {.places = INSPECT_WARP_PLACES};
    struct sampler *sampler = sampler_new();
    const bool done =
        sampler && inspect_warp(world_program(world), sampler, &warp) ? true : error_memory(error);
    sampler_free(sampler);
    if (done && warp.folded > FOLDS_ALLOWED)
        fprintf(stderr,
                "%s: drainage: warning: the warp folds the plane at %u of %d random places, where "
                "water may find no way down; make it weaker\n",
                subject->diagnostics.file, warp.folded, INSPECT_WARP_PLACES);
    if (done && !(warp.stretch <= INSPECT_STRETCH_MAX))
        fprintf(stderr,
                "%s: drainage: warning: the warp moves neighbours %.3g times as far apart, so that "
                "most tiles cost too much; at most %g times is best\n",
                subject->diagnostics.file, warp.stretch, INSPECT_STRETCH_MAX);
    return done;
}

/* Warns of equal salts in two layers, whose noises are independent. */
static void warn_of_salts(const char *file, const struct world *world)
{
    struct shared_salt found[SHARED_SALTS_MAX];
    const unsigned count = shared_salts_find(world, found);
    for (unsigned i = 0; i < count; i++)
        fprintf(
            stderr,
            "%s: layers.%s: warning: %s() with the salt \"%s\" is another noise here than in "
            "the layer \"%s\", as each layer has its own; give both one layer to name, or other "
            "salts\n",
            file, found[i].second, found[i].function, found[i].salt, found[i].first);
}

/* Warns on standard error of fixed names that lie in the reach of another one of their kind: on
 * maps on which both do not fit, one hides the other. */
static void check_name_places(const struct subject *subject, const struct world *world)
{
    const struct names *names = world_names(world);
    for (uint32_t i = 1; i < names->place_count; i++) {
        const struct name_place *place = &names->places[i];
        const struct names before = {.places = names->places, .place_count = i};
        const struct name_place *other = names_place_near(&before, place->kind, place->place);
        if (other)
            fprintf(stderr,
                    "%s: names.places[%u]: warning: \"%s\" lies within the reach of "
                    "names.places[%u], \"%s\", a %s too: one may hide the other on maps; move "
                    "them more than %lld km apart\n",
                    subject->diagnostics.file, i, place->text, (unsigned)(other - names->places),
                    other->text, name_kind_text(place->kind),
                    (long long)(name_kind_reach(place->kind) / PLACE_METRE / 1000));
    }
}

/* The shared styles, which the view of a world may name. One that has errors is left out. Null when
 * memory is out. */
static struct style_list *read_shared_styles(const struct catalog_options *wanted)
{
    struct error error = {0};
    struct source_list list = {0};
    sources_collect(&list, "styles/", wanted->style_directories, wanted->style_directory_count,
                    &error);
    struct style_list *styles = style_list_new(list.count);
    for (size_t i = 0; i < list.count && styles; i++) {
        const struct source *source = &list.items[i];
        struct buffer text = {0};
        struct style *style =
            source_read(source, &text, &error)
                ? style_parse(source->name, (char *)text.data, text.length, source->file, &error)
                : NULL;
        buffer_free(&text);
        if (style)
            styles->items[styles->count++] = style;
    }
    sources_free(&list);
    return styles;
}

static bool check_world(struct subject *subject, char fingerprint[WORLD_FINGERPRINT_TEXT])
{
    struct error error = {0};
    struct catalog_recipe recipe = {.name = subject->name,
                                    .pin = subject->pin,
                                    .styles = read_shared_styles(subject->wanted),
                                    .limits = subject->wanted->limits};
    if (!recipe.styles && !error_memory(&error))
        diagnostics_add(&subject->diagnostics, &error);
    struct catalog_world *world =
        recipe.styles ? catalog_world_new(&recipe, &subject->diagnostics) : NULL;
    style_list_release(recipe.styles);
    if (!world)
        return false;
    snprintf(fingerprint, WORLD_FINGERPRINT_TEXT, "%s", world_fingerprint(world->world));
    check_name_places(subject, world->world);
    const bool done = check_warp(subject, world->world, &error);
    warn_of_salts(subject->diagnostics.file, world->world);
    if (!done)
        diagnostics_add(&subject->diagnostics, &error);
    catalog_release(world);
    return done;
}

static bool check_style(struct subject *subject)
{
    struct style *style = style_diagnose(subject->name, &subject->diagnostics);
    style_free(style);
    return style;
}

/* The checkers are those of `serve`, so that addresses and URLs are checked too. */
static bool check_settings(struct subject *subject)
{
    struct options options = {.command = FOR_SERVE, .checkers = option_checkers};
    const bool done = settings_read(&options, &subject->diagnostics);
    options_free(&options);
    return done;
}

/* The content of the text. A text that is no JSON has that error, whatever it is read as. */
static enum content detect_text(const struct diagnostics *diagnostics)
{
    struct json_document *document = json_parse(diagnostics->text, diagnostics->length, NULL, NULL);
    const enum content content = detect_content(diagnostics->file, json_root(document));
    json_free(document);
    return content;
}

static void print_errors(const struct diagnostics *diagnostics)
{
    for (unsigned i = 0; i < diagnostics->count; i++)
        command_complain(diagnostics->file, &diagnostics->errors[i]);
    if (diagnostics->more)
        fprintf(stderr, "%s: more than %d errors; the rest is not shown\n", diagnostics->file,
                DIAGNOSTICS_MAX);
}

/* Prints a line on standard output that says what the file is, or its errors on standard error. */
static bool check_source(const struct source *source, enum content content,
                         const struct catalog_options *wanted)
{
    static const char *const names[] = {"world ", "style", "settings"};
    struct error error = {0};
    struct buffer text = {0};
    char fingerprint[WORLD_FINGERPRINT_TEXT] = "";
    bool done = source_read(source, &text, &error);
    struct source named;
    source_set_name(&named, source->file);
    struct subject subject = {.name = named.name,
                              .pin = named.pin,
                              .wanted = wanted,
                              .diagnostics = {.file = source->file,
                                              .text = (const char *)text.data,
                                              .length = text.length}};
    if (!done)
        diagnostics_add(&subject.diagnostics, &error);
    if (content == CONTENT_UNKNOWN)
        content = detect_text(&subject.diagnostics);
    if (done)
        done = content == CONTENT_WORLD   ? check_world(&subject, fingerprint)
               : content == CONTENT_STYLE ? check_style(&subject)
                                          : check_settings(&subject);
    if (done)
        printf("%s: %s%s\n", source->file, names[content], fingerprint);
    print_errors(&subject.diagnostics);
    buffer_free(&text);
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
        done = check_source(&list.items[i], content, wanted) && done;
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
    const bool program = options_given(options, OPTION_PROGRAM);
    const bool costs = options_given(options, OPTION_COSTS);
    if (digest + golden + program + costs > 1)
        return command_misuse(options,
                              "give only one of --digest, --golden, --program and --costs");
    if (digest)
        return command_digest(options);
    if (has_digest_option(options))
        return EXIT_USAGE;
    if (golden)
        return command_golden(options);
    if (program)
        return command_program(options);
    if (costs)
        return command_costs(options);
    bool done = true;
    const struct catalog_options wanted = settings_catalog(options);
    for (size_t i = 0; i < options->argument_count; i++) {
        const struct source source = {.file = options->arguments[i]};
        done = check_source(&source, CONTENT_UNKNOWN, &wanted) && done;
    }
    if (options->argument_count == 0)
        done = check_catalog(options);
    struct buffer nothing = {0};
    return command_print(&nothing) == EXIT_DONE && done ? EXIT_DONE : EXIT_FAILED;
}
