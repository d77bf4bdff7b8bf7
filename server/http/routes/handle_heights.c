/* POST /heights: layers at many points. Once the body is read, the points are there in an order
 * that keeps near ones together, and what they cost is known.
 *
 * Body and answer are JSON or binary, each for itself: the body by its Content-Type, the answer by
 * format= or Accept. A binary body is nothing but points, so layers and level of detail are
 * parameters of the URL; a JSON body may have them as members. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "core/encode/npy.h"
#include "core/tile/address.h"
#include "server/http/request/heights_body.h"
#include "server/http/request/parameters.h"
#include "server/http/response/answer_pieces.h"
#include "server/http/routes/handlers.h"
#include "server/render/format_row.h"
#include "server/render/place_pieces.h"

/* Nanoseconds of a point besides its sample: reading and sorting it, writing its height. */
#define READ_TEXT_TIME 160.0
#define READ_BINARY_TIME 35.0
#define WRITE_BINARY_TIME 10.0

struct heights_job {
    struct answer_job answer;
    struct heights_body body;
    enum coordinate_type coordinates; /* of a binary body */
    enum points_format format;
    bool binary_body, pretty;
    float *samples;           /* owned; a plane for each layer, in the order of the body's places */
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
static void write_array(const struct heights_job *job, unsigned plane, const char *name,
                        struct json_writer *json)
{
    const struct heights_body *body = &job->body;
    const float *samples = job->samples + plane * body->count;
    json_member_array(json, name);
    for (size_t i = 0; i < body->count; i++)
        json_write_float(json, samples[body->ranks[i]]);
    json_array_close(json);
}

static void write_json(struct heights_job *job)
{
    const struct heights_body *body = &job->body;
    const struct world *world = job->answer.request->worlds[0].base->world;
    struct json_writer json;
    json_begin_object(&json, &job->answer.out, job->pretty);
    if (!body->has_list)
        write_array(job, 0, "heights", &json);
    else
        json_member_object(&json, "samples");
    for (unsigned i = 0; body->has_list && i < body->layer_count; i++)
        write_array(job, i, world_layer(world, body->layers[i])->name, &json);
    if (body->has_list)
        json_object_close(&json);
    json_finish_object(&json);
}

static void write_binary(struct heights_job *job)
{
    const struct heights_body *body = &job->body;
    buffer_reserve(&job->answer.out, body->layer_count * body->count * sizeof *job->samples);
    for (unsigned plane = 0; plane < body->layer_count; plane++)
        for (size_t i = 0; i < body->count; i++) {
            uint32_t bits;
            memcpy(&bits, &job->samples[plane * body->count + body->ranks[i]], sizeof bits);
            buffer_little_endian(&job->answer.out, bits, sizeof bits);
        }
}

/* A list of layers is an axis of the array, even if it has one. */
static void write_npy(struct heights_job *job)
{
    const struct heights_body *body = &job->body;
    const uint64_t shape[] = {body->layer_count, body->count};
    npy_write_header(shape + !body->has_list, 1 + body->has_list, &job->answer.out);
    write_binary(job);
}

static const struct {
    const char *type;
    void (*write)(struct heights_job *job);
    double time; /* nanoseconds a number */
} formats[POINTS_FORMATS] = {
    [POINTS_JSON] = {"application/json", write_json, PRICE_TEXT},
    [POINTS_BINARY] = {HTTP_BINARY, write_binary, WRITE_BINARY_TIME},
    [POINTS_NPY] = {FORMAT_NPY_TYPE, write_npy, WRITE_BINARY_TIME},
};

/* Samples the points of the piece at one level of detail. */
static bool sample_piece(struct heights_job *job, struct sampler *sampler)
{
    const struct heights_body *body = &job->body;
    const struct world *world = job->answer.request->worlds[0].compiled->world;
    const struct sample_points points = {.places = body->places + job->next,
                                         .count = job->piece.count,
                                         .spacing = sampling_of(body).spacing};
    float *outputs[HEIGHTS_LAYERS_MAX];
    const struct sample_request target = {body->layers, outputs, body->layer_count};
    struct error error;
    for (unsigned i = 0; i < body->layer_count; i++)
        outputs[i] = job->samples + i * body->count + job->next;
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
        .layers = {world, body->layers, body->layer_count, sampling_of(body)},
        .each = (job->binary_body ? READ_BINARY_TIME : READ_TEXT_TIME) / body->layer_count +
                formats[job->format].time,
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
        job->samples = calloc(job->body.layer_count * job->body.count + 1, sizeof *job->samples);
    if (!job->samples)
        return problem_out_of_memory(&answer->problem);
    if (!sample_piece(job, canvas_sampler(tile_maker_canvas(worker->maker))))
        return false;
    job->next += job->piece.count;
    if (job->next < job->body.count)
        cut_piece(job);
    else
        formats[job->format].write(job);
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

static enum points_format choose_format(const struct http_request *request)
{
    const char *types[POINTS_FORMATS];
    for (unsigned i = 0; i < POINTS_FORMATS; i++)
        types[i] = formats[i].type;
    return request->values->given & PARAMETER_BIT(POINTS_FORMAT)
               ? (enum points_format)request->values->points_format
               : (enum points_format)headers_preferred_type(&request->headers, types,
                                                            POINTS_FORMATS);
}

static bool begin_heights(struct http_request *request, struct problem *problem)
{
    const struct parameter_values *values = request->values;
    struct heights_job *job = answer_job_new(request, &heights_answer, sizeof *job, problem);
    if (!job)
        return false;
    job->body.zoom = (int)values->zoom;
    job->coordinates = (enum coordinate_type)values->coordinates;
    job->binary_body = headers_body_is_binary(&request->headers);
    job->format = choose_format(request);
    job->pretty = values->pretty;
    job->answer.content_type = formats[job->format].type;
    return true;
}

/* Those of the URL. */
static bool set_layers(const struct parameter_values *values, const struct world *world,
                       struct heights_body *body, struct problem *problem)
{
    const parameter_set both = PARAMETER_BIT(POINTS_LAYER) | PARAMETER_BIT(POINTS_LAYERS);
    body->has_list = values->given & PARAMETER_BIT(POINTS_LAYERS);
    if ((values->given & both) == both)
        return problem_parameter(problem, "layers", "layers or layer",
                                 "layer and layers are both there: give one");
    if (body->has_list)
        return heights_body_set_layers(values->layers, world, body, problem) ||
               problem_set_parameter(problem, "layers");
    body->layer_count = 1;
    return request_layer_find(values->layer, world, body->layers, problem) ||
           problem_set_parameter(problem, "layer");
}

static bool read_heights(struct answer_job *answer, struct worker_context *worker)
{
    struct heights_job *job = (struct heights_job *)answer;
    const struct http_request *request = answer->request;
    const struct world *world = request->worlds[0].base->world;
    const char *text = http_request_body(request);
    const size_t length = request->body.length;
    (void)worker;
    if (!set_layers(request->values, world, &job->body, &answer->problem))
        return false;
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
