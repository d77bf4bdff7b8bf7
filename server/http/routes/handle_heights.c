/* POST /heights: one layer at many points. As for a batch of chunks, a short body is read at once
 * and a longer one by a render thread; then the points are there, in an order that keeps near ones
 * together, and what they cost is known. */
#include <stdlib.h>

#include "core/base/json_writer.h"
#include "core/tile/address.h"
#include "server/http/jobs/admission.h"
#include "server/http/request/heights_body.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/render/cost.h"

enum {
    INLINE_BODY_MAX = 4096, /* bytes, which take some tens of microseconds to read */
    COST_PER_BYTE = 32,     /* octave-samples, of reading a longer body */
};
#define POINT_TIME 550.0 /* nanoseconds of reading and sorting a point */

struct heights_job {
    struct answer_job answer;
    struct heights_body body;
    bool pretty;
};

static void release_heights(struct answer_job *answer)
{
    heights_body_free(&((struct heights_job *)answer)->body);
}

static void write_heights(struct heights_job *job, const float *heights)
{
    struct json_writer json;
    json_begin(&json, &job->answer.out, job->pretty);
    json_object_open(&json);
    json_member_array(&json, "heights");
    for (size_t i = 0; i < job->body.count; i++)
        json_write_float(&json, heights[i]);
    json_array_close(&json);
    json_object_close(&json);
    json_finish(&json);
}

static struct sampling sampling_of(const struct heights_body *body)
{
    return (struct sampling){.spacing = body->zoom < 0 ? 0 : tile_spacing(body->zoom)};
}

/* Samples all points at one level of detail into `samples`, then puts them into the order of the
 * request, into `heights`. */
static bool sample_heights(struct heights_job *job, struct sampler *sampler, float *samples,
                           float *heights)
{
    const struct heights_body *body = &job->body;
    const struct sample_points points = {body->places, body->count, sampling_of(body).spacing, 0,
                                         0};
    const struct sample_request target = {&body->layer, &samples, 1};
    struct error error;
    if (body->count > 0 &&
        !sampler_points(sampler, job->answer.request->world->world, &points, &target, &error))
        return problem_from_error(&job->answer.problem, PROBLEM_BODY, &error);
    for (size_t i = 0; i < body->count; i++)
        heights[body->order[i]] = samples[i];
    write_heights(job, heights);
    return true;
}

static bool make_heights(struct answer_job *answer, struct worker_context *worker)
{
    struct heights_job *job = (struct heights_job *)answer;
    float *samples = calloc(2 * job->body.count + 1, sizeof *samples);
    if (!samples)
        return problem_out_of_memory(&answer->problem);
    const bool done = sample_heights(job, canvas_sampler(tile_maker_canvas(worker->maker)), samples,
                                     samples + job->body.count);
    free(samples);
    return done;
}

static const struct answer_type heights_answer = {METRICS_QUESTION, true, make_heights, NULL,
                                                  release_heights};

static bool read_heights(struct answer_job *answer, struct worker_context *worker)
{
    const struct http_request *request = answer->request;
    const char *text = request->body.data ? (const char *)request->body.data : "";
    (void)worker;
    return heights_body_parse(text, request->body.length, request->world->world,
                              &((struct heights_job *)answer)->body, &answer->problem);
}

/* The points are known: checks their cost, and submits the job that samples them. */
static enum handler_result start_sampling(struct answer_job *answer, struct problem *problem)
{
    const struct heights_job *job = (struct heights_job *)answer;
    const struct heights_body *body = &job->body;
    const struct cost_layers layer = {answer->request->world->world, &body->layer, 1,
                                      sampling_of(body)};
    const struct charge charge = {
        .cost = cost_place_list(&layer, body->places, body->count, POINT_TIME + COST_TEXT),
        .smaller = "fewer points",
        .example = "/heights",
        .parts = "points",
        .count = body->count,
    };
    if (!admission_check_cost(answer->request, &charge, problem))
        return HANDLER_FAILED;
    answer->type = &heights_answer;
    answer->done = false;
    return answer_job_run(answer, problem);
}

static const struct answer_type heights_reading = {METRICS_NOTHING, false, read_heights,
                                                   start_sampling, release_heights};

enum handler_result handle_heights(struct http_request *request, struct problem *problem)
{
    struct parameter_values values;
    const enum handler_result resolved = resolve_request(request, &values, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    struct heights_job *job = answer_job_new(request, &heights_reading, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    job->answer.content_type = "application/json";
    job->pretty = values.pretty;
    if (request->body.length <= INLINE_BODY_MAX)
        return answer_job_run_now(&job->answer, problem);
    request->admission.cost = request->body.length * COST_PER_BYTE;
    return answer_job_run(&job->answer, problem);
}
