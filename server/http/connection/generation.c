#include "server/http/connection/generation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/http/connection/tls.h"
#include "server/http/request/base_url.h"
#include "server/http/server.h"
#include "server/render/cost.h"

enum {
    SAMPLES_DEFAULT = 1 << 22,
    REQUEST_COST_DEFAULT = 4000, /* millions */
    DEADLINE_DEFAULT = 30,
    CLIENT_BURST_DEFAULT = 10,
    TIMEOUT_DEFAULT = 15,
    HEADER_TIMEOUT_DEFAULT = 10,
    BODY_TIMEOUT_DEFAULT = 30,
    SEND_TIMEOUT_DEFAULT = 30,
};

void generation_free(struct generation *generation)
{
    if (!generation)
        return;
    catalog_free(generation->catalog);
    for (size_t i = 0; i < generation->allowed_host_count; i++)
        free(generation->allowed_hosts[i]);
    free(generation->allowed_hosts);
    network_list_free(&generation->trusted_proxies);
    tls_identity_release(generation->identity);
    free(generation->public_url);
    free(generation);
}

static bool copy_url(struct generation *generation, const char *url, struct error *error)
{
    if (!url)
        return true;
    if (!base_url_check(url, error))
        return error_in_path(error, "public_url");
    generation->public_url = strdup(url);
    if (!generation->public_url)
        return error_memory(error);
    for (size_t end = strlen(url); end > 0 && url[end - 1] == '/';)
        generation->public_url[--end] = '\0';
    return true;
}

static bool copy_hosts(struct generation *generation, const struct http_options *options,
                       struct error *error)
{
    generation->allowed_hosts = calloc(options->allowed_host_count + 1, sizeof(char *));
    if (!generation->allowed_hosts)
        return error_memory(error);
    for (size_t i = 0; i < options->allowed_host_count; i++) {
        generation->allowed_hosts[i] = strdup(options->allowed_hosts[i]);
        if (!generation->allowed_hosts[i])
            return error_memory(error);
        generation->allowed_host_count++;
    }
    return true;
}

static unsigned or_default(unsigned wanted, unsigned standard)
{
    return wanted > 0 ? wanted : standard;
}

static void copy_limits(struct generation *generation, const struct http_options *options)
{
    generation->request_cost =
        options->request_cost ? options->request_cost : REQUEST_COST_DEFAULT * COST_MILLION;
    generation->queue_timeout = 1000 * (int64_t)or_default(options->deadline, DEADLINE_DEFAULT);
    generation->chunk_samples = options->chunk_samples ? options->chunk_samples : SAMPLES_DEFAULT;
    generation->clients = (struct client_limits){
        .requests = options->client_requests,
        .cost = options->client_cost,
        .burst = 1000000 * (int64_t)or_default(options->client_burst, CLIENT_BURST_DEFAULT),
        .loopback = options->client_loopback,
    };
}

static void copy_connection_limits(struct generation *generation,
                                   const struct http_options *options)
{
    generation->connections = (struct connection_limits){
        .all = options->connections,
        .per_address = options->connections_per_address,
        .times =
            {
                .headers = or_default(options->header_timeout, HEADER_TIMEOUT_DEFAULT),
                .body = or_default(options->body_timeout, BODY_TIMEOUT_DEFAULT),
                .send = or_default(options->send_timeout, SEND_TIMEOUT_DEFAULT),
                .idle = or_default(options->timeout, TIMEOUT_DEFAULT),
            },
    };
}

struct generation *generation_new(const struct http_options *options, unsigned loops,
                                  struct error *error)
{
    struct generation *generation = NULL;
    size_t size = sizeof *generation + loops * sizeof(struct generation_users);
    /* The size is a multiple of the alignment, as both of its parts are. */
    if (!(generation = aligned_alloc(_Alignof(struct generation_users), size))) {
        catalog_free(options->catalog);
        error_memory(error);
        return NULL;
    }
    memset(generation, 0, size);
    generation->catalog = options->catalog;
    copy_limits(generation, options);
    copy_connection_limits(generation, options);
    generation->references = loops + 1;
    if (copy_url(generation, options->public_url, error) &&
        copy_hosts(generation, options, error) &&
        network_list_parse(&generation->trusted_proxies, options->trusted_proxies,
                           options->trusted_proxy_count, error))
        return generation;
    generation_free(generation);
    return NULL;
}

static void retire_generation(struct generations *all, struct generation *generation)
{
    struct generation *first = __atomic_load_n(&all->retired, __ATOMIC_RELAXED);
    do
        generation->next_retired = first;
    while (!__atomic_compare_exchange_n(&all->retired, &first, generation, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
    const uint64_t one = 1;
    /* A full eventfd is readable already. */
    if (all->event >= 0 && write(all->event, &one, sizeof one) < 0)
        return;
}

static void release_generation(struct generations *all, struct generation *generation)
{
    if (__atomic_sub_fetch(&generation->references, 1, __ATOMIC_ACQ_REL) == 0)
        retire_generation(all, generation);
}

void generations_publish(struct generations *all, struct generation *next)
{
    struct generation *old = all->current;
    next->number = old ? old->number + 1 : 1;
    all->current = next;
    if (!old)
        return;
    __atomic_store_n(&old->next, next, __ATOMIC_RELEASE);
    release_generation(all, old);
}

void generations_collect(struct generations *all)
{
    struct generation *generation = __atomic_exchange_n(&all->retired, NULL, __ATOMIC_ACQUIRE);
    for (struct generation *next_retired; generation; generation = next_retired) {
        next_retired = generation->next_retired;
        generation_free(generation);
    }
}

void generations_free(struct generations *all)
{
    if (all->current)
        release_generation(all, all->current);
    all->current = NULL;
    generations_collect(all);
}

void generation_view_begin(struct generation_view *view, struct generations *all, unsigned loop)
{
    *view = (struct generation_view){all, all->current, loop};
}

void generation_view_advance(struct generation_view *view)
{
    struct generation *next;
    while ((next = __atomic_load_n(&view->current->next, __ATOMIC_ACQUIRE))) {
        struct generation *old = view->current;
        view->current = next;
        if (old->users[view->loop].count == 0)
            release_generation(view->all, old);
    }
}

struct generation *generation_enter(struct generation_view *view)
{
    generation_view_advance(view);
    view->current->users[view->loop].count++;
    return view->current;
}

void generation_leave(struct generation_view *view, struct generation *generation)
{
    if (--generation->users[view->loop].count == 0 && generation != view->current)
        release_generation(view->all, generation);
}

void generation_retain(struct generation_view *view, struct generation *generation)
{
    generation->users[view->loop].count++;
}

void generation_view_end(struct generation_view *view)
{
    if (!view->current)
        return;
    generation_view_advance(view);
    release_generation(view->all, view->current);
    view->current = NULL;
}
