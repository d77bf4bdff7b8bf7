/* Chunks and volumes of samples for game servers: one by GET, many by POST.
 *
 * A single chunk is a product like a tile: its recipe is looked up in the caches or made. A batch
 * is streamed. Its body is read at once if it is short; a longer one is read by a render thread,
 * and what the batch costs is checked after that, because only then it is known; the client pays
 * for each piece of it. */
#include "server/http/jobs/admission.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/chunk_pieces.h"
#include "server/http/products/chunk_stream.h"
#include "server/http/products/product_type.h"
#include "server/http/products/respond.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/render/chunk_format.h"

/* The coordinate system, the skirt and the style, where they are given. */
static bool set_form(struct http_request *request, const struct parameter_values *values,
                     struct chunk_order *order, struct problem *problem)
{
    const struct target_parameter *style = target_find(&request->target, "style");
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
    if (!style)
        return true;
    if (!chunk_check_applicable(order, "style", chunk_format_is_coloured, problem))
        return false;
    order->painter = resolve_style(request, &style->value, problem);
    return order->painter;
}

/* Without names, a request for four materials is for the layer of materials. */
static bool set_layers(const struct parameter_values *values, struct chunk_order *order,
                       struct problem *problem)
{
    const uint64_t given = values->given & (PARAMETER_BIT(LAYERS) | PARAMETER_BIT(MATERIALS));
    const char *names = given == PARAMETER_BIT(MATERIALS) ? "materials" : values->layers;
    return order->shape == CHUNK_VOLUME ? chunk_add_layer(values->layer, order, problem)
                                        : chunk_parse_layers(names, order, problem);
}

/* The path is one index for each axis of the shape, the last one with the format behind it. */
static enum handler_result respond_with_chunk(struct http_request *request, unsigned shape,
                                              struct problem *problem)
{
    static const char *const names[] = {"cx", "cy", "cz"};
    const struct target_text *const *path = request->captures;
    const unsigned last = shape == CHUNK_VOLUME ? 2 : 1;
    struct parameter_values values;
    struct chunk_order order = {.shape = shape};
    struct chunk_address address = {.z = 0};
    int64_t *const indices[] = {&address.x, &address.y, &address.z};
    size_t digits;
    if (!chunk_parse_format(path[last], &digits, &order, problem))
        return HANDLER_FAILED;
    for (unsigned i = 0; i <= last; i++)
        if (!chunk_parse_index(path[i]->text, i == last ? digits : path[i]->length, names[i],
                               indices[i], problem))
            return HANDLER_FAILED;
    if (!router_read_parameters(request, &values, problem) ||
        !resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    chunk_order_set_values(&order, &values);
    order.world = request->world->world;
    return set_layers(&values, &order, problem) && set_form(request, &values, &order, problem)
               ? product_respond_chunk(request, &order, &address, problem)
               : HANDLER_FAILED;
}

enum handler_result handle_chunk(struct http_request *request, struct problem *problem)
{
    return respond_with_chunk(request, CHUNK_FLAT, problem);
}

/* A cube of samples, for worlds whose layers depend on z. */
enum handler_result handle_volume(struct http_request *request, struct problem *problem)
{
    return respond_with_chunk(request, CHUNK_VOLUME, problem);
}

struct batch_job {
    struct answer_job answer;
    bool volumes;
    struct chunk_batch batch; /* owned once the job is done */
};

static void release_batch(struct answer_job *answer)
{
    if (answer->done)
        chunk_batch_free(&((struct batch_job *)answer)->batch);
}

static bool read_batch(struct answer_job *answer, struct worker_context *worker)
{
    struct batch_job *job = (struct batch_job *)answer;
    const struct http_request *request = answer->request;
    const struct buffer *body = &request->body;
    (void)worker;
    return (job->volumes ? volume_batch_parse : chunk_batch_parse)(
        body->data ? (const char *)body->data : "", body->length, request->world->world,
        request->generation->chunk_samples, &job->batch, &answer->problem);
}

struct batch_price {
    const struct chunk_batch *batch;
    enum coding coding;
    size_t cached;
};

/* The cost of the first chunks. */
static uint64_t batch_cost(const void *context, uint64_t count)
{
    const struct batch_price *price = context;
    return chunk_batch_cost(price->batch, count, price->coding, price->cached);
}

/* The chunks are made while they are sent: see chunk_stream.h. */
static enum handler_result stream_batch(struct answer_job *answer, struct problem *problem)
{
    struct chunk_batch *batch = &((struct batch_job *)answer)->batch;
    struct http_request *request = answer->request;
    struct chunk_cache_lookup lookup = {
        .loop = request->loop, .world = request->world, .batch = batch};
    const struct batch_price price = {batch, chunk_stream_coding(request, batch),
                                      chunk_cache_lookup_count(&lookup)};
    const bool volumes = ((struct batch_job *)answer)->volumes;
    const struct charge charge = {
        .cost = batch_cost(&price, batch->count),
        .smaller = volumes ? "fewer or smaller volumes or a coarser step"
                           : "fewer or smaller chunks, fewer layers or a coarser step",
        .example = volumes ? "/volumes/0/0/0.r32f?size=16" : "/chunks/0/0.r32f?size=64",
        .parts = chunk_shape_name(&batch->order),
        .count = batch->count,
        .cost_of = batch_cost,
        .context = &price,
    };
    const enum handler_result allowed = resolve_check_limit(answer, &charge, problem);
    if (allowed != HANDLER_DONE)
        return allowed;
    answer_job_detach(answer);
    const enum handler_result result = chunk_stream_respond(request, batch, problem);
    answer_job_free(answer);
    return result;
}

static const struct answer_type batch_answer = {METRICS_NOTHING, false, read_batch, stream_batch,
                                                release_batch};

static enum handler_result respond_with_batch(struct http_request *request, bool volumes,
                                              struct problem *problem)
{
    if (!resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    struct batch_job *job = answer_job_new(request, &batch_answer, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    job->volumes = volumes;
    return answer_job_read_body(&job->answer, problem);
}

enum handler_result handle_chunks(struct http_request *request, struct problem *problem)
{
    return respond_with_batch(request, false, problem);
}

enum handler_result handle_volumes(struct http_request *request, struct problem *problem)
{
    return respond_with_batch(request, true, problem);
}
