#include <string.h>

#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/metrics_page.h"
#include "server/http/response.h"
#include "server/json_writer.h"
#include "server/version.h"

static enum handled answer_text(struct exchange *exchange, const char *text)
{
    struct buffer body = {0};
    buffer_text(&body, text);
    exchange->body_length = body.length;
    return response_answer(exchange, MHD_HTTP_OK,
                           response_new(&body, "text/plain; charset=utf-8", CACHE_NEVER));
}

enum handled handle_livez(struct exchange *exchange, struct problem *problem)
{
    (void)problem;
    return answer_text(exchange, "alive\n");
}

/* Before the server has started there is nobody to ask. */
enum handled handle_readyz(struct exchange *exchange, struct problem *problem)
{
    if (server_is_ready(exchange->loop->server))
        return answer_text(exchange, "ready\n");
    problem_set(problem, PROBLEM_STOPPING, "the server is about to end; ask another one");
    return FAILED;
}

/* A scraper that takes OpenMetrics names it; which of the two it likes more does not matter. */
enum handled handle_metrics(struct exchange *exchange, struct problem *problem)
{
    const char *accept = exchange->headers.accept;
    const enum metrics_form form = accept && strstr(accept, "application/openmetrics-text")
                                       ? METRICS_OPENMETRICS
                                       : METRICS_PROMETHEUS;
    struct buffer body = {0};
    metrics_page_write(exchange, form, &body);
    if (body.failed) {
        buffer_free(&body);
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    exchange->body_length = body.length;
    return response_answer(exchange, MHD_HTTP_OK,
                           response_new(&body, metrics_content_type(form), CACHE_NEVER));
}

static bool write_version(bool pretty, struct buffer *out, struct error *error)
{
    struct json_writer json;
    json_begin(&json, out, pretty);
    json_object_open(&json);
    json_member_string(&json, "name", "terrane");
    json_member_string(&json, "version", TERRANE_VERSION);
    json_write_key(&json, "formats");
    json_object_open(&json);
    for (size_t i = 0; format_at(i); i++)
        json_member_integer(&json, format_at(i)->name, format_at(i)->version);
    json_object_close(&json);
    json_member_string(&json, "libmicrohttpd", MHD_get_version());
    json_object_close(&json);
    json_finish(&json);
    return !out->failed || error_memory(error);
}

enum handled handle_version(struct exchange *exchange, struct problem *problem)
{
    bool pretty = false;
    if (!argument_switch(&exchange->request, "pretty", &pretty, problem))
        return FAILED;
    return response_constant(exchange, &exchange->loop->version[pretty], pretty, write_version,
                             problem);
}
