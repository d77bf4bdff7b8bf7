/* terrane serve: the daemon. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "server/cli/command.h"
#include "server/daemon/handover.h"
#include "server/daemon/serve.h"
#include "server/daemon/service_manager.h"
#include "server/log/log.h"
#include "server/render/cost.h"
#include "server/settings/settings.h"

/* The addresses, which have a default, and the port in place of the first one's: its own setting
 * counts unless --listen comes from a higher origin. And who listened there before. */
struct listening {
    const char *const *addresses;
    size_t count;
    const char *fallback;
    int port;
    struct handover handover;
};

static void read_listening(const struct options *options, struct listening *listening)
{
    listening->fallback = option_table[OPTION_LISTEN].fallback;
    listening->addresses = options_list(options, OPTION_LISTEN, &listening->count);
    if (listening->count == 0) {
        listening->addresses = &listening->fallback;
        listening->count = 1;
    }
    listening->port = -1;
    if (options_given(options, OPTION_PORT) &&
        options->values[OPTION_PORT].origin >= options->values[OPTION_LISTEN].origin)
        listening->port = (int)options_whole(options, OPTION_PORT);
}

/* The table of options has let only names pass. */
void serve_set_log(const struct options *options)
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

static struct http_server *start(const struct options *options, struct listening *listening)
{
    struct error error = {0};
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return NULL;
    struct http_options http = serve_options(options, catalog);
    http.listen = listening->addresses;
    http.listen_count = listening->count;
    http.port = listening->port;
    http.handed = listening->handover.sockets;
    http.handed_count = listening->handover.count;
    struct http_server *server = http_server_start(&http, &error);
    handover_end(&listening->handover); /* the server has copies, and closes them when it ends */
    if (!server)
        command_fail(&error);
    return server;
}

/* Says that it serves, and lets a predecessor go. False after a message. */
static bool announce(const struct options *options, const struct listening *listening,
                     struct minded *minded)
{
    struct error error = {0};
    char address[LISTEN_ADDRESS_TEXT];
    const char *path = options_text(options, OPTION_ADMIN);
    const bool found = listening->handover.found;
    if ((path && !(minded->admin = admin_open(path, found, &error))) ||
        (found && !handover_retire(path, &listening->handover, &error))) {
        command_fail(&error);
        return false;
    }
    http_server_start_accepting(minded->server);
    if (path && !admin_show(minded->admin, &error)) {
        command_fail(&error);
        /* In place of another one it goes on, as nobody else does. */
        if (!found)
            return false;
    }
    for (unsigned i = 0; http_server_address(minded->server, i, address); i++)
        printf("listening on %s\n", address);
    fflush(stdout);
    notify_ready();
    return true;
}

/* Blocked in all threads that will be, so that no signal is lost; nohup ignores SIGHUP. */
static int catch_signals(void)
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

static enum exit_status serve(const struct options *options, struct listening *listening)
{
    struct error error = {0};
    struct minded minded = {.started = options, .signals = catch_signals()};
    bool ready =
        minded.signals >= 0
            ? options_copy(&minded.present, options, ORIGIN_DEFAULT, &error)
            : error_set(&error, ERROR_IO, "the server cannot start (too few file descriptors?)");
    if (!ready)
        command_fail(&error);
    minded.server = ready ? start(options, listening) : NULL;
    ready = minded.server && announce(options, listening, &minded);
    if (ready)
        serve_mind(&minded);
    admin_close(minded.admin);
    http_server_stop(minded.server);
    options_free(&minded.present);
    if (minded.signals >= 0)
        close(minded.signals);
    return ready ? EXIT_DONE : EXIT_FAILED;
}

/* Asks the server at --admin for its sockets, if it is to be taken over. */
static bool take_over(const struct options *options, struct handover *handover, struct error *error)
{
    const char *path = options_text(options, OPTION_ADMIN);
    if (!options_given(options, OPTION_TAKE_OVER))
        return true;
    if (!path)
        return error_set(error, ERROR_VALUE, "--take-over needs the socket of --admin");
    return handover_ask(path, handover, error);
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
    struct listening listening = {.count = 0};
    struct error error = {0};
    serve_set_log(options);
    read_listening(options, &listening);
    enum exit_status status = EXIT_FAILED;
    if (take_over(options, &listening.handover, &error))
        status = serve(options, &listening);
    else
        command_fail(&error);
    handover_end(&listening.handover);
    return status;
}
