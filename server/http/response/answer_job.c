/* The life of an answer that waits for a render thread: allocation, reading the body and make() on
 * the thread, the response on the loop, release.
 *
 * A job that the server cancels because it shuts down still ends on its loop: it is run without a
 * worker, and the request is refused with 503. */
#include "server/http/response/answer_job.h"

#include <stdlib.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/jobs/stopped_jobs.h"

enum {
    SHORT_BODY_MAX = 4096, /* bytes, which take some tens of microseconds to read */
    BODY_BYTE_TIME = 16,   /* nanoseconds, to read a byte of a longer body */
};

void answer_job_free(struct answer_job *answer)
{
    if (answer->type->release)
        answer->type->release(answer);
    buffer_free(&answer->out);
    free(answer);
}

static void free_work(void *work)
{
    answer_job_free(work);
}

void answer_job_detach(struct answer_job *answer)
{
    answer->request->work = NULL;
}

void *answer_job_new(struct http_request *request, const struct answer_type *type, size_t size,
                     struct problem *problem)
{
    struct answer_job *answer = calloc(1, size);
    if (!answer) {
        problem_out_of_memory(problem);
        return NULL;
    }
    answer->type = type;
    answer->request = request;
    request->work = answer;
    request->work_free = free_work;
    return answer;
}

static void do_work(struct answer_job *answer, struct worker_context *worker)
{
    answer->done = answer->work(answer, worker);
    if (!answer->done || !answer->out.failed)
        return;
    answer->done = false;
    problem_out_of_memory(&answer->problem);
}

static void run(struct job *job, struct worker_context *worker)
{
    struct answer_job *answer = http_request_of_job(job)->work;
    const bool makes = answer->work == answer->type->make;
    job->kind = makes ? answer->type->kind : METRICS_NOTHING;
    if (!worker) {
        answer->done = false; /* a piece before may have been */
        problem_shutting_down(&answer->problem);
        return;
    }
    do_work(answer, worker);
    if (answer->done && makes && answer->type->compressed)
        answer->coding =
            response_compress_in_job(job, worker, &answer->request->headers, &answer->out);
}

enum handler_result answer_job_respond(struct answer_job *answer)
{
    struct http_request *request = answer->request;
    const bool posted = request->method == METHOD_POST;
    const enum cache_policy policy = response_cache_policy(request->is_pinned);
    if (!posted && !answer->etag[0])
        return response_document(request, &answer->out, answer->content_type, policy);
    const size_t length = request->response.body_length = answer->out.length;
    struct response response =
        response_new(&answer->out, answer->content_type, posted ? CACHE_NO_STORE : policy);
    if (answer->type->compressed)
        response_add_vary(&response, answer->coding);
    return posted ? response_set(request, MHD_HTTP_OK, response)
                  : response_with_etag(request, answer->etag, length, response);
}

/* False with the problem of work that has failed. */
static bool check_done(struct http_request *request, struct problem *problem)
{
    const struct answer_job *answer = request->work;
    if (answer->done)
        return true;
    *problem = answer->problem;
    if (request->job.stopped) {
        stopped_jobs_add(request->server->stopped_jobs, stopped_jobs_hash(request), &request->job);
        stopped_jobs_report(&request->job, request, problem);
    }
    return false;
}

static enum handler_result go_on(struct http_request *request, struct problem *problem)
{
    const struct answer_job *answer = request->work;
    if (answer->work == answer->type->make) /* reading the body is not charged */
        request->admission.used += request->job.used;
    return check_done(request, problem) ? answer->resume(request, problem) : HANDLER_FAILED;
}

static enum handler_result submit(struct answer_job *answer, uint64_t expected,
                                  struct problem *problem)
{
    struct http_request *request = answer->request;
    if (stopped_jobs_check(request->server->stopped_jobs, stopped_jobs_hash(request), request->loop,
                           problem))
        return http_request_run_job(request, run, go_on, expected, problem);
    admission_refund(request);
    return HANDLER_FAILED;
}

static enum handler_result finish(struct http_request *request, struct problem *problem)
{
    struct answer_job *answer = request->work;
    return answer->type->finish ? answer->type->finish(answer, problem)
                                : answer_job_respond(answer);
}

enum handler_result answer_job_run(struct http_request *request, struct problem *problem)
{
    struct answer_job *answer = request->work;
    answer->work = answer->type->make;
    answer->resume = finish;
    return submit(answer, request->admission.expected, problem);
}

enum handler_result answer_job_read_body(struct answer_job *answer, answer_work *read,
                                         http_handler *resume, struct problem *problem)
{
    const size_t length = answer->request->body.length;
    answer->work = read;
    answer->resume = resume;
    if (length > SHORT_BODY_MAX)
        return submit(answer, length * BODY_BYTE_TIME, problem);
    do_work(answer, NULL);
    return check_done(answer->request, problem) ? HANDLER_CONTINUE : HANDLER_FAILED;
}
