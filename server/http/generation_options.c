#include "server/http/generation_options.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/response/base_url.h"
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

struct generation *generation_from_options(const struct http_options *options, unsigned loops,
                                           struct error *error)
{
    struct generation *generation = generation_new(options->catalog, loops);
    if (!generation) {
        error_memory(error);
        return NULL;
    }
    copy_limits(generation, options);
    copy_connection_limits(generation, options);
    if (copy_url(generation, options->public_url, error) &&
        copy_hosts(generation, options, error) &&
        proxies_parse(&generation->trusted_proxies, options->trusted_proxies,
                      options->trusted_proxy_count, error))
        return generation;
    generation_free(generation);
    return NULL;
}
