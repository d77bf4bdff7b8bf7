/* A running server, as the thread that started it sees it: reloads, the drain, and what it tells
 * about itself. How it starts and stops is in server_start.c. */
#include "server/http/server.h"

#include <unistd.h>

#include "server/base/clock.h"
#include "server/http/jobs/server_state.h"
#include "server/http/server_settings.h"
#include "server/log/access_log.h"

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

/* All that can fail comes first, so that a failed reload changes nothing. */
static struct generation *prepare_generation(struct http_server *server,
                                             const struct http_options *options,
                                             struct error *error)
{
    struct event_loops *group = &server->group;
    struct generation *next =
        generation_from_settings(options->catalog, options->settings, group->count, error);
    if (next && (!group->secure || generation_load_identity(next, options->settings, error)) &&
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
    generations_publish(&server->generations, next);
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
