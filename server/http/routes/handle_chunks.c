/* Chunks of samples for game servers: one by GET, many by POST.
 *
 * A single chunk is a product like a tile: its recipe is looked up in the caches or made. A batch
 * is streamed. Its body is read at once if it is short; a longer one is read by a render thread,
 * and what the batch costs is checked after that, because only then it is known. */
#include "server/http/jobs/admission.h"
#include "server/http/products/chunk_cache_lookup.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/chunk_stream.h"
#include "server/http/products/product_type.h"
#include "server/http/products/respond.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"

enum {
    INLINE_BODY_MAX = 4096, /* bytes: 256 chunks, which take some tens of microseconds to read */
    COST_PER_BYTE = 32,     /* octave-samples, of reading a longer body */
};

enum handler_result handle_chunk(struct http_request *request, struct problem *problem)
{
    const struct target_text *const *path = request->captures;
    struct parameter_values values;
    struct chunk_order order = {.shape = CHUNK_FLAT};
    struct chunk_address address = {.z = 0};
    size_t digits;
    if (!chunk_parse_format(path[1], &digits, &order, problem) ||
        !chunk_parse_index(path[0]->text, path[0]->length, "cx", &address.x, problem) ||
        !chunk_parse_index(path[1]->text, digits, "cy", &address.y, problem) ||
        !router_read_parameters(request, &values, problem))
        return HANDLER_FAILED;
    chunk_order_set_values(&order, &values);
    if (!resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    order.world = request->world->world;
    if (!chunk_parse_layers(values.layers, &order, problem))
        return HANDLER_FAILED;
    return product_respond_chunk(request, &order, &address, problem);
}

struct batch_job {
    struct answer_job answer;
    struct chunk_batch batch; /* owned once the job is done */
};

static void release_batch(struct answer_job *answer)
{
    if (answer->done)
        chunk_batch_free(&((struct batch_job *)answer)->batch);
}

static bool read_batch(struct answer_job *answer, struct worker_context *worker)
{
    const struct http_request *request = answer->request;
    const struct buffer *body = &request->body;
    (void)worker;
    return chunk_batch_parse(body->data ? (const char *)body->data : "", body->length,
                             request->world->world, request->generation->chunk_samples,
                             &((struct batch_job *)answer)->batch, &answer->problem);
}

/* The chunks are made while they are sent: see chunk_stream.h. */
static enum handler_result stream_batch(struct answer_job *answer, struct problem *problem)
{
    struct chunk_batch *batch = &((struct batch_job *)answer)->batch;
    struct http_request *request = answer->request;
    struct chunk_cache_lookup lookup = {
        .loop = request->loop, .world = request->world, .batch = batch};
    const struct charge charge = product_chunks_charge(
        request->world, &batch->order, batch->count - chunk_cache_lookup_count(&lookup));
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    answer_job_detach(answer);
    const enum handler_result result = chunk_stream_respond(request, batch, problem);
    answer_job_free(answer);
    return result;
}

static const struct answer_type batch_answer = {METRICS_NOTHING, false, read_batch, stream_batch,
                                                release_batch};

enum handler_result handle_chunks(struct http_request *request, struct problem *problem)
{
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    struct batch_job *job = answer_job_new(request, &batch_answer, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    if (request->body.length <= INLINE_BODY_MAX)
        return answer_job_run_now(&job->answer, problem);
    request->admission.cost = request->body.length * COST_PER_BYTE;
    return answer_job_run(&job->answer, problem);
}
