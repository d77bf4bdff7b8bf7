/* The life of a request, as libmicrohttpd's callbacks drive it:
 *
 * 1. begin() when the request line has come: the raw target is copied and parsed here, as the
 *    library would decode it leniently.
 * 2. handle() for the first time, when the headers have come: they are checked and the route is
 *    found. Whatever cannot be trusted to end where it seems to is refused here, and the connection
 *    closes.
 * 3. handle() for each piece of the body.
 * 4. handle() when the body is complete, if only an empty one: the client's rate is checked and the
 *    steps of its route taken (routes/steps.c). They answer, fail with a problem, or wait.
 * 5. handle() again after a wait: the function given to http_request_await() goes on.
 * 6. completed(): the response was sent, or the connection broke. Everything is released.
 *
 * An error found in step 2 that leaves the connection usable, such as an unknown path, is answered
 * in step 4: the library closes the connection after a response that is queued in step 2. */
#include "server/http/dispatch.h"

#include <string.h>

#include "server/http/connection/accept.h"
#include "server/http/dispatch_bypass.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/loop_requests.h"
#include "server/http/products/cached_response.h"
#include "server/http/request_log.h"
#include "server/http/response/base_url.h"
#include "server/http/response/event_stream.h"
#include "server/http/routes/router.h"
#include "server/http/send_response.h"

/* The bytes of a too large body that are read and thrown away, at most. A client that reads only
 * after sending thus gets the response; a longer body cuts the connection. */
enum { DISCARD_MAX = 4 * HTTP_REQUEST_BODY_MAX };

/* Sets the event of the client that the connection waits for from now on. */
static void set_phase(struct http_request *request, enum connection_phase phase)
{
    timeouts_set_phase(&request->loop->timeouts, request->connection, phase, request->loop->now);
}

/* Cuts the query off in the library's own buffer: the library would split it into arguments that
 * nobody reads, and with many of them its small pool overflows and no response is sent at all. */
static void truncate_query(const char *raw_target)
{
    char *query = strchr(raw_target, '?');
    if (query)
        query[1] = '\0';
}

/* Keeps as much of the raw target as fits; target_parse() refuses a longer one by its length. */
static void take_target(struct http_request *request, const char *text)
{
    const size_t length = strlen(text);
    const size_t kept =
        length < sizeof request->raw_target ? length : sizeof request->raw_target - 1;
    memcpy(request->raw_target, text, kept);
    request->raw_target_length = length;
    request->raw_target[kept] = '\0';
    request->failed = !target_parse(length == kept ? request->raw_target : text, length,
                                    &request->target, &request->problem);
}

static void *begin(void *context, const char *raw_target, struct MHD_Connection *mhd_connection)
{
    struct event_loop *loop = context;
    struct http_request *request = loop_requests_add(loop);
    if (request) {
        request->generation = generation_enter(&loop->view);
        request->mhd_connection = mhd_connection;
        request->connection = accept_connection_of(mhd_connection);
        timeouts_begin(&loop->timeouts, request->connection, loop->now);
        request->trace.started_at = loop->now_microseconds;
        take_target(request, raw_target ? raw_target : "");
    }
    if (raw_target)
        truncate_query(raw_target);
    return request;
}

static void completed(void *context, struct MHD_Connection *mhd_connection, void **slot,
                      enum MHD_RequestTerminationCode reason)
{
    struct http_request *request = *slot;
    (void)context;
    (void)mhd_connection;
    (void)reason;
    if (!request)
        return;
    *slot = NULL;
    request_log_end(request);
    set_phase(request, PHASE_IDLE);
    if (request->work)
        request->work_free(request->work);
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++)
        resolved_world_release(&request->worlds[i]);
    cached_response_release(request->product.cached);
    memory_budget_release(&request->server->response_budget, request->response.reserved);
    buffer_free(&request->body);
    generation_leave(&request->loop->view, request->generation);
    loop_requests_remove(request);
}

static enum MHD_Result collect_header(void *context, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    (void)kind;
    headers_add(context, name, value);
    return MHD_YES;
}

static bool fail_body_too_large(struct http_request *request)
{
    problem_set(&request->problem, PROBLEM_TOO_LARGE, "a body may have %d bytes",
                HTTP_REQUEST_BODY_MAX);
    request->problem.close_connection = true;
    return false;
}

/* The library reads lines leniently and tells nothing of it. But the whole request still stands in
 * its buffer, from `method` on, with zeros where a word or line ended. */
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

/* False with a problem that must be sent before the body, as the connection closes after it. All
 * other problems wait until the body has come: see `failed`. */
static bool accept_headers(struct http_request *request, const char *method, const char *version)
{
    struct headers *headers = &request->headers;
    request->method = method_parse(method);
    if (request->failed)
        return false;
    if (!headers_check(headers, request->method, version, &request->target, &request->problem))
        return false;
    if (headers->content_length > HTTP_REQUEST_BODY_MAX)
        return fail_body_too_large(request);
    request->failed = !router_match(request, &request->problem);
    if (drain_is_refusing(&request->server->group.drain)) {
        problem_shutting_down(&request->problem);
        request->problem.close_connection = true;
        return false;
    }
    return true;
}

static void append_body(struct http_request *request, const char *bytes, size_t length)
{
    struct request_upload *upload = &request->upload;
    if (upload->linked)
        upload->bytes_at_last_data = connection_bytes_received(request->connection);
    if (!request->failed && request->body.length + length > HTTP_REQUEST_BODY_MAX)
        request->failed = !fail_body_too_large(request);
    if (request->failed)
        upload->bytes_discarded += length;
    else
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
        return send_problem(request);
    return send_response(request);
}

/* The wait ended without what it was for. */
static enum MHD_Result refuse_after_wait(struct http_request *request)
{
    const bool abandoned = request->wait.outcome == HTTP_WAIT_ABANDONED;
    admission_set_busy(
        request->server, &request->problem,
        abandoned ? "the client has ended its sending, and many others wait"
                  : "this has waited too long for its turn to be rendered; try again later");
    request->problem.shed_reason = abandoned ? SHED_ABANDONED : SHED_DEADLINE;
    return send_problem(request);
}

static enum MHD_Result go_on_after_wait(struct http_request *request)
{
    http_request_end_wait(request);
    if (request->wait.outcome != HTTP_WAIT_COMPLETED)
        return refuse_after_wait(request);
    return apply_handler_result(request, request->wait.resume(request, &request->problem));
}

/* Requests with errors count against the client's rate, too. */
static bool admit_request(struct http_request *request)
{
    const bool close_connection = request->failed && request->problem.close_connection;
    if (admission_check_rate(request, &request->problem))
        return !request->failed;
    request->problem.close_connection = close_connection;
    return false;
}

static enum MHD_Result run_handler(struct http_request *request)
{
    if (!admit_request(request))
        return send_problem(request);
    if (request->body.failed) {
        problem_out_of_memory(&request->problem);
        return send_problem(request);
    }
    return apply_handler_result(request, router_dispatch(request, &request->problem));
}

static enum MHD_Result begin_body(struct http_request *request, const char *url, const char *method,
                                  const char *version)
{
    loop_requests_unlink(request);
    request->state = HTTP_REQUEST_BODY;
    request->trace.method = method;
    request->trace.version = version;
    MHD_get_connection_values(request->mhd_connection, MHD_HEADER_KIND, collect_header,
                              &request->headers);
    const char *fault = request_line_fault(request, method, url, version);
    if (fault)
        request->headers.fault = fault;
    base_url_report_proxy(request);
    if (!accept_headers(request, method, version))
        return send_problem(request);
    if (request->headers.content_length > 0 || request->headers.chunked)
        set_phase(request, PHASE_BODY);
    if (request->headers.chunked)
        loop_requests_add_upload(request);
    return MHD_YES;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *mhd_connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **slot)
{
    struct http_request *request = *slot;
    (void)context;
    (void)mhd_connection;
    if (!request)
        return MHD_NO;
    if (request->state == HTTP_REQUEST_HEADERS)
        return begin_body(request, url, method, version);
    if (request->state == HTTP_REQUEST_RESUMED)
        return go_on_after_wait(request);
    if (*upload_size > 0) {
        append_body(request, upload, *upload_size);
        *upload_size = 0;
        return request->upload.bytes_discarded > DISCARD_MAX ? MHD_NO : MHD_YES;
    }
    loop_requests_unlink(request);
    return run_handler(request);
}

static void cancel_jobs(struct event_loops *group)
{
    workers_cancel_all(group->server->workers);
    tiers_cancel(group->server->tiers);
}

static int64_t next_timeout(const struct event_loop *loop, int64_t max)
{
    return event_streams_timeout(loop, http_request_next_timeout(loop, max));
}

static void expire(struct event_loop *loop)
{
    http_request_expire_waits(loop);
    event_streams_wake(loop);
}

const struct event_loop_handlers dispatch_handlers = {
    .begin = begin,
    .handle = handle,
    .completed = completed,
    .library_log = dispatch_bypass_library_log,
    .timeout = next_timeout,
    .expire = expire,
    .stalled = dispatch_bypass_end_stuck_uploads,
    .disconnected = http_request_disconnected,
    .cancel_jobs = cancel_jobs,
};
