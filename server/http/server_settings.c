/* A generation keeps copies of the settings, as those it was made from are freed after a reload
 * while requests that began before still run under it. All that can be wrong with a setting is
 * found here, so that a reload either changes everything or nothing. */
#include "server/http/server_settings.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/connection/accept.h"
#include "server/http/connection/tls.h"
#include "server/http/response/base_url.h"

/* Reseeded worlds may take an eighth of cache_memory, but so much in any case: some dozens of the
 * built-in worlds. */
enum { RESEEDED_SHARE = 8, RESEEDED_BYTES_MIN = 4 << 20 };

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

static bool copy_hosts(struct generation *generation, const setting_list *hosts,
                       struct error *error)
{
    generation->allowed_hosts = calloc(hosts->count + 1, sizeof(char *));
    if (!generation->allowed_hosts)
        return error_memory(error);
    for (size_t i = 0; i < hosts->count; i++) {
        generation->allowed_hosts[i] = strdup(hosts->texts[i]);
        if (!generation->allowed_hosts[i])
            return error_memory(error);
        generation->allowed_host_count++;
    }
    return true;
}

/* Settings of times count in halves of a millisecond. */
#define SETTING_UNIT ((uint64_t)500000) /* nanoseconds */

static void copy_limits(struct generation *generation, const struct settings *settings)
{
    generation->request_limit = settings->request_cost * SETTING_UNIT;
    generation->queue_timeout = 1000 * (int64_t)settings->deadline;
    generation->chunk_samples = settings->chunk_samples;
    generation->clients = (struct client_limits){
        .requests = settings->client_requests,
        .computing = settings->client_cost * SETTING_UNIT,
        .burst = 1000000 * (int64_t)settings->client_burst,
        .loopback = settings->client_loopback != 0,
    };
    generation->connections = (struct connection_limits){
        .all = accept_raise_descriptor_limit(settings->connections),
        .per_address = settings->connections_per_address,
        .times =
            {
                .headers = settings->header_timeout,
                .body = settings->body_timeout,
                .send = settings->send_timeout,
                .idle = settings->timeout,
            },
    };
}

struct generation *generation_from_settings(struct catalog *catalog,
                                            const struct settings *settings, unsigned loops,
                                            struct error *error)
{
    struct generation *generation = generation_new(catalog, loops);
    if (!generation)
        return error_memory_null(error);
    copy_limits(generation, settings);
    if (copy_url(generation, settings->public_url, error) &&
        copy_hosts(generation, &settings->allowed_hosts, error) &&
        network_list_parse(&generation->trusted_proxies, settings->trusted_proxies.texts,
                           settings->trusted_proxies.count, error))
        return generation;
    generation_free(generation);
    return NULL;
}

bool generation_load_identity(struct generation *generation, const struct settings *settings,
                              struct error *error)
{
    if (!settings->tls_cert || !settings->tls_key)
        return error_set(error, ERROR_VALUE,
                         "an https address needs the certificate and the key: --tls-cert FILE and "
                         "--tls-key FILE");
    generation->identity = tls_identity_load(settings->tls_cert, settings->tls_key, error);
    return generation->identity != NULL;
}

size_t reseeded_limit_from_settings(const struct settings *settings)
{
    const size_t share = settings->cache_memory / RESEEDED_SHARE;
    return share > RESEEDED_BYTES_MIN ? share : RESEEDED_BYTES_MIN;
}

struct workers_limits workers_limits_from_settings(const struct settings *settings)
{
    return (struct workers_limits){
        .number = settings->queue,
        .expected = settings->queue_cost * SETTING_UNIT,
    };
}
