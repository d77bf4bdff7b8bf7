#include <stdlib.h>
#include <string.h>

#include "core/tile/address.h"
#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/questions.h"
#include "server/http/recipe.h"
#include "server/http/resolve.h"
#include "server/http/response.h"
#include "server/json_writer.h"
#include "server/query.h"

enum {
    AT_PLACES = 5,   /* the place, and those beside it for the slope */
    POINT_BYTES = 6, /* "[0,0]," */
};

/* A question on its way to a render thread and back. */
struct pending {
    const struct catalog_world *world; /* the exchange's */
    const struct headers *headers;     /* likewise */
    struct query at;
    struct query_form form;
    char etag[ETAG_TEXT]; /* of a GET */
    struct heights_question heights;
    const char *body; /* of a POST, the exchange's */
    size_t body_length;
    struct buffer out;
    enum coding coding; /* of `out` */
    bool done;          /* `out` is the answer, not `problem` */
    struct problem problem;
};

static void question_free(void *work)
{
    struct pending *question = work;
    heights_free(&question->heights);
    buffer_free(&question->out);
    free(question);
}

static struct pending *question_new(struct exchange *exchange, struct problem *problem)
{
    struct pending *question = calloc(1, sizeof *question);
    if (!question) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return NULL;
    }
    question->world = exchange->world;
    question->headers = &exchange->headers;
    exchange->work = question;
    exchange->work_free = question_free;
    return question;
}

static enum cache_policy question_policy(const struct exchange *exchange)
{
    return exchange->world_pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE;
}

static enum handled question_answered(struct exchange *exchange, struct problem *problem)
{
    struct pending *question = exchange->work;
    if (!question->done) {
        *problem = question->problem;
        return FAILED;
    }
    const bool posted = exchange->method == METHOD_POST;
    const size_t length = exchange->body_length = question->out.length;
    struct MHD_Response *response = response_new(
        &question->out, question->form.text ? "text/plain; charset=utf-8" : "application/json",
        posted ? CACHE_NEVER : question_policy(exchange));
    response_vary(response, question->coding);
    return posted ? response_answer(exchange, MHD_HTTP_OK, response)
                  : response_tagged(exchange, question->etag, length, response);
}

static void run_at(struct job *job, struct tools *tools)
{
    struct pending *question = exchange_of_job(job)->work;
    struct error error;
    if (!tools) {
        problem_set(&question->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(tools->maker));
    question->done =
        question->form.text
            ? query_text(sampler, question->world, &question->at, &question->out, &error)
            : query_json(sampler, question->world, &question->at, question->form.pretty,
                         &question->out, &error);
    if (question->done)
        question->coding = response_pack_in(job, tools, question->headers, &question->out);
    else
        problem_from_error(&question->problem, PROBLEM_PARAMETER, &error);
}

static bool parse_query(const struct request *request, struct query *query, struct query_form *form,
                        struct problem *problem)
{
    int64_t zoom = -1;
    if (!argument_place(request, &query->place, problem) ||
        !argument_whole(request, "zoom", TILE_ZOOM_MAX, &zoom, problem) ||
        !argument_moment(request, "z", &query->z, problem) ||
        !argument_moment(request, "t", &query->t, problem))
        return false;
    query->zoom = (int)zoom;
    return argument_switch(request, "pretty", &form->pretty, problem) &&
           argument_format(request, &form->text, problem);
}

enum handled handle_at(struct exchange *exchange, struct problem *problem)
{
    struct query query = {.z = 0, .t = 0};
    struct query_form form = {.text = false};
    struct hash128 recipe;
    char etag[ETAG_TEXT];
    if (!parse_query(&exchange->request, &query, &form, problem))
        return FAILED;
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    if (!recipe_of_query(exchange->world, &query, form, &recipe)) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    etag_write_coded(recipe, headers_coding(&exchange->headers, CODINGS_ALL), etag);
    const struct response_form varying = {question_policy(exchange), true};
    if (response_unchanged(exchange, etag, varying))
        return HANDLED;
    const struct charge charge = {cost_places(exchange->world->world, AT_PLACES, 0),
                                  "a world with fewer layers", "/at?x=0&y=0"};
    if (!admission_check(exchange, &charge, problem))
        return FAILED;
    struct pending *question = question_new(exchange, problem);
    if (!question)
        return FAILED;
    question->at = query;
    question->form = form;
    memcpy(question->etag, etag, sizeof etag);
    return exchange_run(exchange, run_at, question_answered, problem);
}

static void write_heights(const struct pending *question, const float *samples, struct buffer *out)
{
    struct json_writer json;
    json_begin(&json, out, question->form.pretty);
    json_object_open(&json);
    json_write_key(&json, "heights");
    json_array_open(&json);
    for (size_t i = 0; i < question->heights.count; i++)
        json_write_float(&json, samples[i]);
    json_array_close(&json);
    json_object_close(&json);
    json_finish(&json);
}

static bool answer_heights(struct pending *question, struct sampler *sampler, float *samples)
{
    const struct heights_question *heights = &question->heights;
    struct error error;
    double spacing = heights->zoom < 0 ? 0 : tile_spacing(heights->zoom);
    struct sample_points points = {heights->places, heights->count, spacing, 0, 0};
    struct sample_request request = {&heights->layer, &samples, 1};
    if (heights->count > 0 &&
        !sampler_points(sampler, question->world->world, &points, &request, &error))
        return problem_from_error(&question->problem, PROBLEM_BODY, &error);
    write_heights(question, samples, &question->out);
    if (question->out.failed)
        return problem_set(&question->problem, PROBLEM_BUSY, "out of memory");
    return true;
}

/* The body is read by a render thread. It cannot name more points than fit into it, or a dearer
 * layer than there is. */
static uint64_t heights_cost(const struct world *world, size_t body_length)
{
    const size_t points = body_length / POINT_BYTES + 1;
    unsigned dearest = 0;
    for (unsigned i = 1; i < world_layer_count(world); i++)
        if (world_layer(world, i)->cost > world_layer(world, dearest)->cost)
            dearest = i;
    const struct cost_layers layer = {world, &dearest, 1, 0};
    return cost_points(&layer, points < HEIGHTS_POINTS_MAX ? points : HEIGHTS_POINTS_MAX);
}

static void run_heights(struct job *job, struct tools *tools)
{
    struct pending *question = exchange_of_job(job)->work;
    if (!tools) {
        problem_set(&question->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    if (!heights_parse(question->body, question->body_length, question->world->world,
                       &question->heights, &question->problem))
        return;
    float *samples = calloc(question->heights.count + 1, sizeof *samples);
    if (samples)
        question->done =
            answer_heights(question, canvas_sampler(tile_maker_canvas(tools->maker)), samples);
    else
        problem_set(&question->problem, PROBLEM_BUSY, "out of memory");
    free(samples);
    if (question->done)
        question->coding = response_pack_in(job, tools, question->headers, &question->out);
}

enum handled handle_heights(struct exchange *exchange, struct problem *problem)
{
    bool pretty = false;
    if (!argument_switch(&exchange->request, "pretty", &pretty, problem))
        return FAILED;
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    const struct charge charge = {heights_cost(exchange->world->world, exchange->body.length),
                                  "fewer points", "/heights"};
    if (!admission_check(exchange, &charge, problem))
        return FAILED;
    struct pending *question = question_new(exchange, problem);
    if (!question)
        return FAILED;
    question->form.pretty = pretty;
    question->body = exchange->body.data ? (const char *)exchange->body.data : "";
    question->body_length = exchange->body.length;
    return exchange_run(exchange, run_heights, question_answered, problem);
}
