/* POST /heights: one layer at many points. The body is read by the render thread, because a long
 * one takes a while; so the cost is bounded by the body's length before the points are known. */
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

enum { POINT_BYTES_MIN = 6 }; /* "[0,0]," */

struct heights_job {
    struct answer_job answer;
    struct heights_body body;
    bool pretty;
};

static void release_heights(struct answer_job *answer)
{
    heights_body_free(&((struct heights_job *)answer)->body);
}

static void write_heights(struct heights_job *job, const float *samples)
{
    struct json_writer json;
    json_begin(&json, &job->answer.out, job->pretty);
    json_object_open(&json);
    json_member_array(&json, "heights");
    for (size_t i = 0; i < job->body.count; i++)
        json_write_float(&json, samples[i]);
    json_array_close(&json);
    json_object_close(&json);
    json_finish(&json);
}

/* All points at one level of detail, in the order of the body. */
static bool sample_heights(struct heights_job *job, struct sampler *sampler, float *samples)
{
    const struct heights_body *body = &job->body;
    const double spacing = body->zoom < 0 ? 0 : tile_spacing(body->zoom);
    const struct sample_points points = {body->places, body->count, spacing, 0, 0};
    const struct sample_request target = {&body->layer, &samples, 1};
    struct error error;
    if (body->count > 0 &&
        !sampler_points(sampler, job->answer.request->world->world, &points, &target, &error))
        return problem_from_error(&job->answer.problem, PROBLEM_BODY, &error);
    write_heights(job, samples);
    return true;
}

/* Reads the body, samples the points in one call, and writes the array. */
static bool make_heights(struct answer_job *answer, struct worker_context *worker)
{
    struct heights_job *job = (struct heights_job *)answer;
    const struct http_request *request = answer->request;
    const char *text = request->body.data ? (const char *)request->body.data : "";
    if (!heights_body_parse(text, request->body.length, request->world->world, &job->body,
                            &answer->problem))
        return false;
    float *samples = calloc(job->body.count + 1, sizeof *samples);
    if (!samples)
        return problem_out_of_memory(&answer->problem);
    const bool done =
        sample_heights(job, canvas_sampler(tile_maker_canvas(worker->maker)), samples);
    free(samples);
    return done;
}

static const struct answer_type heights_answer = {METRICS_QUESTION, true, make_heights, NULL,
                                                  release_heights};

/* The body cannot name more points than fit into it, or a more expensive layer than there is. */
static uint64_t heights_cost(const struct world *world, size_t body_length)
{
    const size_t points = body_length / POINT_BYTES_MIN + 1;
    unsigned most_expensive = 0;
    for (unsigned i = 1; i < world_layer_count(world); i++)
        if (world_layer(world, i)->cost > world_layer(world, most_expensive)->cost)
            most_expensive = i;
    const struct cost_layers layer = {world, &most_expensive, 1, 0};
    return cost_points(&layer, points < QUERY_POINTS_MAX ? points : QUERY_POINTS_MAX);
}

enum handler_result handle_heights(struct http_request *request, struct problem *problem)
{
    struct parameter_values values;
    const enum handler_result resolved = resolve_request(request, &values, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    const struct charge charge = {heights_cost(request->world->world, request->body.length),
                                  "fewer points", "/heights"};
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    struct heights_job *job = answer_job_new(request, &heights_answer, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    job->answer.content_type = "application/json";
    job->pretty = values.pretty;
    return answer_job_run(&job->answer, problem);
}
