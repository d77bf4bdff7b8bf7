/* A reload: SIGHUP, POST /reload, or with --watch a change of files.
 *
 * Everything is read and compiled again beside what is served, and replaces it only if all of it is
 * valid: a typing error in one file never takes a running server down. The flags of the command
 * line stay; the environment and the files are read again. Settings without `.live` keep their
 * value, and the report says which of them wait for a restart. */
#include <string.h>

#include "server/daemon/daemon.h"

static void add_error(void *report, const struct error *error)
{
    char line[sizeof *error + 64]; /* holds every formatted error */
    error_format(error, line, sizeof line);
    buffer_format(report, "%s\n", line);
}

/* Reports the worlds that are new, have another fingerprint, or are gone. */
static void describe_worlds(const struct catalog *before, const struct catalog *now,
                            struct buffer *report)
{
    for (size_t i = 0; i < catalog_world_count(now); i++) {
        const struct catalog_world *world = catalog_world_at(now, i);
        const struct catalog_world *old = catalog_find(before, world->identity.name, NULL);
        const char *fingerprint = world_fingerprint(world->world);
        if (!old)
            buffer_format(report, "new world %s: %s\n", world->identity.name, fingerprint);
        else if (strcmp(world_fingerprint(old->world), fingerprint) != 0)
            buffer_format(report, "changed world %s: %s is now %s\n", world->identity.name,
                          world_fingerprint(old->world), fingerprint);
    }
    for (size_t i = 0; i < catalog_world_count(before); i++)
        if (!catalog_find(now, catalog_world_at(before, i)->identity.name, NULL))
            buffer_format(report, "no more world %s\n", catalog_world_at(before, i)->identity.name);
}

/* True if the catalog serves this version of the world. */
static bool serves(const struct catalog *catalog, const struct catalog_world *version)
{
    const struct catalog_reference reference = {version->identity.name, NULL,
                                                version->identity.fingerprint};
    const struct catalog_world *found = catalog_find_version(catalog, &reference, NULL);
    return found && strcmp(found->identity.fingerprint, version->identity.fingerprint) == 0;
}

/* Reports the former versions that were not former before, and those that are no more. */
static void describe_former(const struct catalog *before, const struct catalog *now,
                            struct buffer *report)
{
    for (size_t i = 0; i < catalog_former_count(now); i++) {
        const struct catalog_world *former = catalog_former_at(now, i);
        const struct catalog_world *present = catalog_find(before, former->identity.name, NULL);
        const bool was_present =
            present && strcmp(present->identity.fingerprint, former->identity.fingerprint) == 0;
        if (was_present || !serves(before, former))
            buffer_format(report, "former version %s@%s\n", former->identity.name,
                          former->identity.fingerprint);
    }
    for (size_t i = 0; i < catalog_former_count(before); i++) {
        const struct catalog_world *former = catalog_former_at(before, i);
        if (!serves(now, former))
            buffer_format(report, "no more former version %s@%s\n", former->identity.name,
                          former->identity.fingerprint);
    }
}

/* Reports the settings that have another value than at the start and need a restart to change. */
static void describe_settings(const struct options *started, const struct options *now,
                              struct buffer *report)
{
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_table[id];
        char key[OPTION_KEY_TEXT];
        if (row->live || row->scope != SCOPE_SETTING || !(row->commands & FOR_SERVE) ||
            options_same(started, now, id))
            continue;
        option_key(id, false, key);
        buffer_format(report, "%s waits for a restart to change from ", key);
        settings_write_value(started, id, report);
        buffer_text(report, " to ");
        settings_write_value(now, id, report);
        buffer_byte(report, '\n');
    }
}

static bool read_settings(struct options *options, const struct options *started,
                          struct buffer *report)
{
    struct error error = {0};
    struct diagnostics diagnostics;
    if (!options_copy(options, started, ORIGIN_FLAG, &error)) {
        add_error(report, &error);
        return false;
    }
    if (settings_load(options, &diagnostics))
        return true;
    for (unsigned i = 0; i < diagnostics.count; i++)
        add_error(report, &diagnostics.errors[i]);
    return false;
}

/* Null after a report of every error in the worlds and styles. */
static struct catalog *read_catalog(const struct options *options, struct buffer *report)
{
    struct error error = {0};
    struct catalog_options wanted = settings_catalog(options);
    wanted.report = add_error;
    wanted.context = report;
    return catalog_load(&wanted, &error);
}

/* Hands the catalog to the server, which owns it then, whether it takes it or not. */
static bool replace(struct http_server *server, const struct http_options *http,
                    struct buffer *report)
{
    struct catalog *catalog = http->catalog;
    struct error error = {0};
    struct buffer changes = {0};
    const struct catalog *before = http_server_catalog(server);
    catalog_keep_former(catalog, before, http->settings->keep_worlds);
    describe_worlds(before, catalog, &changes);
    describe_former(before, catalog, &changes);
    const size_t count = catalog_world_count(catalog);
    bool done = http_server_reload(server, http, &error);
    if (done)
        buffer_format(report, "reloaded: generation %u, %zu worlds\n%s",
                      http_server_generation(server), count, buffer_string(&changes));
    else
        add_error(report, &error);
    buffer_free(&changes);
    return done;
}

/* From now on the new settings apply; the daemon owns the options that they point into. */
static void adopt(struct daemon *daemon, struct options *options, const struct settings *settings)
{
    daemon_set_log(settings);
    options_free(&daemon->reloaded);
    daemon->reloaded = *options;
    daemon->settings = *settings;
    watch_set_paths(daemon->watch, settings);
    http_server_announce_worlds(daemon->server);
}

bool daemon_reload(struct daemon *daemon, struct buffer *report)
{
    struct options options = {0};
    struct settings settings;
    struct catalog *catalog = NULL;
    if (read_settings(&options, daemon->started, report))
        catalog = read_catalog(&options, report);
    if (!catalog)
        http_server_reload_failed(daemon->server);
    settings_resolve(&options, &settings);
    const struct http_options http = {
        .settings = &settings, .catalog = catalog, .previews = daemon_previews(&options)};
    bool done = catalog && replace(daemon->server, &http, report);
    if (done) {
        describe_settings(daemon->started, &options, report);
        adopt(daemon, &options, &settings);
    } else {
        http_server_announce_errors(daemon->server, buffer_string(report));
        buffer_text(report, "nothing was changed\n");
        options_free(&options);
    }
    return done;
}
