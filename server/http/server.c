#include "server/http/server.h"
#include "server/access_log.h"
#include "server/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "server/build.h"
#include "server/cache/disk.h"
#include "server/cache/shared.h"
#include "server/cost.h"
#include "server/file.h"
#include "server/http/accept.h"
#include "server/http/assets.h"
#include "server/http/base.h"
#include "server/http/context.h"
#include "server/http/listen.h"
#include "server/http/router.h"

enum {
    LOOPS_MAX = 256,
    QUEUE_DEFAULT = 256,
    CONNECTIONS_DEFAULT = 4096,
    QUEUE_COST_DEFAULT = 8000, /* millions */
    REQUEST_COST_DEFAULT = 4000,
    DEADLINE_DEFAULT = 30,
    CLIENT_BURST_DEFAULT = 10,
    BUCKET_SETS = 4096, /* 32,768 clients, 768 KB */
    SAMPLES_DEFAULT = 1 << 22,
    TIMEOUT_DEFAULT = 15,
    HEADER_TIMEOUT_DEFAULT = 10,
    BODY_TIMEOUT_DEFAULT = 30,
    SEND_TIMEOUT_DEFAULT = 30,
    PEM_MAX = 1 << 20,
};

bool server_is_stopping(const struct http_server *server)
{
    return __atomic_load_n(&server->stopping, __ATOMIC_ACQUIRE);
}

static unsigned or_cores(unsigned wanted)
{
    long cores = wanted > 0 ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > LOOPS_MAX ? LOOPS_MAX : (unsigned)cores;
}

static unsigned or_default(unsigned wanted, unsigned standard)
{
    return wanted > 0 ? wanted : standard;
}

static bool copy_settings(struct http_server *server, const struct http_options *options,
                          struct error *error)
{
    if (options->public_url) {
        if (!base_check(options->public_url, error))
            return false;
        server->public_url = strdup(options->public_url);
        if (!server->public_url)
            return error_memory(error);
        for (size_t end = strlen(server->public_url);
             end > 0 && server->public_url[end - 1] == '/';)
            server->public_url[--end] = '\0';
    }
    server->allowed_hosts = calloc(options->allowed_host_count + 1, sizeof(char *));
    if (!server->allowed_hosts)
        return error_memory(error);
    for (size_t i = 0; i < options->allowed_host_count; i++) {
        server->allowed_hosts[i] = strdup(options->allowed_hosts[i]);
        if (!server->allowed_hosts[i])
            return error_memory(error);
        server->allowed_host_count++;
    }
    return proxies_parse(&server->trusted_proxies, options->trusted_proxies,
                         options->trusted_proxy_count, error);
}

static struct http_server *server_new(const struct http_options *options)
{
    unsigned loops = or_cores(options->loops);
    struct http_server *server = calloc(1, sizeof *server + loops * sizeof(struct loop));
    if (!server)
        return NULL;
    server->catalog = options->catalog;
    server->connections = accept_reserve(or_default(options->connections, CONNECTIONS_DEFAULT));
    server->connections_per_address = options->connections_per_address;
    server->request_cost =
        options->request_cost ? options->request_cost : REQUEST_COST_DEFAULT * COST_MILLION;
    server->patience = 1000 * (int64_t)or_default(options->deadline, DEADLINE_DEFAULT);
    server->clients = (struct client_limits){
        .requests = options->client_requests,
        .cost = options->client_cost,
        .burst = 1000000 * (int64_t)or_default(options->client_burst, CLIENT_BURST_DEFAULT),
        .loopback = options->client_loopback,
    };
    server->chunk_samples = options->chunk_samples ? options->chunk_samples : SAMPLES_DEFAULT;
    server->timeout = or_default(options->timeout, TIMEOUT_DEFAULT);
    server->limits = (struct reaper_limits){
        .headers = or_default(options->header_timeout, HEADER_TIMEOUT_DEFAULT),
        .body = or_default(options->body_timeout, BODY_TIMEOUT_DEFAULT),
        .send = or_default(options->send_timeout, SEND_TIMEOUT_DEFAULT),
        .idle = server->timeout,
    };
    server->loop_count = loops;
    for (unsigned i = 0; i < loops; i++) {
        server->loops[i].server = server;
        server->loops[i].index = i;
        server->loops[i].epoll = server->loops[i].event = -1;
    }
    return server;
}

/* The tiers behind the memory, nearest first: a kind of tier is a line here. */
static bool open_tiers(struct http_server *server, const struct http_options *options,
                       struct error *error)
{
    const struct disk_options disk = {options->cache_disk, options->disk_size, TIERS_FETCHERS};
    const struct shared_options shared = {options->cache_shared, options->cache_shared_count,
                                          options->shared_timeout, server_build_hash(),
                                          clock_milliseconds};
    server->tiers = tiers_new(server_build_hash());
    if (!server->tiers)
        return error_memory(error);
    if (options->cache_disk && !tiers_add(server->tiers, disk_open(&disk, error)))
        return false;
    if (options->cache_shared_count > 0 && !tiers_add(server->tiers, shared_open(&shared, error)))
        return error_in_path(error, "cache_shared");
    return tiers_start(server->tiers, error);
}

/* Without randomness from the system the key is where things happen to lie. */
static bool make_buckets(struct http_server *server, struct error *error)
{
    uint64_t key = (uint64_t)(uintptr_t)server ^ (uint64_t)clock_microseconds();
    if (!server->clients.requests && !server->clients.cost)
        return true;
    if (getrandom(&key, sizeof key, 0) < 0)
        key = hash_mix(key);
    server->buckets = buckets_new(BUCKET_SETS, key);
    return server->buckets || error_memory(error);
}

static bool make_parts(struct http_server *server, const struct http_options *options,
                       struct error *error)
{
    server->cache = memory_cache_new(options->cache_memory);
    server->flights = flights_new();
    server->assets = assets_new();
    if (server->connections_per_address > 0)
        server->peers = peer_counts_new(server->connections);
    if (!server->cache || !server->flights || !server->assets ||
        (server->connections_per_address > 0 && !server->peers))
        return error_memory(error);
    if (!copy_settings(server, options, error) || !make_buckets(server, error) ||
        !open_tiers(server, options, error))
        return false;
    const unsigned renderers = or_cores(options->renderers);
    server->metrics = metrics_new(server->loop_count + renderers, router_count());
    if (!server->metrics)
        return error_memory(error);
    for (unsigned i = 0; i < server->loop_count; i++)
        server->loops[i].counts = metrics_thread(server->metrics, i);
    if (options->access_log) {
        server->access_log = access_log_start(options->access_log, options->access_log_format,
                                              server->loop_count, error);
        if (!server->access_log)
            return false;
    }
    const struct workers_options workers = {
        .count = renderers,
        .number = or_default(options->queue, QUEUE_DEFAULT),
        .cost = options->queue_cost ? options->queue_cost : QUEUE_COST_DEFAULT * COST_MILLION,
        .metrics = server->metrics,
        .first = server->loop_count,
    };
    server->workers = workers_start(&workers, error);
    return server->workers != NULL;
}

static char *read_pem(const char *path, struct error *error)
{
    struct buffer text = {0};
    if (!file_read(path, PEM_MAX, &text, error)) {
        buffer_free(&text);
        return NULL;
    }
    buffer_byte(&text, '\0');
    if (!text.failed)
        return (char *)text.data;
    buffer_free(&text);
    error_memory(error);
    return NULL;
}

static bool read_certificate(struct http_server *server, const struct http_options *options,
                             struct error *error)
{
    bool wanted = false;
    for (unsigned i = 0; i < server->place_count; i++)
        wanted = wanted || server->places[i].address.secure;
    if (!wanted)
        return true;
    if (!options->tls_cert || !options->tls_key)
        return error_set(error, ERROR_VALUE,
                         "an https address needs the certificate and the key: --tls-cert FILE and "
                         "--tls-key FILE");
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return error_set(error, ERROR_VALUE, "this libmicrohttpd was built without TLS");
    server->tls_cert = read_pem(options->tls_cert, error);
    server->tls_key = server->tls_cert ? read_pem(options->tls_key, error) : NULL;
    return server->tls_key != NULL;
}

static bool start_loops(struct http_server *server, const struct http_options *options,
                        struct error *error)
{
    const struct listen_options listen = {options->listen, options->listen_count, options->port,
                                          server->loop_count};
    server->place_count = listen_open(&listen, server->places, error);
    if (server->place_count == 0 || !read_certificate(server, options, error))
        return false;
    for (unsigned i = 0; i < server->loop_count; i++)
        if (!loop_start(&server->loops[i], error))
            return false;
    return true;
}

/* Signals are the main thread's: the threads started in between inherit that they are blocked. */
static bool start_threads(struct http_server *server, const struct http_options *options,
                          struct error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool done = make_parts(server, options, error) && start_loops(server, options, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

struct http_server *http_server_start(const struct http_options *options, struct error *error)
{
    struct http_server *server = server_new(options);
    if (!server) {
        error_memory(error);
        return NULL;
    }
    if (start_threads(server, options, error))
        return server;
    http_server_stop(server, 0);
    return NULL;
}

bool http_server_address(const struct http_server *server, unsigned i, char text[ADDRESS_TEXT])
{
    if (i >= server->place_count)
        return false;
    address_write(&server->places[i].address, text);
    return true;
}

void http_server_reopen_log(struct http_server *server)
{
    access_log_reopen(server->access_log);
}

void http_server_stop(struct http_server *server, unsigned seconds)
{
    if (!server)
        return;
    server->deadline = clock_milliseconds() + (int64_t)seconds * 1000;
    __atomic_store_n(&server->stopping, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < server->loop_count; i++)
        if (server->loops[i].started)
            loop_wake(&server->loops[i]);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_join(&server->loops[i]);
    workers_stop(server->workers);
    for (unsigned i = 0; i < server->loop_count; i++)
        loop_free(&server->loops[i]);
    tiers_free(server->tiers);
    listen_close(server->places, server->place_count);
    peer_counts_free(server->peers);
    free(server->tls_cert);
    free(server->tls_key);
    flights_free(server->flights);
    memory_cache_free(server->cache);
    assets_free(server->assets);
    access_log_stop(server->access_log);
    metrics_free(server->metrics);
    for (size_t i = 0; i < server->allowed_host_count; i++)
        free(server->allowed_hosts[i]);
    free(server->allowed_hosts);
    buckets_free(server->buckets);
    proxies_free(&server->trusted_proxies);
    free(server->public_url);
    free(server);
}
