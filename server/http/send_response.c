/* A response is queued once per request, when its handler is done. One that lacks its body or a
 * header, because memory was out when it was made, is replaced here by a 503 that was made when the
 * server started: a cache that kept a compressed body without its Content-Encoding, say, would give
 * it to everyone.
 *
 * Cached responses are shared by requests and accounted for by their cache. Any other is in memory
 * until the client has read it, so a large one is taken from a budget; beyond that budget the
 * client gets a 503 in its place, which bounds what slow readers can occupy. */
#include "server/http/send_response.h"

#include "server/http/jobs/admission.h"
#include "server/http/jobs/server_state.h"
#include "server/http/request_log.h"
#include "server/http/response/base_url.h"
#include "server/http/response/response.h"
#include "server/http/routes/router.h"

/* Bytes of a response. Smaller ones, such as problems and metrics, are sent whatever others take.
 */
enum { BUDGETED_RESPONSE_MIN = 64 * 1024 };

/* For responses made by the request's own job; tiles and chunks have these headers already. */
static void add_query_timing(struct http_request *request)
{
    const struct job *job = &request->job;
    struct request_response *response = &request->response;
    if (job->kind != METRICS_QUESTION || response->made.shared || response->status >= 400)
        return;
    const uint32_t encoded = job->encoded < job->took ? job->encoded : job->took;
    const struct response_times times = {job->waited, job->took - encoded, encoded};
    response->cache_status = "render";
    response_add_header(&response->made, "X-Terrane-Cache", response->cache_status);
    response_add_server_timing(&response->made, times);
}

/* Tiles, chunks, volumes and pictures have reserved their memory where they were made. */
static void reserve_response_memory(struct http_request *request)
{
    struct request_response *response = &request->response;
    if (response->made.shared || request->product.cached || response->reserved > 0 ||
        response->body_length < BUDGETED_RESPONSE_MIN)
        return;
    if (memory_budget_reserve(&request->server->response_budget, response->body_length)) {
        response->reserved = response->body_length;
        return;
    }
    response_destroy(response->made.mhd_response);
    problem_response_memory(&request->problem);
    metrics_count(request->loop->counts, SHED_MEMORY);
    response_problem(request, &request->problem, "");
}

/* The response as it is queued: complete, or the 503 that was made in advance. */
static struct MHD_Response *finish_response(struct http_request *request)
{
    struct request_response *response = &request->response;
    struct MHD_Response *finished = response_finish(&response->made);
    if (finished)
        return finished;
    admission_refund(request);
    metrics_count(request->loop->counts, SHED_MEMORY);
    response->made = (struct response){request->server->without_memory, true, false};
    response->status = MHD_HTTP_SERVICE_UNAVAILABLE;
    response->body_length = request->server->without_memory_length;
    response->cache_status = NULL;
    return response->made.mhd_response;
}

/* The library accepts chunk lines that end without CR, and anything behind a semicolon, and leaves
 * no trace of it. Another program may have read such a body differently, so the connection closes
 * after a chunked body and what follows is not taken for a request.
 *
 * The header is set on the request's side, as if the client had requested closing: responses are
 * shared and must not change. False when memory is out. */
static bool close_after_response(struct http_request *request)
{
    const bool close = request->response.close || request->headers.chunked ||
                       drain_has_begun(&request->server->group.drain);
    return !close || MHD_set_connection_value(request->mhd_connection, MHD_HEADER_KIND,
                                              "Connection", "close") == MHD_YES;
}

enum MHD_Result send_response(struct http_request *request)
{
    struct request_response *response = &request->response;
    admission_settle(request);
    reserve_response_memory(request);
    add_query_timing(request);
    if (request->route && request->route->traits & ROUTE_SAME_ORIGIN)
        response_keep_from_other_origins(request);
    struct MHD_Response *finished = finish_response(request);
    const bool queued =
        close_after_response(request) &&
        MHD_queue_response(request->mhd_connection, response->status, finished) == MHD_YES;
    if (!response->made.shared)
        response_destroy(finished);
    response->made = (struct response){.failed = true};
    if (!queued)
        return MHD_NO;
    request->state = HTTP_REQUEST_RESPONSE_QUEUED;
    request->loop->requests->last_answered = request;
    timeouts_set_phase(&request->loop->timeouts, request->connection, PHASE_SENDING,
                       request->loop->now);
    request_log_response(request);
    return MHD_YES;
}

/* Without the prefix of a proxy if that is malformed. */
static void respond_with_problem(struct http_request *request, const struct problem *problem)
{
    struct buffer path = {0};
    struct problem ignored;
    if (request->route && request->route->traits & ROUTE_OWS) {
        response_ows_exception(request, problem);
        return;
    }
    base_url_append_path(request, &path, &ignored);
    response_problem(request, problem, buffer_string(&path));
    buffer_free(&path);
}

enum MHD_Result send_problem(struct http_request *request)
{
    struct problem *problem = &request->problem;
    if (problem->kind == PROBLEM_BUSY || problem->kind == PROBLEM_SHUTTING_DOWN)
        admission_refund(request);
    metrics_count(request->loop->counts, problem_shed_reason(problem));
    router_add_example(request, problem);
    respond_with_problem(request, problem);
    return send_response(request);
}
