#include "server/http/http_request.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/connection/accept.h"
#include "server/http/jobs/admission.h"
#include "server/http/products/cached_response.h"
#include "server/http/request_log.h"
#include "server/http/response/response.h"
#include "server/http/routes/router.h"

enum {
    POOL_MAX = 256,
    /* Bytes of an answer. Less is sent whatever others take: problems, metrics. */
    BUDGETED_RESPONSE_MIN = 64 * 1024,
    /* Of a body that is too large, this much is read and thrown away for the sake of the answer. */
    DISCARD_MAX = 4 * HTTP_REQUEST_BODY_MAX,
};

static struct http_request *pool_take(struct event_loop *loop)
{
    struct http_request *request = loop->request_pool;
    if (request) {
        loop->request_pool = request->next;
        loop->request_pool_size--;
    } else {
        request = malloc(sizeof *request);
    }
    return request;
}

/* Everything but the large arrays, which are written before they are read. */
static void request_reset(struct http_request *request)
{
    request->state = HTTP_REQUEST_HEADERS;
    request->headers = (struct headers){0};
    request->method = METHOD_OTHER;
    request->failed = false;
    request->body = (struct buffer){0};
    request->body_bytes_discarded = 0;
    request->in_chunked_uploads = false;
    request->route = NULL;
    request->world_text = NULL;
    request->resume = NULL;
    request->on_disconnect = NULL;
    request->try_cancel = NULL;
    request->wait_outcome = HTTP_WAIT_COMPLETED;
    request->deadline = 0;
    request->cost = 0;
    request->bucket = NULL;
    request->bucket_charge = 0;
    request->world = NULL;
    request->world_pinned = false;
    request->cached = NULL;
    request->rendered = false;
    request->tier = NULL;
    request->work = NULL;
    request->method_text = request->version = NULL;
    request->cache = NULL;
    request->status = 0;
    request->body_length = 0;
    request->reserved = 0;
    request->job.kind = METRICS_NOTHING;
    request->response = NULL;
    request->response_shared = false;
}

static void list_prepend(struct http_request **list, struct http_request *request)
{
    request->previous = NULL;
    request->next = *list;
    if (*list)
        (*list)->previous = request;
    *list = request;
}

static void list_remove(struct http_request **list, struct http_request *request)
{
    *(request->previous ? &request->previous->next : list) = request->next;
    if (request->next)
        request->next->previous = request->previous;
}

/* What the client is waited for from now on. */
static void set_phase(struct http_request *request, enum connection_phase phase)
{
    connection_timeouts_set_phase(&request->loop->timeouts, request->connection, phase,
                                  request->loop->now);
}

static void join_chunked_uploads(struct http_request *request)
{
    list_prepend(&request->loop->chunked_uploads, request);
    request->in_chunked_uploads = true;
    request->bytes_at_last_body_data = connection_bytes_received(request->connection);
}

void http_request_unlink(struct http_request *request)
{
    struct event_loop *loop = request->loop;
    if (request->state == HTTP_REQUEST_HEADERS)
        list_remove(&loop->reading_headers, request);
    else if (request->in_chunked_uploads)
        list_remove(&loop->chunked_uploads, request);
    request->in_chunked_uploads = false;
}

/* The target's query is cut off in the library's own buffer: it would split it into arguments that
 * nobody reads, and with many of them its small pool overflows and no answer is sent at all. */
static void truncate_query(const char *raw_target)
{
    char *question = strchr(raw_target, '?');
    if (question)
        question[1] = '\0';
}

void *http_request_begin(void *context, const char *raw_target,
                         struct MHD_Connection *mhd_connection)
{
    struct event_loop *loop = context;
    struct http_request *request = pool_take(loop);
    const char *text = raw_target ? raw_target : "";
    size_t length = strlen(text);
    if (request) {
        request_reset(request);
        request->loop = loop;
        request->generation = generation_enter(&loop->view);
        request->mhd_connection = mhd_connection;
        request->connection = accept_connection_of(mhd_connection);
        connection_timeouts_begin(&loop->timeouts, request->connection, loop->now);
        request->started_at = loop->now_microseconds;
        list_prepend(&loop->reading_headers, request);
        loop->active++;
        size_t kept = length < sizeof request->raw_target ? length : sizeof request->raw_target - 1;
        memcpy(request->raw_target, text, kept);
        request->raw_target_length = length;
        request->raw_target[kept] = '\0';
        request->failed = !target_parse(length == kept ? request->raw_target : text, length,
                                        &request->target, &request->problem);
    }
    if (raw_target)
        truncate_query(raw_target);
    return request;
}

void http_request_completed(void *context, struct MHD_Connection *mhd_connection, void **slot,
                            enum MHD_RequestTerminationCode reason)
{
    struct event_loop *loop = context;
    struct http_request *request = *slot;
    (void)mhd_connection;
    (void)reason;
    if (!request)
        return;
    *slot = NULL;
    request_log_end(request);
    http_request_unlink(request);
    if (loop->last_answered == request)
        loop->last_answered = NULL;
    loop->active--;
    set_phase(request, PHASE_IDLE);
    if (request->work)
        request->work_free(request->work);
    if (request->world)
        catalog_release(request->world);
    cached_response_release(request->cached);
    memory_budget_release(&loop->server->response_budget, request->reserved);
    buffer_free(&request->body);
    generation_leave(&loop->view, request->generation);
    if (loop->request_pool_size < POOL_MAX) {
        request->next = loop->request_pool;
        loop->request_pool = request;
        loop->request_pool_size++;
    } else {
        free(request);
    }
}

void http_request_free_pool(struct event_loop *loop)
{
    while (loop->request_pool) {
        struct http_request *request = loop->request_pool;
        loop->request_pool = request->next;
        free(request);
    }
    loop->request_pool_size = 0;
}

static enum MHD_Result collect_header(void *context, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    (void)kind;
    headers_add(context, name, value);
    return MHD_YES;
}

/* What a question's answer tells of how it was made; tiles and chunks have said so themselves. */
static void add_query_timing(struct http_request *request)
{
    const struct job *job = &request->job;
    if (job->kind != METRICS_QUESTION || request->response_shared || request->status >= 400)
        return;
    const uint32_t encoded = job->encoded < job->took ? job->encoded : job->took;
    const struct response_times times = {job->waited, job->took - encoded, encoded};
    request->cache = "render";
    response_add_header(request->response, "X-Terrane-Cache", request->cache);
    response_add_server_timing(request->response, times);
}

/* What is not shared is in memory until the client has taken it. Tiles have reserved their own. */
static void reserve_response_memory(struct http_request *request)
{
    struct memory_budget *response_budget = &request->loop->server->response_budget;
    const size_t length = request->response_shared || request->cached ? 0 : request->body_length;
    if (length < BUDGETED_RESPONSE_MIN)
        return;
    if (memory_budget_reserve(response_budget, length)) {
        request->reserved = length;
        return;
    }
    MHD_destroy_response(request->response);
    problem_set(&request->problem, PROBLEM_BUSY,
                "too many large answers are being sent; try again soon");
    metrics_count(request->loop->counts, SHED_MEMORY);
    response_problem(request, &request->problem);
}

/* The library takes chunks whose lines end without CR, and anything behind a semicolon, and no
 * trace is left of that: so what follows such a body is not taken for a request. */
static enum MHD_Result queue_response(struct http_request *request)
{
    if (request->response)
        reserve_response_memory(request);
    if (!request->response)
        return MHD_NO;
    add_query_timing(request);
    /* As if the client had asked for it: answers are shared, and must not be changed. */
    if (server_is_draining(request->loop->server) || request->headers.chunked)
        MHD_set_connection_value(request->mhd_connection, MHD_HEADER_KIND, "Connection", "close");
    enum MHD_Result result =
        MHD_queue_response(request->mhd_connection, request->status, request->response);
    if (!request->response_shared)
        MHD_destroy_response(request->response);
    request->response = NULL;
    request->state = HTTP_REQUEST_RESPONSE_QUEUED;
    request->loop->last_answered = request;
    set_phase(request, PHASE_SENDING);
    request_log_response(request);
    return result;
}

static enum MHD_Result respond_problem(struct http_request *request)
{
    if (request->problem.kind == PROBLEM_BUSY || request->problem.kind == PROBLEM_SHUTTING_DOWN)
        admission_refund(request);
    metrics_count(request->loop->counts, problem_shed_reason(&request->problem));
    response_problem(request, &request->problem);
    return queue_response(request);
}

static bool fail_and_close(struct http_request *request, enum problem_kind kind, const char *detail)
{
    problem_set(&request->problem, kind, "%s", detail);
    request->problem.close_connection = true;
    return false;
}

/* The library reads lines leniently and leaves no trace of it but the bytes in its buffer, in which
 * the request still stands as a whole, with zeros where a word or line ended. */
static const char *request_line_fault(const struct http_request *request, const char *method,
                                      const char *url, const char *version)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const char *behind = version + strlen(version);
    if (url != method + strlen(method) + 1 || version != url + request->raw_target_length + 1)
        return "the request line has a zero byte or more spaces than two";
    if (!info || info->header_size < (size_t)(behind - method))
        return "the headers are folded";
    return headers_block_fault(behind, info->header_size - (size_t)(behind - method));
}

/* What must be known before a body is taken; false: refuse at once and close. */
static bool accept_headers(struct http_request *request, const char *method, const char *version)
{
    struct headers *headers = &request->headers;
    request->method = method_parse(method);
    if (request->failed)
        return false;
    if (!headers_check(headers, request->method, version, &request->target, &request->problem))
        return false;
    if (headers->content_length > HTTP_REQUEST_BODY_MAX)
        return fail_and_close(request, PROBLEM_TOO_LARGE, "a body may have 1048576 bytes");
    request->failed = !router_match(request, &request->problem);
    if (server_is_refusing(request->loop->server))
        return fail_and_close(request, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
    return true;
}

static void append_body(struct http_request *request, const char *bytes, size_t length)
{
    if (request->in_chunked_uploads)
        request->bytes_at_last_body_data = connection_bytes_received(request->connection);
    if (request->body.length + length > HTTP_REQUEST_BODY_MAX || request->failed) {
        request->body_bytes_discarded += length;
        if (!request->failed)
            request->failed =
                !fail_and_close(request, PROBLEM_TOO_LARGE, "a body may have 1048576 bytes");
        return;
    }
    buffer_append(&request->body, bytes, length);
}

static enum MHD_Result apply_handler_result(struct http_request *request,
                                            enum handler_result result)
{
    if (result == HANDLER_WAITING) {
        set_phase(request, PHASE_WORKING);
        http_request_begin_wait(request);
        return MHD_YES;
    }
    if (result == HANDLER_FAILED)
        return respond_problem(request);
    return queue_response(request);
}

/* What it waited for did not happen, and will not. */
static enum MHD_Result refuse_after_wait(struct http_request *request)
{
    admission_set_busy(
        request->loop->server, &request->problem,
        request->wait_outcome == HTTP_WAIT_ABANDONED
            ? "the client has ended the connection"
            : "this has waited too long for its turn to be rendered; try again later");
    request->problem.shed_reason =
        request->wait_outcome == HTTP_WAIT_ABANDONED ? SHED_ABANDONED : SHED_DEADLINE;
    return respond_problem(request);
}

/* Mistakes count among the client's requests, too. */
static bool admit_request(struct http_request *request)
{
    const bool close_connection = request->failed && request->problem.close_connection;
    if (admission_check_rate(request, &request->problem))
        return !request->failed;
    request->problem.close_connection = close_connection;
    return false;
}

static enum MHD_Result dispatch(struct http_request *request)
{
    if (!admit_request(request))
        return respond_problem(request);
    if (request->body.failed) {
        problem_set(&request->problem, PROBLEM_BUSY, "out of memory");
        return respond_problem(request);
    }
    return apply_handler_result(request, router_dispatch(request, &request->problem));
}

enum MHD_Result http_request_handle(void *context, struct MHD_Connection *mhd_connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *upload_size, void **slot)
{
    struct http_request *request = *slot;
    (void)context;
    if (!request)
        return MHD_NO;
    if (request->state == HTTP_REQUEST_HEADERS) {
        http_request_unlink(request);
        request->state = HTTP_REQUEST_BODY;
        request->method_text = method;
        request->version = version;
        MHD_get_connection_values(mhd_connection, MHD_HEADER_KIND, collect_header,
                                  &request->headers);
        const char *fault = request_line_fault(request, method, url, version);
        if (fault)
            request->headers.fault = fault;
        if (!accept_headers(request, method, version))
            return respond_problem(request);
        if (request->headers.content_length > 0 || request->headers.chunked)
            set_phase(request, PHASE_BODY);
        if (request->headers.chunked)
            join_chunked_uploads(request);
        return MHD_YES;
    }
    if (request->state == HTTP_REQUEST_RESUMED && request->wait_outcome != HTTP_WAIT_COMPLETED)
        return refuse_after_wait(request);
    if (request->state == HTTP_REQUEST_RESUMED)
        return apply_handler_result(request, request->resume(request, &request->problem));
    if (*upload_size > 0) {
        append_body(request, upload, *upload_size);
        *upload_size = 0;
        return request->body_bytes_discarded > DISCARD_MAX ? MHD_NO : MHD_YES;
    }
    http_request_unlink(request);
    return dispatch(request);
}
