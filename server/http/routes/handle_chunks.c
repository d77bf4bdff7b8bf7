/* Chunks and volumes of samples for game servers: one by GET, many by POST.
 *
 * A single chunk is a product like a tile: its recipe is looked up in the caches or made. A batch
 * is streamed, and the client pays for each piece of it. */
#include <string.h>

#include "server/http/products/chunk_parameters.h"
#include "server/http/products/chunk_pieces.h"
#include "server/http/products/chunk_stream.h"
#include "server/http/products/respond.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/render/chunk_format.h"

/* The coordinate system, the skirt and the style, where they are given. */
static bool set_form(const struct http_request *request, struct chunk_order *order,
                     struct problem *problem)
{
    const struct parameter_values *values = request->values;
    if (values->given & PARAMETER_BIT(CRS)) {
        order->crs = CHUNK_LOCAL + values->crs;
        if (!chunk_check_applicable(order, "crs", chunk_format_has_crs, problem))
            return false;
    }
    if (values->given & PARAMETER_BIT(MATERIALS) && !chunk_check_materials(order, problem))
        return false;
    if (values->given & PARAMETER_BIT(SKIRT) &&
        !chunk_check_applicable(order, "skirt", chunk_format_has_skirt, problem))
        return false;
    if (!values->style)
        return true;
    if (!chunk_check_applicable(order, "style", chunk_format_is_coloured, problem))
        return false;
    order->painter = resolve_style(request, values->style, strlen(values->style), problem);
    return order->painter;
}

/* Without names, a request for four materials is for the layer of materials. */
static bool set_layers(const struct parameter_values *values, struct chunk_order *order,
                       struct problem *problem)
{
    const parameter_set given = values->given & (PARAMETER_BIT(LAYERS) | PARAMETER_BIT(MATERIALS));
    const char *names = given == PARAMETER_BIT(MATERIALS) ? "materials" : values->layers;
    return order->shape == CHUNK_VOLUME ? chunk_add_layer(values->layer, order, problem)
                                        : chunk_parse_layers(names, order, problem);
}

/* The path is one index for each axis of the shape, the last one with the format behind it. */
static bool parse_path(const struct target_text *const *path, struct chunk_recipe *chunk,
                       struct problem *problem)
{
    static const char *const names[] = {"cx", "cy", "cz"};
    struct chunk_address *address = &chunk->address;
    int64_t *const indices[] = {&address->x, &address->y, &address->z};
    const unsigned last = chunk->order.shape == CHUNK_VOLUME ? 2 : 1;
    size_t digits;
    if (!chunk_parse_format(path[last], &digits, &chunk->order, problem))
        return false;
    for (unsigned i = 0; i <= last; i++)
        if (!chunk_parse_index(path[i]->text, i == last ? digits : path[i]->length, names[i],
                               indices[i], problem))
            return false;
    return true;
}

static bool read_path(struct http_request *request, enum product product, struct problem *problem)
{
    struct recipe *recipe = product_begin(request, product, problem);
    if (!recipe)
        return false;
    recipe->chunk.order.shape = product == PRODUCT_VOLUME ? CHUNK_VOLUME : CHUNK_FLAT;
    chunk_order_set_values(&recipe->chunk.order, request->values);
    return parse_path(request->captures, &recipe->chunk, problem);
}

static bool order_chunk(struct http_request *request, struct problem *problem)
{
    struct chunk_recipe *chunk = &product_recipe(request)->chunk;
    struct chunk_order *order = &chunk->order;
    order->world = request->worlds[0].base->world;
    chunk->coding = headers_select_coding(&request->headers, order->format->codings);
    return set_layers(request->values, order, problem) && set_form(request, order, problem) &&
           chunk_check_range(order, &chunk->address, problem) &&
           chunk_check_samples(order, 1, request->generation->chunk_samples, problem);
}

static bool read_chunk(struct http_request *request, struct problem *problem)
{
    return read_path(request, PRODUCT_CHUNK, problem);
}

const struct route_steps chunk_steps = {
    .read = read_chunk,
    .order = order_chunk,
    .find = product_find,
    .charge = product_charge,
};

/* A cube of samples, for worlds whose layers depend on z. */
static bool read_volume(struct http_request *request, struct problem *problem)
{
    return read_path(request, PRODUCT_VOLUME, problem);
}

const struct route_steps volume_steps = {
    .read = read_volume,
    .order = order_chunk,
    .find = product_find,
    .charge = product_charge,
};

struct batch_job {
    struct answer_job answer;
    struct chunk_batch batch; /* owned */
    enum coding coding;       /* of the response */
    size_t cached;            /* chunks in memory */
};

static void release_batch(struct answer_job *answer)
{
    chunk_batch_free(&((struct batch_job *)answer)->batch);
}

static const struct answer_type batch_answer = {.release = release_batch};

static bool begin_batch(struct http_request *request, unsigned shape, struct problem *problem)
{
    struct batch_job *job = answer_job_new(request, &batch_answer, sizeof *job, problem);
    if (job)
        job->batch.order.shape = shape;
    return job;
}

static bool begin_chunks(struct http_request *request, struct problem *problem)
{
    return begin_batch(request, CHUNK_FLAT, problem);
}

static bool begin_volumes(struct http_request *request, struct problem *problem)
{
    return begin_batch(request, CHUNK_VOLUME, problem);
}

static bool read_batch(struct answer_job *answer, struct worker_context *worker)
{
    (void)worker;
    return chunk_batch_read(answer->request, &((struct batch_job *)answer)->batch,
                            &answer->problem);
}

/* The time of the first chunks. */
static uint64_t batch_nanoseconds(const void *context, uint64_t count)
{
    const struct batch_job *job = context;
    return chunk_batch_total(&job->batch, count, job->coding, job->cached);
}

static bool charge_batch(struct http_request *request, struct charge *charge,
                         struct problem *problem)
{
    struct batch_job *job = request->work;
    const struct chunk_batch *batch = &job->batch;
    const bool volumes = batch->order.shape == CHUNK_VOLUME;
    struct chunk_cache_lookup lookup = {
        .loop = request->loop, .world = &request->worlds[0], .batch = batch};
    (void)problem;
    job->coding = chunk_stream_coding(request, batch);
    job->cached = chunk_cache_lookup_count(&lookup);
    *charge = (struct charge){
        .nanoseconds = batch_nanoseconds(job, batch->count),
        .smaller = volumes ? "fewer or smaller volumes or a coarser step"
                           : "fewer or smaller chunks, fewer layers or a coarser step",
        .example = volumes ? "/volumes/0/0/0.r32f?size=16" : "/chunks/0/0.r32f?size=64",
        .parts = chunk_shape_name(&batch->order),
        .count = batch->count,
        .nanoseconds_of = batch_nanoseconds,
        .context = job,
    };
    return true;
}

const struct route_steps chunks_steps = {
    .read = begin_chunks,
    .read_body = read_batch,
    .charge = charge_batch,
    .is_paid_by_piece = true,
};

const struct route_steps volumes_steps = {
    .read = begin_volumes,
    .read_body = read_batch,
    .charge = charge_batch,
    .is_paid_by_piece = true,
};

/* The chunks are made while they are sent: see chunk_stream.h. */
enum handler_result handle_batch(struct http_request *request, struct problem *problem)
{
    struct batch_job *job = request->work;
    answer_job_detach(&job->answer);
    const enum handler_result result = chunk_stream_respond(request, &job->batch, problem);
    answer_job_free(&job->answer);
    return result;
}
