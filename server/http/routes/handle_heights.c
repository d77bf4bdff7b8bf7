/* POST /heights: one layer at many points. Once the body is read, the points are there in an order
 * that keeps near ones together, and what they cost is known.
 *
 * Body and answer are JSON or binary, each for itself: the body by its Content-Type, the answer by
 * Accept. A binary body is nothing but points, so layer and level of detail are parameters of the
 * URL; a JSON body may have them as members. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "core/tile/address.h"
#include "server/http/request/heights_body.h"
#include "server/http/request/parameters.h"
#include "server/http/response/answer_pieces.h"
#include "server/http/routes/handlers.h"
#include "server/render/place_pieces.h"

/* Nanoseconds of a point besides its sample: reading and sorting it, writing its height. */
#define READ_TEXT_TIME 160.0
#define READ_BINARY_TIME 35.0
#define WRITE_BINARY_TIME 10.0

struct heights_job {
    struct answer_job answer;
    struct heights_body body;
    enum coordinate_type coordinates; /* of a binary body */
    bool binary_body, binary_answer, pretty;
    float *samples;           /* owned; in the order of the body's places */
    size_t next;              /* the first place without a sample */
    struct place_piece piece; /* the places from there that are sampled next */
    uint64_t piece_most;      /* its price, at most, if it has more than one place */
};

static struct sampling sampling_of(const struct heights_body *body)
{
    return (struct sampling){.spacing = body->zoom < 0 ? 0 : tile_spacing(body->zoom)};
}

static void release_heights(struct answer_job *answer)
{
    struct heights_job *job = (struct heights_job *)answer;
    heights_body_free(&job->body);
    free(job->samples);
}

/* In the order of the request. */
static void write_json(struct heights_job *job)
{
    const struct heights_body *body = &job->body;
    struct json_writer json;
    json_begin_object(&json, &job->answer.out, job->pretty);
    json_member_array(&json, "heights");
    for (size_t i = 0; i < body->count; i++)
        json_write_float(&json, job->samples[body->ranks[i]]);
    json_array_close(&json);
    json_finish_object(&json);
}

static void write_binary(struct heights_job *job)
{
    const struct heights_body *body = &job->body;
    buffer_reserve(&job->answer.out, body->count * sizeof *job->samples);
    for (size_t i = 0; i < body->count; i++) {
        uint32_t bits;
        memcpy(&bits, &job->samples[body->ranks[i]], sizeof bits);
        buffer_little_endian(&job->answer.out, bits, sizeof bits);
    }
}

/* Samples the points of the piece at one level of detail. */
static bool sample_piece(struct heights_job *job, struct sampler *sampler)
{
    const struct heights_body *body = &job->body;
    const struct world *world = job->answer.request->worlds[0].compiled->world;
    const struct sample_points points = {.places = body->places + job->next,
                                         .count = job->piece.count,
                                         .spacing = sampling_of(body).spacing};
    float *const samples = job->samples + job->next;
    const struct sample_request target = {&body->layer, &samples, 1};
    struct error error;
    return points.count == 0 ||
           sampler_points(sampler, world_program(world), &points, &target, &error) ||
           problem_from_error(&job->answer.problem, PROBLEM_BODY, &error);
}

/* The next piece. */
static void cut_piece(struct heights_job *job)
{
    const struct heights_body *body = &job->body;
    const struct world *world = job->answer.request->worlds[0].base->world;
    const struct place_cutter cutter = {
        .layers = {world, &body->layer, 1, sampling_of(body)},
        .each = (job->binary_body ? READ_BINARY_TIME : READ_TEXT_TIME) +
                (job->binary_answer ? WRITE_BINARY_TIME : PRICE_TEXT),
        .most = job->piece_most,
    };
    job->piece = place_piece_cut(&cutter, body->places + job->next, body->count - job->next,
                                 job->piece.count);
}

/* One piece; with the last one the output. */
static bool make_piece(struct answer_job *answer, struct worker_context *worker)
{
    struct heights_job *job = (struct heights_job *)answer;
    if (!job->samples)
        job->samples = calloc(job->body.count + 1, sizeof *job->samples);
    if (!job->samples)
        return problem_out_of_memory(&answer->problem);
    if (!sample_piece(job, canvas_sampler(tile_maker_canvas(worker->maker))))
        return false;
    job->next += job->piece.count;
    if (job->next < job->body.count)
        cut_piece(job);
    else if (job->binary_answer)
        write_binary(job);
    else
        write_json(job);
    return true;
}

static enum handler_result piece_done(struct answer_job *answer, struct problem *problem)
{
    const struct heights_job *job = (struct heights_job *)answer;
    answer_piece_end(answer);
    return job->next == job->body.count ? answer_job_respond(answer)
                                        : answer_piece_run(answer, job->piece.price, problem);
}

static const struct answer_type heights_answer = {METRICS_QUESTION, true, make_piece, piece_done,
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

/* A piece is made as small as it has to be, so only a point that costs too much is refused. */
static bool charge_heights(struct http_request *request, struct charge *charge,
                           struct problem *problem)
{
    struct heights_job *job = request->work;
    (void)problem;
    job->piece_most = answer_piece_most(request);
    cut_piece(job);
    *charge = (struct charge){
        .nanoseconds = job->piece.price,
        .smaller = "a lower zoom or another layer",
        .example = "/heights",
    };
    return true;
}

const struct route_steps heights_steps = {
    .read = begin_heights,
    .read_body = read_heights,
    .charge = charge_heights,
    .is_paid_by_piece = true,
};

/* Begins with the first piece. */
enum handler_result handle_heights(struct http_request *request, struct problem *problem)
{
    struct heights_job *job = request->work;
    return answer_piece_run(&job->answer, job->piece.price, problem);
}
