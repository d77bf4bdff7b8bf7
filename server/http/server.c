#include "server/http/server.h"
#include "server/base/clock.h"
#include "server/log/access_log.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "server/base/build.h"
#include "server/cache/disk.h"
#include "server/cache/shared.h"
#include "server/http/connection/accept.h"
#include "server/http/connection/tls.h"
#include "server/http/dispatch.h"
#include "server/http/generation_settings.h"
#include "server/http/jobs/server_state.h"
#include "server/http/loop_requests.h"
#include "server/http/response/static_files.h"
#include "server/http/routes/router.h"
#include "server/render/cost.h"

enum { TOKEN_BUCKET_SETS = 4096 }; /* 32,768 clients, 768 KB */

static unsigned threads_or_cores(unsigned wanted)
{
    long cores = wanted > 0 ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > SETTINGS_THREADS_MAX ? SETTINGS_THREADS_MAX : (unsigned)cores;
}

static struct workers_limits queue_limits(const struct settings *settings)
{
    return (struct workers_limits){
        .number = settings->queue,
        .cost = settings->queue_cost * COST_MILLION,
    };
}

static struct http_server *server_new(const struct settings *settings)
{
    const unsigned loops = threads_or_cores(settings->loops);
    struct http_server *server = calloc(1, sizeof *server);
    if (!server || !event_loops_init(&server->group, loops)) {
        free(server);
        return NULL;
    }
    server->group.handlers = &dispatch_handlers;
    server->group.server = server;
    server->group.event = server->generations.event = -1;
    server->response_budget.limit = settings->answers_memory;
    server->cacheable.limit = SIZE_MAX;
    return server;
}

/* The tiers behind the memory, nearest first: a kind of tier is a line here. */
static bool open_tiers(struct http_server *server, const struct settings *settings,
                       struct error *error)
{
    const struct disk_options disk = {settings->cache_disk, settings->cache_disk_size,
                                      TIERS_FETCH_THREADS};
    const struct shared_options shared = {
        settings->cache_shared.texts, settings->cache_shared.count, settings->cache_shared_timeout,
        server_build_hash(), clock_milliseconds};
    server->tiers = tiers_new(server_build_hash());
    if (!server->tiers)
        return error_memory(error);
    if (settings->cache_disk && !tiers_add(server->tiers, disk_open(&disk, error)))
        return false;
    if (settings->cache_shared.count > 0 && !tiers_add(server->tiers, shared_open(&shared, error)))
        return error_in_path(error, "cache_shared");
    return tiers_start(server->tiers, error);
}

/* Even if no client is limited: a reload may change that, and memory that nobody touches costs
 * none. Without randomness from the system the key is where things happen to lie. */
static bool create_token_buckets(struct http_server *server, struct error *error)
{
    uint64_t key = (uint64_t)(uintptr_t)server ^ (uint64_t)clock_microseconds();
    if (getrandom(&key, sizeof key, 0) < 0)
        key = hash_mix(key);
    server->buckets = token_buckets_new(TOKEN_BUCKET_SETS, key);
    return server->buckets || error_memory(error);
}

static bool create_parts(struct http_server *server, const struct settings *settings,
                         struct error *error)
{
    server->cache = memory_cache_new(settings->cache_memory);
    server->single_flights = single_flight_table_new();
    server->static_files = static_files_new();
    server->group.peers = peer_counts_new(server->generations.current->connections.all);
    if (!server->cache || !server->single_flights || !server->static_files || !server->group.peers)
        return error_memory(error);
    server->group.event = server->generations.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->group.event < 0)
        return error_set(error, ERROR_IO, "cannot start the server (too few file descriptors?)");
    if (!create_token_buckets(server, error) || !open_tiers(server, settings, error))
        return false;
    const unsigned renderers = threads_or_cores(settings->renderers);
    server->metrics = metrics_new(server->group.count + renderers, router_count());
    if (!server->metrics)
        return error_memory(error);
    for (unsigned i = 0; i < server->group.count; i++) {
        server->group.loops[i].counts = metrics_thread(server->metrics, i);
        if (!loop_requests_init(&server->group.loops[i]))
            return error_memory(error);
    }
    if (settings->access_log) {
        const enum access_format format =
            strcmp(settings->access_log_format, "json") == 0 ? ACCESS_JSON : ACCESS_COMBINED;
        server->access_log =
            access_log_start(settings->access_log, format, server->group.count, error);
        if (!server->access_log)
            return false;
    }
    const struct workers_options workers = {
        .count = renderers,
        .limits = queue_limits(settings),
        .metrics = server->metrics,
        .first = server->group.count,
    };
    server->workers = workers_start(&workers, error);
    return server->workers != NULL;
}

/* The certificate and key as the files have them now, for those who come from this generation on.
 */
static bool load_tls_identity(const struct http_server *server, const struct settings *settings,
                              struct generation *generation, struct error *error)
{
    if (!server->group.secure)
        return true;
    if (!settings->tls_cert || !settings->tls_key)
        return error_set(error, ERROR_VALUE,
                         "an https address needs the certificate and the key: --tls-cert FILE and "
                         "--tls-key FILE");
    generation->identity = tls_identity_load(settings->tls_cert, settings->tls_key, error);
    return generation->identity != NULL;
}

static bool set_up_tls(struct http_server *server, const struct settings *settings,
                       struct error *error)
{
    for (unsigned i = 0; i < server->group.endpoint_count; i++)
        server->group.secure = server->group.secure || server->group.endpoints[i].address.secure;
    if (server->group.secure &&
        MHD_is_feature_supported(MHD_FEATURE_HTTPS_CERT_CALLBACK2) != MHD_YES)
        return error_set(error, ERROR_VALUE, "this libmicrohttpd was built without TLS");
    return load_tls_identity(server, settings, server->generations.current, error);
}

static bool start_loops(struct http_server *server, const struct http_options *options,
                        struct error *error)
{
    const struct listen_options listen = {
        .addresses = options->settings->listen.texts,
        .count = options->settings->listen.count,
        .port = options->port,
        .loops = server->group.count,
    };
    server->group.endpoint_count = listen_open(&listen, server->group.endpoints, error);
    if (server->group.endpoint_count == 0 || !set_up_tls(server, options->settings, error))
        return false;
    for (unsigned i = 0; i < server->group.count; i++)
        if (!event_loop_start(&server->group.loops[i], error))
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
    bool done =
        create_parts(server, options->settings, error) && start_loops(server, options, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

/* As many connections as the settings say and the limit of file descriptors allows. */
static struct generation *new_generation(const struct http_server *server,
                                         const struct http_options *options, struct error *error)
{
    struct settings settings = *options->settings;
    settings.connections = accept_raise_descriptor_limit(settings.connections);
    return generation_from_settings(options->catalog, &settings, server->group.count, error);
}

/* Before anything that can fail, as the catalog is the server's in any case. */
static bool publish_first_generation(struct http_server *server, const struct http_options *options,
                                     struct error *error)
{
    struct generation *first = new_generation(server, options, error);
    if (!first)
        return false;
    generations_publish(&server->generations, first);
    for (unsigned i = 0; i < server->group.count; i++)
        generation_view_begin(&server->group.loops[i].view, &server->generations, i);
    return true;
}

static void wake_loops(struct http_server *server)
{
    for (unsigned i = 0; i < server->group.count; i++)
        if (server->group.loops[i].started)
            event_loop_wake(&server->group.loops[i]);
}

struct http_server *http_server_start(const struct http_options *options, struct error *error)
{
    struct http_server *server = server_new(options->settings);
    if (!server) {
        catalog_free(options->catalog);
        error_memory(error);
        return NULL;
    }
    if (publish_first_generation(server, options, error) && start_threads(server, options, error))
        return server;
    http_server_stop(server);
    return NULL;
}

bool http_server_address(const struct http_server *server, unsigned i,
                         char text[LISTEN_ADDRESS_TEXT])
{
    if (i >= server->group.endpoint_count)
        return false;
    listen_address_write(&server->group.endpoints[i].address, text);
    return true;
}

void http_server_reopen_log(struct http_server *server)
{
    access_log_reopen(server->access_log);
}

bool http_server_reload(struct http_server *server, const struct http_options *options,
                        struct error *error)
{
    const struct settings *settings = options->settings;
    struct generation *next = new_generation(server, options, error);
    if (next && !load_tls_identity(server, settings, next, error)) {
        generation_free(next);
        next = NULL;
    }
    if (next && !peer_counts_grow(server->group.peers, next->connections.all)) {
        generation_free(next);
        next = NULL;
        error_memory(error);
    }
    if (!next) {
        http_server_reload_failed(server);
        return false;
    }
    generations_publish(&server->generations, next);
    memory_cache_resize(server->cache, settings->cache_memory);
    memory_budget_set_limit(&server->response_budget, settings->answers_memory);
    workers_set_limits(server->workers, queue_limits(settings));
    wake_loops(server);
    metrics_count_reload(server->metrics, true);
    return true;
}

void http_server_reload_failed(struct http_server *server)
{
    metrics_count_reload(server->metrics, false);
}

struct reloads http_server_reloads(const struct http_server *server)
{
    return (struct reloads){metrics_reloads(server->metrics, true),
                            metrics_reloads(server->metrics, false)};
}

const struct catalog *http_server_catalog(const struct http_server *server)
{
    return server->generations.current->catalog;
}

unsigned http_server_generation(const struct http_server *server)
{
    return server->generations.current->number;
}

int http_server_event(const struct http_server *server)
{
    return server->group.event;
}

bool http_server_poll(struct http_server *server)
{
    uint64_t events;
    if (read(server->group.event, &events, sizeof events) > 0)
        generations_collect(&server->generations);
    return __atomic_load_n(&server->group.drain.loops_ended, __ATOMIC_ACQUIRE) <
           server->group.count;
}

static void shorten_deadline(int64_t *then, int64_t to, bool begun)
{
    if (!begun || to < *then)
        __atomic_store_n(then, to, __ATOMIC_RELAXED);
}

void http_server_drain(struct http_server *server, const struct shutdown_options *options)
{
    struct drain *drain = &server->group.drain;
    const int64_t grace_end = clock_milliseconds() + (int64_t)options->grace_period * 1000;
    const bool begun = drain_has_begun(&server->group.drain);
    shorten_deadline(&drain->grace_end, grace_end, begun);
    shorten_deadline(&drain->deadline, grace_end + (int64_t)options->seconds * 1000, begun);
    __atomic_store_n(&drain->begun, true, __ATOMIC_RELEASE);
    wake_loops(server);
}

bool http_server_draining(const struct http_server *server)
{
    return drain_has_begun(&server->group.drain);
}

void http_server_stop(struct http_server *server)
{
    if (!server)
        return;
    if (!drain_has_begun(&server->group.drain))
        http_server_drain(server, &(struct shutdown_options){0});
    for (unsigned i = 0; i < server->group.count; i++)
        event_loop_join(&server->group.loops[i]);
    workers_stop(server->workers);
    for (unsigned i = 0; i < server->group.count; i++) {
        event_loop_free(&server->group.loops[i]);
        loop_requests_free(&server->group.loops[i]);
    }
    free(server->group.loops);
    tiers_free(server->tiers);
    listen_close(server->group.endpoints, server->group.endpoint_count);
    peer_counts_free(server->group.peers);
    generations_free(&server->generations);
    single_flight_table_free(server->single_flights);
    memory_cache_free(server->cache);
    static_files_free(server->static_files);
    access_log_stop(server->access_log);
    metrics_free(server->metrics);
    token_buckets_free(server->buckets);
    if (server->group.event >= 0)
        close(server->group.event);
    free(server);
}
