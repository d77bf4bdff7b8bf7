#include <stdlib.h>
#include <string.h>

#include "core/tile/address.h"
#include "server/base/json_writer.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/products/recipe.h"
#include "server/http/request/heights_body.h"
#include "server/http/request/parameters.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/point_query.h"
#include "server/render/cost.h"

enum {
    AT_SAMPLES = 5,      /* the place, and those beside it for the slope */
    POINT_BYTES_MIN = 6, /* "[0,0]," */
};

/* A question on its way to a render thread and back. */
struct point_query_job {
    const struct catalog_world *world; /* the exchange's */
    const struct headers *headers;     /* likewise */
    struct query at;
    struct point_query_format form;
    char etag[ETAG_TEXT]; /* of a GET */
    struct heights_body heights;
    const char *body; /* of a POST, the exchange's */
    size_t body_length;
    struct buffer out;
    enum coding coding; /* of `out` */
    bool done;          /* `out` is the answer, not `problem` */
    struct problem problem;
};

static void point_query_job_free(void *work)
{
    struct point_query_job *point_job = work;
    heights_body_free(&point_job->heights);
    buffer_free(&point_job->out);
    free(point_job);
}

static struct point_query_job *point_query_job_new(struct http_request *request,
                                                   struct problem *problem)
{
    struct point_query_job *point_job = calloc(1, sizeof *point_job);
    if (!point_job) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return NULL;
    }
    point_job->world = request->world;
    point_job->headers = &request->headers;
    request->work = point_job;
    request->work_free = point_query_job_free;
    return point_job;
}

static enum cache_policy point_query_cache_policy(const struct http_request *request)
{
    return request->world_pinned ? CACHE_IMMUTABLE : CACHE_REVALIDATE;
}

static enum handler_result respond_with_point_query(struct http_request *request,
                                                    struct problem *problem)
{
    struct point_query_job *point_job = request->work;
    if (!point_job->done) {
        *problem = point_job->problem;
        return HANDLER_FAILED;
    }
    const bool posted = request->method == METHOD_POST;
    const size_t length = request->response.body_length = point_job->out.length;
    struct MHD_Response *response = response_new(
        &point_job->out, point_job->form.text ? "text/plain; charset=utf-8" : "application/json",
        posted ? CACHE_NO_STORE : point_query_cache_policy(request));
    response_add_vary(response, point_job->coding);
    return posted ? response_set(request, MHD_HTTP_OK, response)
                  : response_with_etag(request, point_job->etag, length, response);
}

static void run_at(struct job *job, struct worker_context *worker)
{
    struct point_query_job *point_job = http_request_of_job(job)->work;
    struct error error;
    if (!worker) {
        problem_set(&point_job->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    point_job->done =
        point_job->form.text
            ? query_text(sampler, point_job->world, &point_job->at, &point_job->out, &error)
            : query_json(sampler, point_job->world, &point_job->at, point_job->form.pretty,
                         &point_job->out, &error);
    if (point_job->done)
        point_job->coding =
            response_compress_in_job(job, worker, point_job->headers, &point_job->out);
    else
        problem_from_error(&point_job->problem, PROBLEM_PARAMETER, &error);
}

static bool parse_at(const struct http_target *target, struct query *query,
                     struct point_query_format *form, struct problem *problem)
{
    int64_t zoom = -1;
    if (!parameter_place(target, &query->place, problem) ||
        !parameter_integer(target, "zoom", TILE_ZOOM_MAX, &zoom, problem) ||
        !parameter_fixed_point(target, "z", &query->z, problem) ||
        !parameter_fixed_point(target, "t", &query->t, problem))
        return false;
    query->zoom = (int)zoom;
    return parameter_bool(target, "pretty", &form->pretty, problem) &&
           parameter_format(target, &form->text, problem);
}

enum handler_result handle_at(struct http_request *request, struct problem *problem)
{
    struct query query = {.z = 0, .t = 0};
    struct point_query_format form = {.text = false};
    struct hash128 recipe;
    char etag[ETAG_TEXT];
    if (!parse_at(&request->target, &query, &form, problem))
        return HANDLER_FAILED;
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    if (!recipe_hash_point_query(request->world, &query, form, &recipe)) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return HANDLER_FAILED;
    }
    etag_write_with_coding(recipe, headers_select_coding(&request->headers, CODINGS_ALL), etag);
    const struct response_caching caching = {point_query_cache_policy(request), true};
    if (response_not_modified(request, etag, caching))
        return HANDLER_DONE;
    const struct charge charge = {cost_places(request->world->world, AT_SAMPLES, 0),
                                  "a world with fewer layers", "/at?x=0&y=0"};
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    struct point_query_job *point_job = point_query_job_new(request, problem);
    if (!point_job)
        return HANDLER_FAILED;
    point_job->at = query;
    point_job->form = form;
    memcpy(point_job->etag, etag, sizeof etag);
    return http_request_run_job(request, run_at, respond_with_point_query, problem);
}

static void write_heights(const struct point_query_job *point_job, const float *samples,
                          struct buffer *out)
{
    struct json_writer json;
    json_begin(&json, out, point_job->form.pretty);
    json_object_open(&json);
    json_write_key(&json, "heights");
    json_array_open(&json);
    for (size_t i = 0; i < point_job->heights.count; i++)
        json_write_float(&json, samples[i]);
    json_array_close(&json);
    json_object_close(&json);
    json_finish(&json);
}

static bool sample_heights(struct point_query_job *point_job, struct sampler *sampler,
                           float *samples)
{
    const struct heights_body *heights = &point_job->heights;
    struct error error;
    double spacing = heights->zoom < 0 ? 0 : tile_spacing(heights->zoom);
    struct sample_points points = {heights->places, heights->count, spacing, 0, 0};
    struct sample_request target = {&heights->layer, &samples, 1};
    if (heights->count > 0 &&
        !sampler_points(sampler, point_job->world->world, &points, &target, &error))
        return problem_from_error(&point_job->problem, PROBLEM_BODY, &error);
    write_heights(point_job, samples, &point_job->out);
    if (point_job->out.failed)
        return problem_set(&point_job->problem, PROBLEM_BUSY, "out of memory");
    return true;
}

/* The body is read by a render thread. It cannot name more points than fit into it, or a dearer
 * layer than there is. */
static uint64_t heights_cost(const struct world *world, size_t body_length)
{
    const size_t points = body_length / POINT_BYTES_MIN + 1;
    unsigned most_expensive = 0;
    for (unsigned i = 1; i < world_layer_count(world); i++)
        if (world_layer(world, i)->cost > world_layer(world, most_expensive)->cost)
            most_expensive = i;
    const struct cost_layers layer = {world, &most_expensive, 1, 0};
    return cost_points(&layer, points < HEIGHTS_POINTS_MAX ? points : HEIGHTS_POINTS_MAX);
}

static void run_heights(struct job *job, struct worker_context *worker)
{
    struct point_query_job *point_job = http_request_of_job(job)->work;
    if (!worker) {
        problem_set(&point_job->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    if (!heights_body_parse(point_job->body, point_job->body_length, point_job->world->world,
                            &point_job->heights, &point_job->problem))
        return;
    float *samples = calloc(point_job->heights.count + 1, sizeof *samples);
    if (samples)
        point_job->done =
            sample_heights(point_job, canvas_sampler(tile_maker_canvas(worker->maker)), samples);
    else
        problem_set(&point_job->problem, PROBLEM_BUSY, "out of memory");
    free(samples);
    if (point_job->done)
        point_job->coding =
            response_compress_in_job(job, worker, point_job->headers, &point_job->out);
}

enum handler_result handle_heights(struct http_request *request, struct problem *problem)
{
    bool pretty = false;
    if (!parameter_bool(&request->target, "pretty", &pretty, problem))
        return HANDLER_FAILED;
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    const struct charge charge = {heights_cost(request->world->world, request->body.length),
                                  "fewer points", "/heights"};
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    struct point_query_job *point_job = point_query_job_new(request, problem);
    if (!point_job)
        return HANDLER_FAILED;
    point_job->form.pretty = pretty;
    point_job->body = request->body.data ? (const char *)request->body.data : "";
    point_job->body_length = request->body.length;
    return http_request_run_job(request, run_heights, respond_with_point_query, problem);
}
