#include "server/http/account.h"

#include <string.h>

#include "server/access_log.h"
#include "server/http/client.h"
#include "server/http/router.h"

static void count(const struct exchange *exchange, unsigned status)
{
    const struct loop *loop = exchange->loop;
    metrics_count_request(loop->counts, router_index(exchange->route), status,
                          loop->now_exact - exchange->begun);
}

void account_answer(struct exchange *exchange)
{
    count(exchange, exchange->status);
}

/* Who asked a trusted proxy, or whoever is at the other end. */
static void take_client(struct access_record *record, const struct exchange *exchange)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (client_address(info ? info->client_addr : NULL, &exchange->headers,
                       &exchange->generation->trusted_proxies, record->client))
        record->client_bytes = sizeof record->client;
}

static void take_text(struct access_record *record, enum access_text which, const char *text)
{
    record->texts[which].bytes = text;
    record->texts[which].length = text ? strlen(text) : 0;
}

static void take_header(struct access_record *record, enum access_text which,
                        struct MHD_Connection *connection, const char *name)
{
    take_text(record, which, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

static bool has_body(const struct exchange *exchange, unsigned status)
{
    return status >= MHD_HTTP_OK && status != MHD_HTTP_NO_CONTENT &&
           status != MHD_HTTP_NOT_MODIFIED && exchange->method != METHOD_HEAD;
}

/* What came with the request is in the library's buffer until it is told that this is over. */
static void log_exchange(const struct exchange *exchange, unsigned status)
{
    const struct loop *loop = exchange->loop;
    struct access_record record = {
        .at = loop->now_exact,
        .duration = loop->now_exact - exchange->begun,
        .bytes = has_body(exchange, status) ? exchange->body_length : 0,
        .status = status,
        .route = exchange->route ? exchange->route->pattern : NULL,
        .cache = exchange->cache,
    };
    take_client(&record, exchange);
    take_text(&record, ACCESS_METHOD, exchange->method_text);
    take_text(&record, ACCESS_TARGET, exchange->target);
    take_text(&record, ACCESS_VERSION, exchange->version);
    take_header(&record, ACCESS_REFERER, exchange->connection, MHD_HTTP_HEADER_REFERER);
    take_header(&record, ACCESS_AGENT, exchange->connection, MHD_HTTP_HEADER_USER_AGENT);
    if (!access_log_put(loop->server->access_log, (size_t)(loop - loop->server->loops), &record))
        metrics_count_unlogged(loop->counts);
}

void account_end(struct exchange *exchange)
{
    const unsigned status = exchange->step == EXCHANGE_QUEUED ? exchange->status : 0;
    if (status == 0)
        count(exchange, status);
    if (exchange->loop->server->access_log)
        log_exchange(exchange, status);
}

void account_loop(struct loop *loop)
{
    metrics_set_load(loop->counts, loop->active, loop->suspended);
}
