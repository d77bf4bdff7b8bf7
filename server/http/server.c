/* A running server, as the thread that started it sees it: how it comes up and goes down, reloads,
 * the drain, and what it tells about itself.
 *
 * The parts are made in the order in which they depend on each other: the first generation, which
 * takes the catalogue; caches and tables; the tiers with their threads; metrics, for as many
 * threads as there will be; the access log; the render threads; last the listening sockets and the
 * event loops, so that no request comes before everything is there. Whatever fails,
 * http_server_stop() takes down what is there, so each part is allowed to be missing.
 *
 * Going down is the reverse: first the loops end (connection/drain.h), then what they post to and
 * what posts to them. */
#include "server/http/server.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "server/base/build.h"
#include "server/base/clock.h"
#include "server/base/process.h"
#include "server/cache/disk.h"
#include "server/cache/shared.h"
#include "server/http/dispatch.h"
#include "server/http/jobs/server_state.h"
#include "server/http/jobs/stopped_jobs.h"
#include "server/http/loop_requests.h"
#include "server/http/response/event_feed.h"
#include "server/http/response/page_settings.h"
#include "server/http/response/response.h"
#include "server/http/response/static_files.h"
#include "server/http/routes/router.h"
#include "server/http/server_settings.h"
#include "server/log/access_log.h"
#include "server/worlds/first_views.h"
#include "server/worlds/previews.h"

enum { TOKEN_BUCKET_SETS = 4096 }; /* 32,768 clients, 768 KB */

static struct http_server *server_new(const struct settings *settings)
{
    const unsigned loops = process_threads(settings->loops, SETTINGS_THREADS_MAX);
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
    server->reseeded.limit = reseeded_limit_from_settings(settings);
    server->reseeded.account = &server->cache_charges;
    return server;
}

/* Before anything else that can fail, as the server owns the catalogue in any case. */
static bool publish_first_generation(struct http_server *server, const struct http_options *options,
                                     struct error *error)
{
    struct generation *first =
        generation_from_settings(options->catalog, options->settings, server->group.count, error);
    if (!first)
        return false;
    catalog_set_budget(first->catalog, &server->reseeded);
    generations_publish(&server->generations, first);
    for (unsigned i = 0; i < server->group.count; i++)
        generation_view_begin(&server->group.loops[i].view, &server->generations, i);
    return true;
}

/* The tiers behind the memory, nearest first. A further kind of tier is a line here. */
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

/* Made even if no client is limited: a reload may change that, and the system gives memory only to
 * pages that are touched. Without randomness from the system the key comes from an address and the
 * clock. */
static bool create_token_buckets(struct http_server *server, struct error *error)
{
    uint64_t key = (uint64_t)(uintptr_t)server ^ (uint64_t)clock_microseconds();
    if (getrandom(&key, sizeof key, 0) < 0)
        key = hash_mix(key);
    server->buckets = token_buckets_new(TOKEN_BUCKET_SETS, key);
    return server->buckets || error_memory(error);
}

/* What the map page needs: its files, its settings, and the events that it follows. */
static bool create_page(struct http_server *server, const struct settings *settings,
                        struct error *error)
{
    struct buffer policy = {0};
    page_settings_write_policy(settings, false, &policy);
    const char *text = buffer_string(&policy);
    server->static_files = policy.failed ? NULL : static_files_new(text);
    buffer_free(&policy);
    server->page = page_settings_new(settings);
    server->events = event_feed_new();
    if (!server->static_files || !server->page || !server->events)
        return error_memory(error);
    http_server_announce_worlds(server);
    return true;
}

static bool create_tables(struct http_server *server, const struct settings *settings,
                          struct error *error)
{
    server->cache = memory_cache_new(settings->cache_memory);
    server->single_flights = single_flight_table_new();
    server->without_memory = response_without_memory(&server->without_memory_length);
    server->group.peers = peer_counts_new(server->generations.current->connections.all);
    server->previews = previews_new(&server->cache_charges);
    server->first_views = first_views_new();
    server->stopped_jobs = stopped_jobs_new();
    if (!server->cache || !server->single_flights || !server->without_memory ||
        !server->group.peers || !server->previews || !server->first_views || !server->stopped_jobs)
        return error_memory(error);
    memory_cache_share_capacity(server->cache, &server->cache_charges);
    first_views_prepare(server->first_views, server->generations.current->catalog);
    for (unsigned i = 0; i < server->group.count; i++)
        if (!loop_requests_init(&server->group.loops[i]))
            return error_memory(error);
    server->group.event = server->generations.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->group.event < 0)
        return error_set(error, ERROR_IO, "cannot start the server (too few file descriptors?)");
    return create_token_buckets(server, error);
}

static bool create_metrics(struct http_server *server, unsigned renderers, struct error *error)
{
    server->metrics = metrics_new(server->group.count + renderers, router_count());
    if (!server->metrics)
        return error_memory(error);
    for (unsigned i = 0; i < server->group.count; i++)
        server->group.loops[i].counts = metrics_thread(server->metrics, i);
    return true;
}

static bool start_access_log(struct http_server *server, const struct settings *settings,
                             struct error *error)
{
    if (!settings->access_log)
        return true;
    const enum access_format format =
        strcmp(settings->access_log_format, "json") == 0 ? ACCESS_JSON : ACCESS_COMBINED;
    server->access_log = access_log_start(settings->access_log, format, server->group.count, error);
    return server->access_log != NULL;
}

static bool start_workers(struct http_server *server, const struct settings *settings,
                          unsigned renderers, struct error *error)
{
    const struct workers_threads threads = {.count = renderers,
                                            .share = priority_share_of(settings->render_priority),
                                            .first = server->group.count,
                                            .network_memory = settings->network_memory};
    server->workers =
        workers_start(threads, workers_limits_from_settings(settings), server->metrics, error);
    return server->workers != NULL;
}

/* A certificate without a use is a mistake: its owner believes that the server speaks TLS. */
static bool refuse_unused_identity(const struct settings *settings, struct error *error)
{
    const char *unused = settings->tls_cert ? "tls-cert" : settings->tls_key ? "tls-key" : NULL;
    return !unused ||
           error_set(
               error, ERROR_VALUE,
               "--%s is for https addresses, and there is none: --listen https://0.0.0.0:8443",
               unused);
}

static bool set_up_tls(struct http_server *server, const struct settings *settings,
                       struct error *error)
{
    struct event_loops *group = &server->group;
    for (unsigned i = 0; i < group->endpoint_count; i++)
        group->secure = group->secure || group->endpoints[i].address.secure;
    if (!group->secure)
        return refuse_unused_identity(settings, error);
    if (MHD_is_feature_supported(MHD_FEATURE_HTTPS_CERT_CALLBACK2) != MHD_YES)
        return error_set(error, ERROR_VALUE, "this libmicrohttpd was built without TLS");
    return generation_load_identity(server->generations.current, settings, error);
}

/* Nobody but this machine can connect: not by a unix socket, which is what proxies use. */
static bool is_loopback_alone(const struct http_server *server)
{
    for (unsigned i = 0; i < server->group.endpoint_count; i++)
        if (server->group.endpoints[i].address.socket.any.sa_family == AF_UNIX)
            return false;
    return !http_server_is_public(server);
}

/* Without a number given, previews are for people at their own machine: they are off if others may
 * connect, or if the settings tell of a proxy in front. */
static void set_preview_limits(struct http_server *server, const struct http_options *options)
{
    const struct settings *settings = options->settings;
    const bool shared = !is_loopback_alone(server) || settings->public_url ||
                        settings->trusted_proxies.count > 0 || settings->allowed_hosts.count > 0;
    const unsigned count = options->previews >= 0 ? (unsigned)options->previews
                           : shared               ? 0
                                                  : PREVIEWS_DEFAULT;
    previews_set_limits(server->previews, count, reseeded_limit_from_settings(settings));
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
    set_preview_limits(server, options);
    for (unsigned i = 0; i < server->group.count; i++)
        if (!event_loop_start(&server->group.loops[i], error))
            return false;
    return true;
}

static bool start_parts(struct http_server *server, const struct http_options *options,
                        struct error *error)
{
    const struct settings *settings = options->settings;
    const unsigned renderers = process_threads(settings->renderers, SETTINGS_THREADS_MAX);
    return create_tables(server, settings, error) && create_page(server, settings, error) &&
           open_tiers(server, settings, error) && create_metrics(server, renderers, error) &&
           start_access_log(server, settings, error) &&
           start_workers(server, settings, renderers, error) && start_loops(server, options, error);
}

/* Signals are for the main thread: threads inherit that they are blocked. */
static bool start_with_signals_blocked(struct http_server *server,
                                       const struct http_options *options, struct error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool done = start_parts(server, options, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

struct http_server *http_server_start(const struct http_options *options, struct error *error)
{
    struct http_server *server = server_new(options->settings);
    if (!server) {
        catalog_free(options->catalog);
        return error_memory_null(error);
    }
    if (publish_first_generation(server, options, error) &&
        start_with_signals_blocked(server, options, error))
        return server;
    http_server_stop(server);
    return NULL;
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
    previews_free(server->previews);
    first_views_free(server->first_views);
    stopped_jobs_free(server->stopped_jobs);
    single_flight_table_free(server->single_flights);
    memory_cache_free(server->cache);
    static_files_free(server->static_files);
    page_settings_free(server->page);
    event_feed_free(server->events);
    response_destroy(server->without_memory);
    access_log_stop(server->access_log);
    metrics_free(server->metrics);
    token_buckets_free(server->buckets);
    if (server->group.event >= 0)
        close(server->group.event);
    free(server);
}

bool http_server_address(const struct http_server *server, unsigned i,
                         char text[LISTEN_ADDRESS_TEXT])
{
    if (i >= server->group.endpoint_count)
        return false;
    listen_address_write(&server->group.endpoints[i].address, text);
    return true;
}

bool http_server_is_public(const struct http_server *server)
{
    for (unsigned i = 0; i < server->group.endpoint_count; i++)
        if (listen_address_is_public(&server->group.endpoints[i].address))
            return true;
    return false;
}

void http_server_reopen_log(struct http_server *server)
{
    access_log_reopen(server->access_log);
}

/* All that can fail comes first, so that a failed reload changes nothing. */
static struct generation *prepare_generation(struct http_server *server,
                                             const struct http_options *options,
                                             struct error *error)
{
    struct event_loops *group = &server->group;
    struct generation *next =
        generation_from_settings(options->catalog, options->settings, group->count, error);
    if (next &&
        (group->secure ? generation_load_identity(next, options->settings, error)
                       : refuse_unused_identity(options->settings, error)) &&
        (peer_counts_grow(group->peers, next->connections.all) || error_memory(error)))
        return next;
    generation_free(next);
    return NULL;
}

bool http_server_reload(struct http_server *server, const struct http_options *options,
                        struct error *error)
{
    const struct settings *settings = options->settings;
    struct generation *next = prepare_generation(server, options, error);
    metrics_count_reload(server->metrics, next != NULL);
    if (!next)
        return false;
    catalog_set_budget(next->catalog, &server->reseeded);
    first_views_prepare(server->first_views, next->catalog);
    /* Before the new one needs the budget that its worlds fill. */
    catalog_stop_caching(server->generations.current->catalog);
    generations_publish(&server->generations, next);
    memory_budget_set_limit(&server->reseeded, reseeded_limit_from_settings(settings));
    set_preview_limits(server, options);
    memory_cache_resize(server->cache, settings->cache_memory);
    memory_budget_set_limit(&server->response_budget, settings->answers_memory);
    workers_set_limits(server->workers, workers_limits_from_settings(settings));
    event_loops_wake(&server->group);
    return true;
}

void http_server_reload_failed(struct http_server *server)
{
    metrics_count_reload(server->metrics, false);
}

void http_server_announce_worlds(struct http_server *server)
{
    const struct generation *current = server->generations.current;
    event_feed_set_worlds(server->events, current->catalog, current->number);
    event_loops_wake(&server->group);
}

void http_server_announce_errors(struct http_server *server, const char *lines)
{
    event_feed_set_errors(server->events, lines);
    event_loops_wake(&server->group);
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
    if (read(server->group.event, &events, sizeof events) > 0 &&
        generations_collect(&server->generations))
        process_return_memory(); /* the worlds of a generation may be hundreds of megabytes */
    return __atomic_load_n(&server->group.drain.loops_ended, __ATOMIC_ACQUIRE) <
           server->group.count;
}

/* A drain that has begun can only be made shorter. */
static void shorten_deadline(int64_t *then, int64_t to, bool begun)
{
    if (!begun || to < *then)
        __atomic_store_n(then, to, __ATOMIC_RELAXED);
}

void http_server_drain(struct http_server *server, const struct shutdown_options *options)
{
    struct drain *drain = &server->group.drain;
    const int64_t grace_end = clock_milliseconds() + (int64_t)options->grace_period * 1000;
    const bool begun = drain_has_begun(drain);
    shorten_deadline(&drain->grace_end, grace_end, begun);
    shorten_deadline(&drain->deadline, grace_end + (int64_t)options->seconds * 1000, begun);
    __atomic_store_n(&drain->begun, true, __ATOMIC_RELEASE);
    event_loops_wake(&server->group);
}

bool http_server_draining(const struct http_server *server)
{
    return drain_has_begun(&server->group.drain);
}
