/* terrane serve: the daemon. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/command.h"
#include "server/http/server.h"
#include "server/settings.h"

enum { HOST_TEXT = 64 };

/* "HOST:PORT" or "[IPv6]:PORT" into its parts; the brackets go. */
static bool parse_listen(const char *text, char host[HOST_TEXT], uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    int64_t number;
    if (!colon || !number_parse_integer(colon + 1, strlen(colon + 1), 0, 65535, &number))
        return false;
    size_t length = (size_t)(colon - text);
    bool bracketed = length > 2 && text[0] == '[' && colon[-1] == ']';
    if (bracketed) {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= HOST_TEXT || (!bracketed && memchr(text, ':', length)))
        return false;
    memcpy(host, text, length);
    host[length] = 0;
    *port = (uint16_t)number;
    return true;
}

/* The port's own setting counts unless --listen comes from a higher origin. */
static bool read_address(const struct options *options, char host[HOST_TEXT], uint16_t *port,
                         struct error *error)
{
    const char *listen = options_text(options, OPTION_LISTEN);
    if (!parse_listen(listen, host, port))
        return error_set(error, ERROR_VALUE,
                         "listen must be HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, not "
                         "\"%s\"",
                         listen);
    if (options_given(options, OPTION_PORT) &&
        options->values[OPTION_PORT].origin >= options->values[OPTION_LISTEN].origin)
        *port = (uint16_t)options_whole(options, OPTION_PORT);
    return true;
}

static unsigned setting(const struct options *options, enum option_id id)
{
    return (unsigned)options_whole(options, id);
}

static struct http_server *start(const struct options *options, struct catalog *catalog,
                                 const char *host, uint16_t port)
{
    struct error error = {0};
    struct http_options http = {
        .host = host,
        .port = port,
        .loops = setting(options, OPTION_LOOPS),
        .renderers = setting(options, OPTION_RENDERERS),
        .queue = setting(options, OPTION_QUEUE),
        .cache_memory = (size_t)options_whole(options, OPTION_CACHE_MEMORY),
        .cache_disk = options_text(options, OPTION_CACHE_DISK),
        .disk_size = (uint64_t)options_whole(options, OPTION_CACHE_DISK_SIZE),
        .chunk_samples = (uint64_t)options_whole(options, OPTION_CHUNK_SAMPLES),
        .connections = setting(options, OPTION_CONNECTIONS),
        .timeout = setting(options, OPTION_TIMEOUT),
        .public_url = options_text(options, OPTION_PUBLIC_URL),
        .catalog = catalog,
    };
    http.allowed_hosts = options_list(options, OPTION_ALLOWED_HOSTS, &http.allowed_host_count);
    http.trusted_proxies = options_list(options, OPTION_TRUSTED_PROXIES, &http.trusted_proxy_count);
    struct http_server *server = http_server_start(&http, &error);
    if (!server)
        command_fail(&error);
    return server;
}

/* Serves until a signal of `ends` comes. */
static enum exit_status serve_until(const sigset_t *ends, const struct options *options,
                                    const char *host, struct http_server *server)
{
    int signal_number;
    bool bracketed = strchr(host, ':');
    printf("listening on http://%s%s%s:%u\n", bracketed ? "[" : "", host, bracketed ? "]" : "",
           http_server_port(server));
    fflush(stdout);
    while (sigwait(ends, &signal_number) != 0)
        ;
    http_server_stop(server, setting(options, OPTION_DRAIN));
    return EXIT_DONE;
}

static enum exit_status serve(const struct options *options, const char *host, uint16_t port)
{
    /* Blocked in all threads that will be, so that no signal is lost. */
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    struct catalog *catalog = command_catalog(options);
    struct http_server *server = catalog ? start(options, catalog, host, port) : NULL;
    enum exit_status status = server ? serve_until(&ends, options, host, server) : EXIT_FAILED;
    catalog_free(catalog);
    return status;
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

enum exit_status command_serve(const struct options *options)
{
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    if (options_given(options, OPTION_PRINT_CONFIG))
        return print_config(options);
    if (options_given(options, OPTION_JSON))
        return command_misuse(options, "--json goes with --print-config only");
    char host[HOST_TEXT];
    uint16_t port = 0;
    struct error error = {0};
    if (!read_address(options, host, &port, &error)) {
        command_fail(&error);
        return options->values[OPTION_LISTEN].origin == ORIGIN_FLAG ? EXIT_USAGE : EXIT_FAILED;
    }
    return serve(options, host, port);
}
