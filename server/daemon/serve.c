/* terrane serve: from the options to a running daemon, and to its end.
 *
 * The order matters: signals are blocked before any thread exists, so that all threads inherit the
 * mask and no signal is lost; the addresses are printed, and the service manager notified, only
 * when the sockets listen and the admin socket is open, so that whoever waits for either may
 * connect at once. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "server/cli/command.h"
#include "server/daemon/daemon.h"
#include "server/daemon/service_manager.h"
#include "server/log/log.h"
#include "server/settings/settings.h"

/* The port that replaces the one of the first address: --port, unless --listen comes from a higher
 * origin; else -1. */
static int first_port(const struct options *options)
{
    const bool counts =
        options_given(options, OPTION_PORT) &&
        options->values[OPTION_PORT].origin >= options->values[OPTION_LISTEN].origin;
    return counts ? (int)options_whole(options, OPTION_PORT) : -1;
}

int daemon_previews(const struct options *options)
{
    return options_given(options, OPTION_PREVIEWS) ? (int)options_whole(options, OPTION_PREVIEWS)
                                                   : -1;
}

/* The names are valid: the table of options has checked them. */
void daemon_set_log(const struct settings *settings)
{
    enum log_level level = LOG_INFO;
    bool json = false;
    log_level_parse(settings->log_level, &level);
    log_format_parse(settings->log_format, &json);
    log_set(level, json);
}

/* Starts to watch before the files are read, so that no change between the two is missed. False
 * after a message. */
static bool start(struct daemon *daemon)
{
    struct error error = {0};
    const struct options *options = daemon->started;
    struct http_options http = {.settings = &daemon->settings,
                                .port = first_port(options),
                                .previews = daemon_previews(options)};
    if (daemon->settings.watch && !(daemon->watch = watch_start(&daemon->settings, &error))) {
        command_fail(&error);
        return false;
    }
    http.catalog = command_catalog(options);
    if (!http.catalog)
        return false;
    daemon->server = http_server_start(&http, &error);
    if (!daemon->server)
        command_fail(&error);
    return daemon->server != NULL;
}

/* Other machines reach the server, and nobody has said by which name. */
static void advise_on_hosts(const struct daemon *daemon)
{
    const struct settings *settings = &daemon->settings;
    if (http_server_is_public(daemon->server) && !settings->public_url &&
        settings->allowed_hosts.count == 0)
        log_write(LOG_SERVER, LOG_INFO,
                  "other machines may connect, and this server is not told its name: TileJSON and "
                  "the like have the address that each client asked by, and no cache may keep "
                  "them; --public-url URL or --allowed-hosts HOST names it");
}

static void log_former_versions(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog_former_count(catalog); i++) {
        const struct catalog_world *former = catalog_former_at(catalog, i);
        log_write(LOG_SERVER, LOG_INFO, "former version %s@%s", former->identity.name,
                  former->identity.fingerprint);
    }
}

/* Opens the admin socket and announces the addresses. False after a message. */
static bool announce(struct daemon *daemon)
{
    struct error error = {0};
    char address[LISTEN_ADDRESS_TEXT];
    const char *path = daemon->settings.admin;
    if (path && !(daemon->admin = admin_open(path, &error))) {
        command_fail(&error);
        return false;
    }
    for (unsigned i = 0; http_server_address(daemon->server, i, address); i++)
        printf("listening on %s\n", address);
    fflush(stdout);
    log_former_versions(http_server_catalog(daemon->server));
    advise_on_hosts(daemon);
    notify_ready();
    return true;
}

/* A descriptor that the signals are read from. SIGHUP gets its default action, as a signal that
 * nohup has set to be ignored is never pending. */
static int block_signals(void)
{
    sigset_t caught;
    sigemptyset(&caught);
    sigaddset(&caught, SIGTERM);
    sigaddset(&caught, SIGINT);
    sigaddset(&caught, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &caught, NULL);
    signal(SIGHUP, SIG_DFL);
    return signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
}

static enum exit_status serve(const struct options *options)
{
    struct error error = {0};
    struct daemon daemon = {.started = options, .signals = block_signals()};
    settings_resolve(options, &daemon.settings);
    daemon_set_log(&daemon.settings);
    if (daemon.signals < 0) {
        error_set(&error, ERROR_IO, "the server cannot start (too few file descriptors?)");
        command_fail(&error);
    }
    const bool ready = daemon.signals >= 0 && start(&daemon) && announce(&daemon);
    if (ready)
        daemon_main_loop(&daemon);
    watch_stop(daemon.watch);
    admin_close(daemon.admin);
    http_server_stop(daemon.server);
    options_free(&daemon.reloaded);
    if (daemon.signals >= 0)
        close(daemon.signals);
    return ready ? EXIT_DONE : EXIT_FAILED;
}

enum exit_status command_serve(const struct options *options)
{
    const bool json = options_given(options, OPTION_JSON);
    struct buffer text = {0};
    if (options_given(options, OPTION_PRINT_CONFIG))
        settings_print(options, json, &text);
    else if (options_given(options, OPTION_PRINT_SCHEMA))
        settings_schema(&text);
    else
        return json ? command_misuse(options, "--json goes with --print-config only")
                    : serve(options);
    return command_print(&text);
}
