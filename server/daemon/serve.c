/* terrane serve: from the options to a running daemon, and to its end.
 *
 * The order matters: signals are blocked before any thread exists, so that all threads inherit the
 * mask and no signal is lost; the addresses are printed, and the service manager notified, only when
 * the sockets listen and the admin socket is open, so that whoever waits for either may connect at
 * once. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "server/cli/command.h"
#include "server/daemon/daemon.h"
#include "server/daemon/service_manager.h"
#include "server/log/log.h"
#include "server/render/cost.h"
#include "server/settings/settings.h"

/* --port replaces the port of the first address, unless --listen comes from a higher origin. */
static void read_listening(const struct options *options, struct http_options *http)
{
    http->listen = options_list(options, OPTION_LISTEN, &http->listen_count);
    if (http->listen_count == 0) {
        http->listen = &option_table[OPTION_LISTEN].fallback;
        http->listen_count = 1;
    }
    http->port = -1;
    if (options_given(options, OPTION_PORT) &&
        options->values[OPTION_PORT].origin >= options->values[OPTION_LISTEN].origin)
        http->port = (int)options_whole(options, OPTION_PORT);
}

/* The names are valid: the table of options has checked them. */
void daemon_set_log(const struct options *options)
{
    enum log_level level = LOG_INFO;
    bool json = false;
    log_level_parse(options_text(options, OPTION_LOG_LEVEL), &level);
    log_format_parse(options_text(options, OPTION_LOG_FORMAT), &json);
    log_set(level, json);
}

static unsigned setting(const struct options *options, enum option_id id)
{
    return (unsigned)options_whole(options, id);
}

struct http_options serve_options(const struct options *options, struct catalog *catalog)
{
    struct http_options http = {
        .tls_cert = options_text(options, OPTION_TLS_CERT),
        .tls_key = options_text(options, OPTION_TLS_KEY),
        .loops = setting(options, OPTION_LOOPS),
        .renderers = setting(options, OPTION_RENDERERS),
        .queue = setting(options, OPTION_QUEUE),
        .queue_cost = COST_MILLION * (uint64_t)options_whole(options, OPTION_QUEUE_COST),
        .request_cost = COST_MILLION * (uint64_t)options_whole(options, OPTION_REQUEST_COST),
        .deadline = setting(options, OPTION_DEADLINE),
        .client_requests = setting(options, OPTION_CLIENT_REQUESTS),
        .client_cost = (uint64_t)options_whole(options, OPTION_CLIENT_COST),
        .client_burst = setting(options, OPTION_CLIENT_BURST),
        .client_loopback = options_whole(options, OPTION_CLIENT_LOOPBACK) != 0,
        .cache_memory = (size_t)options_whole(options, OPTION_CACHE_MEMORY),
        .cache_disk = options_text(options, OPTION_CACHE_DISK),
        .disk_size = (uint64_t)options_whole(options, OPTION_CACHE_DISK_SIZE),
        .shared_timeout = setting(options, OPTION_CACHE_SHARED_TIMEOUT),
        .chunk_samples = (uint64_t)options_whole(options, OPTION_CHUNK_SAMPLES),
        .answers_memory = (size_t)options_whole(options, OPTION_ANSWERS_MEMORY),
        .connections = setting(options, OPTION_CONNECTIONS),
        .connections_per_address = setting(options, OPTION_CONNECTIONS_PER_ADDRESS),
        .header_timeout = setting(options, OPTION_HEADER_TIMEOUT),
        .body_timeout = setting(options, OPTION_BODY_TIMEOUT),
        .send_timeout = setting(options, OPTION_SEND_TIMEOUT),
        .timeout = setting(options, OPTION_TIMEOUT),
        .access_log = options_text(options, OPTION_ACCESS_LOG),
        .access_log_format = options_text(options, OPTION_ACCESS_LOG_FORMAT)[0] == 'j'
                                 ? ACCESS_JSON
                                 : ACCESS_COMBINED,
        .public_url = options_text(options, OPTION_PUBLIC_URL),
        .catalog = catalog,
    };
    http.cache_shared = options_list(options, OPTION_CACHE_SHARED, &http.cache_shared_count);
    http.allowed_hosts = options_list(options, OPTION_ALLOWED_HOSTS, &http.allowed_host_count);
    http.trusted_proxies = options_list(options, OPTION_TRUSTED_PROXIES, &http.trusted_proxy_count);
    return http;
}

static struct http_server *start(const struct options *options)
{
    struct error error = {0};
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return NULL;
    struct http_options http = serve_options(options, catalog);
    read_listening(options, &http);
    struct http_server *server = http_server_start(&http, &error);
    if (!server)
        command_fail(&error);
    return server;
}

/* Opens the admin socket and announces the addresses. False after a message. */
static bool announce(const struct options *options, struct daemon *daemon)
{
    struct error error = {0};
    char address[LISTEN_ADDRESS_TEXT];
    const char *path = options_text(options, OPTION_ADMIN);
    if (path && !(daemon->admin = admin_open(path, &error))) {
        command_fail(&error);
        return false;
    }
    for (unsigned i = 0; http_server_address(daemon->server, i, address); i++)
        printf("listening on %s\n", address);
    fflush(stdout);
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
    bool ready =
        daemon.signals >= 0
            ? options_copy(&daemon.present, options, ORIGIN_DEFAULT, &error)
            : error_set(&error, ERROR_IO, "the server cannot start (too few file descriptors?)");
    if (!ready)
        command_fail(&error);
    daemon.server = ready ? start(options) : NULL;
    ready = daemon.server && announce(options, &daemon);
    if (ready)
        daemon_main_loop(&daemon);
    admin_close(daemon.admin);
    http_server_stop(daemon.server);
    options_free(&daemon.present);
    if (daemon.signals >= 0)
        close(daemon.signals);
    return ready ? EXIT_DONE : EXIT_FAILED;
}

static enum exit_status print_config(const struct options *options)
{
    struct error error = {0};
    struct buffer text = {0};
    if (!settings_print(options, options_given(options, OPTION_JSON), &text, &error)) {
        buffer_free(&text);
        return command_fail(&error);
    }
    return command_print(&text);
}

static enum exit_status print_schema(void)
{
    struct error error = {0};
    struct buffer text = {0};
    if (settings_schema(&text, &error))
        return command_print(&text);
    buffer_free(&text);
    return command_fail(&error);
}

enum exit_status command_serve(const struct options *options)
{
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    if (options_given(options, OPTION_PRINT_CONFIG))
        return print_config(options);
    if (options_given(options, OPTION_PRINT_SCHEMA))
        return print_schema();
    if (options_given(options, OPTION_JSON))
        return command_misuse(options, "--json goes with --print-config only");
    daemon_set_log(options);
    return serve(options);
}
