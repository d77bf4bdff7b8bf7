/* POST /heights: one layer at many points. Once the body is read, the points are there in an order
 * that keeps near ones together, and what they cost is known.
 *
 * Body and answer are JSON or binary, each for itself: the body by its Content-Type, the answer by
 * Accept. A binary body is nothing but points, so layer and level of detail are parameters of the
 * URL; a JSON body may have them as members. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "core/terrain/place_order.h"
#include "core/tile/address.h"
#include "server/http/request/heights_body.h"
#include "server/http/request/parameters.h"
#include "server/http/routes/handlers.h"
#include "server/render/price.h"

/* Nanoseconds of a point besides its sample: reading and sorting it, writing its height. */
#define READ_TEXT_TIME 160.0
#define READ_BINARY_TIME 35.0
#define WRITE_BINARY_TIME 10.0

struct heights_job {
    struct answer_job answer;
    struct heights_body body;
    enum coordinate_type coordinates; /* of a binary body */
    bool binary_body, binary_answer, pretty;
};

static void release_heights(struct answer_job *answer)
{
    heights_body_free(&((struct heights_job *)answer)->body);
}

/* In the order of the request. */
static void write_json(struct heights_job *job, const float *samples)
{
    const struct heights_body *body = &job->body;
    struct json_writer json;
    json_begin_object(&json, &job->answer.out, job->pretty);
    json_member_array(&json, "heights");
    for (size_t i = 0; i < body->count; i++)
        json_write_float(&json, samples[body->ranks[i]]);
    json_array_close(&json);
    json_finish_object(&json);
}

static void write_binary(struct heights_job *job, const float *samples)
{
    const struct heights_body *body = &job->body;
    buffer_reserve(&job->answer.out, body->count * sizeof *samples);
    for (size_t i = 0; i < body->count; i++) {
        uint32_t bits;
        memcpy(&bits, &samples[body->ranks[i]], sizeof bits);
        buffer_little_endian(&job->answer.out, bits, sizeof bits);
    }
}

static struct sampling sampling_of(const struct heights_body *body)
{
    return (struct sampling){.spacing = body->zoom < 0 ? 0 : tile_spacing(body->zoom)};
}

/* Samples all points at one level of detail. */
static bool sample_heights(struct heights_job *job, struct sampler *sampler, float *samples)
{
    const struct heights_body *body = &job->body;
    const struct world *world = job->answer.request->worlds[0].compiled->world;
    const struct sample_points points = {body->places, body->count, sampling_of(body).spacing, 0,
                                         0};
    const struct sample_request target = {&body->layer, &samples, 1};
    struct error error;
    return body->count == 0 ||
           sampler_points(sampler, world_program(world), &points, &target, &error) ||
           problem_from_error(&job->answer.problem, PROBLEM_BODY, &error);
}

static bool make_heights(struct answer_job *answer, struct worker_context *worker)
{
    struct heights_job *job = (struct heights_job *)answer;
    float *samples = calloc(job->body.count + 1, sizeof *samples);
    if (!samples)
        return problem_out_of_memory(&answer->problem);
    const bool done =
        sample_heights(job, canvas_sampler(tile_maker_canvas(worker->maker)), samples);
    if (done && job->binary_answer)
        write_binary(job, samples);
    else if (done)
        write_json(job, samples);
    free(samples);
    return done;
}

static const struct answer_type heights_answer = {METRICS_QUESTION, true, make_heights, NULL,
                                                  release_heights};

static bool begin_heights(struct http_request *request, struct problem *problem)
{
    const struct parameter_values *values = request->values;
    struct heights_job *job = answer_job_new(request, &heights_answer, sizeof *job, problem);
    if (!job)
        return false;
    job->body.zoom = (int)values->zoom;
    job->coordinates = (enum coordinate_type)values->coordinates;
    job->binary_body = headers_body_is_binary(&request->headers);
    job->binary_answer = headers_prefer_binary(&request->headers);
    job->pretty = values->pretty;
    job->answer.content_type = job->binary_answer ? HTTP_BINARY : "application/json";
    return true;
}

static bool read_heights(struct answer_job *answer, struct worker_context *worker)
{
    struct heights_job *job = (struct heights_job *)answer;
    const struct http_request *request = answer->request;
    const struct world *world = request->worlds[0].base->world;
    const char *text = http_request_body(request);
    const size_t length = request->body.length;
    (void)worker;
    if (!request_layer_find(request->values->layer, world, &job->body.layer, &answer->problem))
        return problem_set_parameter(&answer->problem, "layer");
    return job->binary_body ? heights_body_read((const uint8_t *)text, length, job->coordinates,
                                                &job->body, &answer->problem)
                            : heights_body_parse(text, length, world, &job->body, &answer->problem);
}

static uint64_t places_price(const struct heights_job *job, const struct place *places,
                             size_t count)
{
    const struct heights_body *body = &job->body;
    const struct world *world = job->answer.request->worlds[0].base->world;
    const struct price_layers layer = {world, &body->layer, 1, sampling_of(body)};
    const double each = (job->binary_body ? READ_BINARY_TIME : READ_TEXT_TIME) +
                        (job->binary_answer ? WRITE_BINARY_TIME : PRICE_TEXT);
    return price_place_list(&layer, places, count, each);
}

/* The price of a request for the first points alone, which share less with each other. */
static uint64_t first_points_price(const void *context, uint64_t count)
{
    const struct heights_job *job = context;
    const struct heights_body *body = &job->body;
    struct place *places = calloc(count, sizeof *places);
    uint32_t *ranks = calloc(count, sizeof *ranks);
    for (size_t i = 0; places && i < count; i++)
        places[i] = body->places[body->ranks[i]];
    const bool sorted = places && ranks && place_order_sort(places, ranks, count);
    const uint64_t price = sorted ? places_price(job, places, count) : UINT64_MAX;
    free(places);
    free(ranks);
    return price;
}

static bool charge_heights(struct http_request *request, struct charge *charge,
                           struct problem *problem)
{
    const struct heights_job *job = request->work;
    (void)problem;
    *charge = (struct charge){
        .nanoseconds = places_price(job, job->body.places, job->body.count),
        .smaller = "fewer points",
        .example = "/heights",
        .parts = "points",
        .count = job->body.count,
        .nanoseconds_of = first_points_price,
        .context = job,
    };
    return true;
}

const struct route_steps heights_steps = {
    .read = begin_heights,
    .read_body = read_heights,
    .charge = charge_heights,
};
