/* The life of an answer that waits for a render thread: allocation, make() on the thread, the
 * response on the loop, release. The endpoints have nothing of this but their make function.
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
    COST_PER_BYTE = 32,    /* octave-samples, of reading a longer body */
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
    answer->policy = response_cache_policy(request->world_pinned);
    request->work = answer;
    request->work_free = free_work;
    return answer;
}

static void make(struct answer_job *answer, struct worker_context *worker)
{
    answer->done = answer->type->make(answer, worker);
    if (!answer->done || !answer->out.failed)
        return;
    answer->done = false;
    problem_out_of_memory(&answer->problem);
}

static void run(struct job *job, struct worker_context *worker)
{
    struct answer_job *answer = http_request_of_job(job)->work;
    job->kind = answer->type->kind;
    if (!worker) {
        problem_shutting_down(&answer->problem);
        return;
    }
    make(answer, worker);
    if (answer->done && answer->type->compressed)
        answer->coding =
            response_compress_in_job(job, worker, &answer->request->headers, &answer->out);
}

enum handler_result answer_job_respond(struct answer_job *answer)
{
    struct http_request *request = answer->request;
    const bool posted = request->method == METHOD_POST;
    if (!posted && !answer->etag[0])
        return response_document(request, &answer->out, answer->content_type, answer->policy);
    const size_t length = request->response.body_length = answer->out.length;
    struct response response =
        response_new(&answer->out, answer->content_type, posted ? CACHE_NO_STORE : answer->policy);
    if (answer->type->compressed)
        response_add_vary(&response, answer->coding);
    return posted ? response_set(request, MHD_HTTP_OK, response)
                  : response_with_etag(request, answer->etag, length, response);
}

static enum handler_result finish(struct http_request *request, struct problem *problem)
{
    struct answer_job *answer = request->work;
    if (!answer->done) {
        *problem = answer->problem;
        if (request->job.stopped) {
            stopped_jobs_add(request->server->stopped_jobs, stopped_jobs_hash(request),
                             &request->job);
            stopped_jobs_report(&request->job, request, problem);
        }
        return HANDLER_FAILED;
    }
    return answer->type->finish ? answer->type->finish(answer, problem)
                                : answer_job_respond(answer);
}

enum handler_result answer_job_run(struct answer_job *answer, struct problem *problem)
{
    struct http_request *request = answer->request;
    if (stopped_jobs_check(request->server->stopped_jobs, stopped_jobs_hash(request), request->loop,
                           problem))
        return http_request_run_job(request, run, finish, problem);
    admission_refund(request);
    return HANDLER_FAILED;
}

enum handler_result answer_job_read_body(struct answer_job *answer, struct problem *problem)
{
    struct http_request *request = answer->request;
    if (request->body.length > SHORT_BODY_MAX) {
        request->admission.cost = request->body.length * COST_PER_BYTE;
        return answer_job_run(answer, problem);
    }
    make(answer, NULL);
    return finish(request, problem);
}
