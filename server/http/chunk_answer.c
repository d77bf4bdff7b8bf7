#include "server/http/chunk_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cost.h"
#include "server/http/admission.h"

enum { QUICK_SAMPLES = 1 << 16 }; /* what is made while somebody waits, before tiles */

static void work_free(void *pointer)
{
    struct chunk_work *work = pointer;
    chunk_batch_free(&work->batch);
    buffer_free(&work->out);
    free(work);
}

struct chunk_work *chunk_work_new(struct exchange *exchange, struct problem *problem)
{
    struct chunk_work *work = calloc(1, sizeof *work);
    if (!work) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return NULL;
    }
    exchange->work = work;
    exchange->work_free = work_free;
    return work;
}

static enum cache_policy chunk_policy(const struct exchange *exchange)
{
    return exchange->world_pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE;
}

static bool header_place(struct MHD_Response *response, const struct chunk_work *work)
{
    const struct chunk_address origin = chunk_origin(&work->order, &work->address);
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT], text[3 * NUMBER_TEXT + 2];
    place_format(origin.x, x);
    place_format(origin.y, y);
    place_format(origin.z, z);
    if (work->order.shape == CHUNK_VOLUME)
        snprintf(text, sizeof text, "%s,%s,%s", x, y, z);
    else
        snprintf(text, sizeof text, "%s,%s", x, y);
    return response_header(response, "X-Terrane-Origin", text);
}

static bool header_grid(struct MHD_Response *response, const struct chunk_order *order)
{
    const unsigned side = chunk_side(order);
    char grid[48], step[NUMBER_TEXT];
    if (order->shape == CHUNK_VOLUME)
        snprintf(grid, sizeof grid, "%ux%ux%u", side, side, side);
    else
        snprintf(grid, sizeof grid, "%ux%u", side, side);
    place_format(order->step, step);
    return response_header(response, "X-Terrane-Grid", grid) &&
           response_header(response, "X-Terrane-Step", step);
}

static bool header_layers(struct MHD_Response *response, const struct chunk_order *order)
{
    char text[CHUNK_LAYERS_MAX * (WORLD_NAME_MAX + 1) + 1];
    size_t used = 0;
    for (unsigned i = 0; i < order->layer_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "",
                                 world_layer(order->world, order->layers[i])->name);
    return response_header(response, "X-Terrane-Layers", text);
}

/* How the layer's range was scaled into bytes depends on the layer. */
static bool header_encoding(struct MHD_Response *response, const struct chunk_order *order)
{
    const struct world_layer *layer = world_layer(order->world, order->layers[0]);
    char low[NUMBER_TEXT], width[NUMBER_TEXT], text[2 * NUMBER_TEXT + 64];
    if (order->format->id != CHUNK_R8)
        return response_header(response, "X-Terrane-Encoding", order->format->encoding);
    number_format_float(layer->range_low, low);
    number_format_double((double)layer->range_high - (double)layer->range_low, width);
    snprintf(text, sizeof text, "%s; value / 255 * %s + %s", order->format->encoding, width, low);
    return response_header(response, "X-Terrane-Encoding", text);
}

static bool describe(struct MHD_Response *response, const struct chunk_work *work, uint32_t waited)
{
    const struct response_times times = {waited, work->times.render, work->times.encode};
    const struct chunk_order *order = &work->order;
    /* Besides those that every answer exposes. */
    return response_header(response, "Access-Control-Expose-Headers",
                           "X-Terrane-World, X-Terrane-Grid, X-Terrane-Origin, X-Terrane-Step, "
                           "X-Terrane-Layers, X-Terrane-Encoding, X-Terrane-Digest") &&
           response_header(response, "X-Terrane-World", world_fingerprint(order->world)) &&
           header_grid(response, order) && header_layers(response, order) &&
           header_encoding(response, order) && response_timing(response, times) &&
           response_header(response, "X-Terrane-Cache", "render");
}

/* What stands in the headers of a single one, not of a batch. */
static bool identify(struct MHD_Response *response, const struct chunk_work *work)
{
    if (!work->digest[0])
        return true;
    return header_place(response, work) &&
           response_header(response, "X-Terrane-Digest", work->digest);
}

static bool negotiate(struct MHD_Response *response, const struct chunk_work *work)
{
    return !work->order.format->codings || response_vary(response, work->coding);
}

enum handled chunk_answered(struct exchange *exchange, struct problem *problem)
{
    struct chunk_work *work = exchange->work;
    if (!work->done) {
        *problem = work->problem;
        return FAILED;
    }
    const bool posted = exchange->method == METHOD_POST;
    exchange->body_length = work->out.length;
    exchange->cache = "render";
    const size_t length = work->out.length;
    struct MHD_Response *response =
        response_new(&work->out, work->content_type, posted ? CACHE_NEVER : chunk_policy(exchange));
    if (response && !(describe(response, work, exchange->job.waited) && identify(response, work) &&
                      negotiate(response, work))) {
        MHD_destroy_response(response);
        response = NULL;
    }
    return posted ? response_answer(exchange, MHD_HTTP_OK, response)
                  : response_tagged(exchange, work->etag, length, response);
}

/* On a render thread. */
static void run_chunk(struct job *job, struct tools *tools)
{
    struct chunk_work *work = exchange_of_job(job)->work;
    struct error error;
    job->kind = work->order.shape == CHUNK_VOLUME ? METRICS_VOLUME : METRICS_CHUNK;
    if (!tools) {
        problem_set(&work->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    chunk_maker_take_times(tools->chunks);
    work->done = chunk_make(tools->chunks, canvas_sampler(tile_maker_canvas(tools->maker)),
                            &work->order, &work->address, &work->out, &error) &&
                 (work->coding == CODING_IDENTITY ||
                  chunk_compress(tools->chunks, work->coding, &work->out, &error));
    if (!work->done)
        problem_from_error(&work->problem, PROBLEM_INTERNAL, &error);
    work->times = chunk_maker_take_times(tools->chunks);
    memcpy(work->digest, chunk_maker_digest(tools->chunks), sizeof work->digest);
}

bool chunk_admit(struct exchange *exchange, const struct chunk_order *order, size_t count,
                 struct problem *problem)
{
    const struct charge charge = {
        cost_chunks(order, count),
        count > 1 ? "fewer or smaller chunks, fewer layers or a coarser step"
                  : "a smaller size, fewer layers or a coarser step",
        order->shape == CHUNK_VOLUME ? "/volumes/0/0/0.r32f?size=16" : "/chunks/0/0.r32f?size=64",
    };
    return admission_check(exchange, &charge, problem);
}

enum handled chunk_answer(struct exchange *exchange, const struct chunk_order *order,
                          const struct chunk_address *address, struct problem *problem)
{
    const enum coding coding = headers_coding(&exchange->headers, order->format->codings);
    struct hash128 recipe;
    char etag[ETAG_TEXT];
    if (!chunk_check_range(order, address, problem) ||
        !chunk_check_samples(order, 1, exchange->generation->chunk_samples, problem))
        return FAILED;
    if (!chunk_recipe(order, address, coding, &recipe)) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    etag_write(recipe, etag);
    const struct response_form form = {chunk_policy(exchange), order->format->codings != 0};
    if (response_unchanged(exchange, etag, form))
        return HANDLED;
    if (!chunk_admit(exchange, order, 1, problem))
        return FAILED;
    struct chunk_work *work = chunk_work_new(exchange, problem);
    if (!work)
        return FAILED;
    work->order = *order;
    work->address = *address;
    work->coding = coding;
    work->content_type = order->format->content_type;
    memcpy(work->etag, etag, sizeof etag);
    const enum lane lane = chunk_samples(order) <= QUICK_SAMPLES ? LANE_QUESTIONS : LANE_TILES;
    return exchange_run_in(exchange, lane, run_chunk, chunk_answered, problem);
}
