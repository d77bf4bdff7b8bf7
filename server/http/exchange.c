#include "server/http/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/accept.h"
#include "server/http/account.h"
#include "server/http/admission.h"
#include "server/http/response.h"
#include "server/http/router.h"
#include "server/http/tile.h"

enum {
    SPARES_MAX = 256,
    /* Bytes of an answer. Less is sent whatever others take: problems, metrics. */
    RESERVED_MIN = 64 * 1024,
    /* Of a body that is too large, this much is read and thrown away for the sake of the answer. */
    DISCARD_MAX = 4 * EXCHANGE_BODY_MAX,
};

static struct exchange *exchange_take(struct loop *loop)
{
    struct exchange *exchange = loop->spare;
    if (exchange) {
        loop->spare = exchange->next;
        loop->spares--;
    } else {
        exchange = malloc(sizeof *exchange);
    }
    return exchange;
}

/* Everything but the large arrays, which are written before they are read. */
static void exchange_clear(struct exchange *exchange)
{
    exchange->step = EXCHANGE_LINE;
    exchange->headers = (struct headers){0};
    exchange->method = METHOD_OTHER;
    exchange->failed = false;
    exchange->body = (struct buffer){0};
    exchange->discarded = 0;
    exchange->uploading = false;
    exchange->route = NULL;
    exchange->world_text = NULL;
    exchange->resume = NULL;
    exchange->departed = NULL;
    exchange->withdraw = NULL;
    exchange->fate = EXCHANGE_SERVED;
    exchange->deadline = 0;
    exchange->cost = 0;
    exchange->bucket = NULL;
    exchange->paid = 0;
    exchange->world = NULL;
    exchange->world_pinned = false;
    exchange->tile = NULL;
    exchange->rendered = false;
    exchange->tier = NULL;
    exchange->work = NULL;
    exchange->method_text = exchange->version = NULL;
    exchange->cache = NULL;
    exchange->status = 0;
    exchange->body_length = 0;
    exchange->reserved = 0;
    exchange->job.kind = METRICS_NOTHING;
    exchange->response = NULL;
    exchange->response_shared = false;
}

static void join(struct exchange **list, struct exchange *exchange)
{
    exchange->previous = NULL;
    exchange->next = *list;
    if (*list)
        (*list)->previous = exchange;
    *list = exchange;
}

static void leave(struct exchange **list, struct exchange *exchange)
{
    *(exchange->previous ? &exchange->previous->next : list) = exchange->next;
    if (exchange->next)
        exchange->next->previous = exchange->previous;
}

/* What the client is waited for from now on. */
static void await(struct exchange *exchange, enum client_phase phase)
{
    reaper_move(&exchange->loop->reaper, exchange->client, phase, exchange->loop->now);
}

static void join_uploads(struct exchange *exchange)
{
    join(&exchange->loop->uploads, exchange);
    exchange->uploading = true;
    exchange->fed = client_fed(exchange->client);
}

void exchange_leave_list(struct exchange *exchange)
{
    struct loop *loop = exchange->loop;
    if (exchange->step == EXCHANGE_LINE)
        leave(&loop->incoming, exchange);
    else if (exchange->uploading)
        leave(&loop->uploads, exchange);
    exchange->uploading = false;
}

/* The target's query is cut off in the library's own buffer: it would split it into arguments that
 * nobody reads, and with many of them its small pool overflows and no answer is sent at all. */
static void hide_query(const char *target)
{
    char *question = strchr(target, '?');
    if (question)
        question[1] = '\0';
}

void *exchange_begin(void *context, const char *target, struct MHD_Connection *connection)
{
    struct loop *loop = context;
    struct exchange *exchange = exchange_take(loop);
    const char *text = target ? target : "";
    size_t length = strlen(text);
    if (exchange) {
        exchange_clear(exchange);
        exchange->loop = loop;
        exchange->generation = generation_enter(&loop->view);
        exchange->connection = connection;
        exchange->client = accept_client_of(connection);
        reaper_begin(&loop->reaper, exchange->client, loop->now);
        exchange->begun = loop->now_exact;
        join(&loop->incoming, exchange);
        loop->active++;
        size_t kept = length < sizeof exchange->target ? length : sizeof exchange->target - 1;
        memcpy(exchange->target, text, kept);
        exchange->target_length = length;
        exchange->target[kept] = '\0';
        exchange->failed = !request_parse(length == kept ? exchange->target : text, length,
                                          &exchange->request, &exchange->problem);
    }
    if (target)
        hide_query(target);
    return exchange;
}

void exchange_completed(void *context, struct MHD_Connection *connection, void **slot,
                        enum MHD_RequestTerminationCode reason)
{
    struct loop *loop = context;
    struct exchange *exchange = *slot;
    (void)connection;
    (void)reason;
    if (!exchange)
        return;
    *slot = NULL;
    account_end(exchange);
    exchange_leave_list(exchange);
    if (loop->queued == exchange)
        loop->queued = NULL;
    loop->active--;
    await(exchange, PHASE_IDLE);
    if (exchange->work)
        exchange->work_free(exchange->work);
    if (exchange->world)
        catalog_release(exchange->world);
    tile_release(exchange->tile);
    reserve_give(&loop->server->answers, exchange->reserved);
    buffer_free(&exchange->body);
    generation_leave(&loop->view, exchange->generation);
    if (loop->spares < SPARES_MAX) {
        exchange->next = loop->spare;
        loop->spare = exchange;
        loop->spares++;
    } else {
        free(exchange);
    }
}

void exchange_free_spares(struct loop *loop)
{
    while (loop->spare) {
        struct exchange *exchange = loop->spare;
        loop->spare = exchange->next;
        free(exchange);
    }
    loop->spares = 0;
}

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    (void)kind;
    headers_take(context, name, value);
    return MHD_YES;
}

/* What a question's answer tells of how it was made; tiles and chunks have said so themselves. */
static void time_question(struct exchange *exchange)
{
    const struct job *job = &exchange->job;
    if (job->kind != METRICS_QUESTION || exchange->response_shared || exchange->status >= 400)
        return;
    const uint32_t encoded = job->encoded < job->took ? job->encoded : job->took;
    const struct response_times times = {job->waited, job->took - encoded, encoded};
    exchange->cache = "render";
    response_header(exchange->response, "X-Terrane-Cache", exchange->cache);
    response_timing(exchange->response, times);
}

/* What is not shared is in memory until the client has taken it. Tiles have reserved their own. */
static void reserve_answer(struct exchange *exchange)
{
    struct reserve *answers = &exchange->loop->server->answers;
    const size_t length = exchange->response_shared || exchange->tile ? 0 : exchange->body_length;
    if (length < RESERVED_MIN)
        return;
    if (reserve_take(answers, length)) {
        exchange->reserved = length;
        return;
    }
    MHD_destroy_response(exchange->response);
    problem_set(&exchange->problem, PROBLEM_BUSY,
                "too many large answers are being sent; try again soon");
    metrics_count_shed(exchange->loop->counts, SHED_MEMORY);
    response_problem(exchange, &exchange->problem);
}

/* The library takes chunks whose lines end without CR, and anything behind a semicolon, and no
 * trace is left of that: so what follows such a body is not taken for a request. */
static enum MHD_Result queue_answer(struct exchange *exchange)
{
    if (exchange->response)
        reserve_answer(exchange);
    if (!exchange->response)
        return MHD_NO;
    time_question(exchange);
    /* As if the client had asked for it: answers are shared, and must not be changed. */
    if (server_is_draining(exchange->loop->server) || exchange->headers.chunked)
        MHD_set_connection_value(exchange->connection, MHD_HEADER_KIND, "Connection", "close");
    enum MHD_Result result =
        MHD_queue_response(exchange->connection, exchange->status, exchange->response);
    if (!exchange->response_shared)
        MHD_destroy_response(exchange->response);
    exchange->response = NULL;
    exchange->step = EXCHANGE_QUEUED;
    exchange->loop->queued = exchange;
    await(exchange, PHASE_SENDING);
    account_answer(exchange);
    return result;
}

static enum MHD_Result refuse(struct exchange *exchange)
{
    if (exchange->problem.kind == PROBLEM_BUSY || exchange->problem.kind == PROBLEM_STOPPING)
        admission_refund(exchange);
    metrics_count_shed(exchange->loop->counts, problem_shed(&exchange->problem));
    response_problem(exchange, &exchange->problem);
    return queue_answer(exchange);
}

static bool fail_closing(struct exchange *exchange, enum problem_kind kind, const char *detail)
{
    problem_set(&exchange->problem, kind, "%s", detail);
    exchange->problem.close = true;
    return false;
}

/* The library reads lines leniently and leaves no trace of it but the bytes in its buffer, in which
 * the request still stands as a whole, with zeros where a word or line ended. */
static const char *line_fault(const struct exchange *exchange, const char *method, const char *url,
                              const char *version)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const char *behind = version + strlen(version);
    if (url != method + strlen(method) + 1 || version != url + exchange->target_length + 1)
        return "the request line has a zero byte or more spaces than two";
    if (!info || info->header_size < (size_t)(behind - method))
        return "the headers are folded";
    return headers_block_fault(behind, info->header_size - (size_t)(behind - method));
}

/* What must be known before a body is taken; false: refuse at once and close. */
static bool accept_headers(struct exchange *exchange, const char *method, const char *version)
{
    struct headers *headers = &exchange->headers;
    exchange->method = method_parse(method);
    if (exchange->failed)
        return false;
    if (!headers_check(headers, exchange->method, version, &exchange->request, &exchange->problem))
        return false;
    if (headers->content_length > EXCHANGE_BODY_MAX)
        return fail_closing(exchange, PROBLEM_TOO_LARGE, "a body may have 1048576 bytes");
    exchange->failed = !router_find(exchange, &exchange->problem);
    if (server_is_refusing(exchange->loop->server))
        return fail_closing(exchange, PROBLEM_STOPPING, "the server is shutting down");
    return true;
}

static void take_body(struct exchange *exchange, const char *bytes, size_t length)
{
    if (exchange->uploading)
        exchange->fed = client_fed(exchange->client);
    if (exchange->body.length + length > EXCHANGE_BODY_MAX || exchange->failed) {
        exchange->discarded += length;
        if (!exchange->failed)
            exchange->failed =
                !fail_closing(exchange, PROBLEM_TOO_LARGE, "a body may have 1048576 bytes");
        return;
    }
    buffer_append(&exchange->body, bytes, length);
}

static enum MHD_Result settle(struct exchange *exchange, enum handled handled)
{
    if (handled == WAITING) {
        await(exchange, PHASE_WORKING);
        exchange_suspend(exchange);
        return MHD_YES;
    }
    if (handled == FAILED)
        return refuse(exchange);
    return queue_answer(exchange);
}

/* What it waited for did not happen, and will not. */
static enum MHD_Result give_up(struct exchange *exchange)
{
    admission_busy(exchange->loop->server, &exchange->problem,
                   exchange->fate == EXCHANGE_DROPPED
                       ? "the client has ended the connection"
                       : "this has waited too long for its turn to be rendered; try again later");
    exchange->problem.shed = exchange->fate == EXCHANGE_DROPPED ? SHED_ABANDONED : SHED_DEADLINE;
    return refuse(exchange);
}

/* Mistakes count among the client's requests, too. */
static bool may_be_answered(struct exchange *exchange)
{
    const bool close = exchange->failed && exchange->problem.close;
    if (admission_enter(exchange, &exchange->problem))
        return !exchange->failed;
    exchange->problem.close = close;
    return false;
}

static enum MHD_Result dispatch(struct exchange *exchange)
{
    if (!may_be_answered(exchange))
        return refuse(exchange);
    if (exchange->body.failed) {
        problem_set(&exchange->problem, PROBLEM_BUSY, "out of memory");
        return refuse(exchange);
    }
    return settle(exchange, router_run(exchange, &exchange->problem));
}

enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **slot)
{
    struct exchange *exchange = *slot;
    (void)context;
    if (!exchange)
        return MHD_NO;
    if (exchange->step == EXCHANGE_LINE) {
        exchange_leave_list(exchange);
        exchange->step = EXCHANGE_BODY;
        exchange->method_text = method;
        exchange->version = version;
        MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &exchange->headers);
        const char *fault = line_fault(exchange, method, url, version);
        if (fault)
            exchange->headers.fault = fault;
        if (!accept_headers(exchange, method, version))
            return refuse(exchange);
        if (exchange->headers.content_length > 0 || exchange->headers.chunked)
            await(exchange, PHASE_BODY);
        if (exchange->headers.chunked)
            join_uploads(exchange);
        return MHD_YES;
    }
    if (exchange->step == EXCHANGE_RESUMED && exchange->fate != EXCHANGE_SERVED)
        return give_up(exchange);
    if (exchange->step == EXCHANGE_RESUMED)
        return settle(exchange, exchange->resume(exchange, &exchange->problem));
    if (*upload_size > 0) {
        take_body(exchange, upload, *upload_size);
        *upload_size = 0;
        return exchange->discarded > DISCARD_MAX ? MHD_NO : MHD_YES;
    }
    exchange_leave_list(exchange);
    return dispatch(exchange);
}
