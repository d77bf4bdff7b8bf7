/* A request is counted when its response is queued, or at its end with status 0 if there was none.
 * The line of the access log is written at the end of the request, when the number of bytes of a
 * streamed body is known. The line goes into a buffer of the loop, from which a thread of the log
 * writes it (server/log/access_log.h): a loop never waits for a disk, and loses the line instead.
 */
#include "server/http/request_log.h"

#include <string.h>

#include "server/http/jobs/server_state.h"
#include "server/http/request/client_address.h"
#include "server/http/routes/router.h"
#include "server/log/access_log.h"

static void count_response(const struct http_request *request, unsigned status)
{
    const struct event_loop *loop = request->loop;
    metrics_count_request(loop->counts, router_index(request->route), status,
                          loop->now_microseconds - request->trace.started_at);
}

void request_log_response(struct http_request *request)
{
    count_response(request, request->response.status);
}

/* The client behind a trusted proxy, or the peer itself. */
static void set_client_address(struct access_record *record, const struct http_request *request)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    record->has_client =
        client_address_full(&record->client, info ? info->client_addr : NULL, &request->headers,
                            &request->generation->trusted_proxies);
}

static void set_text(struct access_record *record, enum access_text which, const char *text)
{
    record->texts[which].bytes = text;
    record->texts[which].length = text ? strlen(text) : 0;
}

static void set_header(struct access_record *record, enum access_text which,
                       struct MHD_Connection *mhd_connection, const char *name)
{
    set_text(record, which, MHD_lookup_connection_value(mhd_connection, MHD_HEADER_KIND, name));
}

static bool has_body(const struct http_request *request, unsigned status)
{
    return status >= MHD_HTTP_OK && status != MHD_HTTP_NO_CONTENT &&
           status != MHD_HTTP_NOT_MODIFIED && request->method != METHOD_HEAD;
}

/* Method, version and headers are still in the library's buffer: the request ends after this. */
static void write_access_record(const struct http_request *request, unsigned status)
{
    const struct event_loop *loop = request->loop;
    struct access_record record = {
        .at = loop->now_microseconds,
        .duration = loop->now_microseconds - request->trace.started_at,
        .bytes = has_body(request, status) ? request->response.body_length : 0,
        .status = status,
        .route = request->route ? request->route->pattern : NULL,
        .cache = request->response.cache_status,
        .cost = request->admission.total,
    };
    set_client_address(&record, request);
    set_text(&record, ACCESS_METHOD, request->trace.method);
    set_text(&record, ACCESS_TARGET, request->raw_target);
    set_text(&record, ACCESS_VERSION, request->trace.version);
    set_header(&record, ACCESS_REFERER, request->mhd_connection, MHD_HTTP_HEADER_REFERER);
    set_header(&record, ACCESS_AGENT, request->mhd_connection, MHD_HTTP_HEADER_USER_AGENT);
    if (!access_log_put(request->server->access_log, loop->index, &record))
        metrics_count(loop->counts, LOG_LINE_LOST);
}

void request_log_end(struct http_request *request)
{
    const unsigned status =
        request->state == HTTP_REQUEST_RESPONSE_QUEUED ? request->response.status : 0;
    if (status == 0)
        count_response(request, status);
    if (request->server->access_log)
        write_access_record(request, status);
}
