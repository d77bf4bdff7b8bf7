/* Every question of server/queries/query.h as a route of its name: see router.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/products/recipe.h"
#include "server/http/request/parameters.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/queries/query.h"

/* A question on its way to a render thread and back. */
struct query_job {
    struct inquiry inquiry;
    const struct headers *headers; /* the exchange's */
    char etag[ETAG_TEXT];
    struct buffer out;
    enum coding coding; /* of `out` */
    bool done;          /* `out` is the answer, not `problem` */
    struct problem problem;
};

static const char *const types[QUESTION_FORMS] = {
    [QUESTION_JSON] = "application/json",
    [QUESTION_TEXT] = "text/plain; charset=utf-8",
    [QUESTION_SVG] = "image/svg+xml",
    [QUESTION_GEOJSON] = "application/geo+json",
};

static void query_job_free(void *work)
{
    struct query_job *query_job = work;
    buffer_free(&query_job->out);
    free(query_job);
}

static enum cache_policy query_cache_policy(const struct http_request *request)
{
    return request->world_pinned ? CACHE_IMMUTABLE : CACHE_REVALIDATE;
}

/* ".svg" and ".geojson" are forms of their own; else ?format= says which. */
static bool parse_format(const struct http_request *request, const char *extension,
                         struct inquiry *inquiry, struct problem *problem)
{
    bool text = false;
    if (!parameter_format(&request->target, &text, problem) ||
        !parameter_bool(&request->target, "pretty", &inquiry->pretty, problem))
        return false;
    if (extension[0])
        inquiry->form = strcmp(extension, ".svg") == 0 ? QUESTION_SVG : QUESTION_GEOJSON;
    else
        inquiry->form = text ? QUESTION_TEXT : QUESTION_JSON;
    return true;
}

static bool fail_query(const struct question *question, const struct error *error,
                       struct problem *problem)
{
    problem_from_error(problem, error->code == ERROR_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_PARAMETER,
                       error);
    snprintf(problem->example, sizeof problem->example, "%s", question->example);
    return false;
}

static void run_query(struct job *job, struct worker_context *worker)
{
    struct query_job *query_job = http_request_of_job(job)->work;
    const struct question *question = query_job->inquiry.question;
    struct error error = {0};
    if (!worker) {
        problem_set(&query_job->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    query_job->done = question->answer(&query_job->inquiry, sampler, &query_job->out, &error);
    if (query_job->done) {
        query_job->coding =
            response_compress_in_job(job, worker, query_job->headers, &query_job->out);
        return;
    }
    fail_query(question, &error, &query_job->problem);
    problem_set_parameter(&query_job->problem, question->parameters[0].name);
    snprintf(query_job->problem.example, sizeof query_job->problem.example, "%s",
             question->example);
}

static enum handler_result respond_with_query(struct http_request *request, struct problem *problem)
{
    struct query_job *query_job = request->work;
    if (!query_job->done) {
        *problem = query_job->problem;
        return HANDLER_FAILED;
    }
    const size_t length = query_job->out.length;
    struct MHD_Response *response =
        response_new(&query_job->out, types[query_job->inquiry.form], query_cache_policy(request));
    response_add_vary(response, query_job->coding);
    return response_with_etag(request, query_job->etag, length, response);
}

/* The entity tag; false when memory is out. */
static bool write_query_etag(const struct http_request *request, struct query_job *query_job)
{
    const struct inquiry *inquiry = &query_job->inquiry;
    struct buffer parameters = {0};
    struct hash128 recipe;
    for (const struct question_parameter *each = inquiry->question->parameters; each->name;
         each++) {
        const char *text = parameter_text(&request->target, each->name);
        if (text)
            buffer_format(&parameters, "%s=%s&", each->name, text);
    }
    bool done =
        recipe_hash_query(inquiry, buffer_string(&parameters), &recipe) && !parameters.failed;
    buffer_free(&parameters);
    if (done)
        etag_write_with_coding(recipe, headers_select_coding(&request->headers, CODINGS_ALL),
                               query_job->etag);
    return done;
}

static bool check_query_cost(struct http_request *request, const struct inquiry *inquiry,
                             struct problem *problem)
{
    const struct question *question = inquiry->question;
    struct error error = {0};
    if (question->check && !question->check(inquiry, &error))
        return fail_query(question, &error, problem);
    const struct charge charge = {question->cost(inquiry), question->smaller, question->example};
    return admission_check_cost(request, &charge, problem);
}

static enum handler_result start_query_job(struct http_request *request,
                                           const struct inquiry *inquiry, struct problem *problem)
{
    struct query_job *query_job = calloc(1, sizeof *query_job);
    if (query_job) {
        query_job->inquiry = *inquiry;
        query_job->headers = &request->headers;
        request->work = query_job;
        request->work_free = query_job_free;
    }
    if (!query_job || !write_query_etag(request, query_job)) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return HANDLER_FAILED;
    }
    const struct response_caching form = {query_cache_policy(request), true};
    if (response_not_modified(request, query_job->etag, form))
        return HANDLER_DONE;
    if (!check_query_cost(request, inquiry, problem))
        return HANDLER_FAILED;
    return http_request_run_job(request, run_query, respond_with_query, problem);
}

enum handler_result handle_query(struct http_request *request, struct problem *problem)
{
    const char *pattern = request->route->pattern, *extension = pattern + strcspn(pattern, ".");
    struct inquiry inquiry = {.question = question_find(pattern, (size_t)(extension - pattern))};
    struct error error = {0};
    const struct question_source source = {&request->target, parameter_text, &error};
    if (!parse_format(request, extension, &inquiry, problem))
        return HANDLER_FAILED;
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    inquiry.world = request->world;
    if (!inquiry.question->read(&source, &inquiry)) {
        parameter_problem(inquiry.question->parameters, inquiry.question->example, &error, problem);
        return HANDLER_FAILED;
    }
    return start_query_job(request, &inquiry, problem);
}
