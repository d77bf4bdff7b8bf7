#include <stdlib.h>

#include "server/http/jobs/http_request_wait.h"
#include "server/http/products/chunk_cache_lookup.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/chunk_stream.h"
#include "server/http/products/product_type.h"
#include "server/http/products/respond.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"

enum {
    INLINE_BODY_MAX =
        4096,           /* bytes that are read at once: 256 chunks, and some tens of microseconds */
    COST_PER_BYTE = 32, /* of reading a longer one, in octave-samples */
};

enum handler_result handle_chunk(struct http_request *request, struct problem *problem)
{
    const struct http_target *target = &request->target;
    const struct target_text *const *path = request->captures;
    const struct target_parameter *layers = target_find(target, "layers");
    struct chunk_order order;
    struct chunk_address address = {.z = 0};
    size_t digits;
    chunk_order_set_defaults(&order, CHUNK_FLAT);
    if (!chunk_parse_format(path[1], &digits, &order, problem) ||
        !chunk_parse_index(path[0]->text, path[0]->length, "cx", &address.x, problem) ||
        !chunk_parse_index(path[1]->text, digits, "cy", &address.y, problem) ||
        !chunk_parse_parameters(target, &order, problem))
        return HANDLER_FAILED;
    if (!resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    order.world = request->world->world;
    if (!chunk_parse_layers(layers ? layers->value.text : NULL, "height", &order, problem))
        return HANDLER_FAILED;
    return product_respond_chunk(request, &order, &address, problem);
}

/* The body on its way to a render thread and back: reading a long one takes a while. */
struct batch_job {
    struct chunk_batch batch;
    bool done; /* `batch` is filled, not `problem` */
    struct problem problem;
};

static void batch_job_free(void *work)
{
    struct batch_job *batch_job = work;
    if (batch_job->done)
        chunk_batch_free(&batch_job->batch);
    free(batch_job);
}

static void parse_batch(struct http_request *request)
{
    struct batch_job *batch_job = request->work;
    const struct buffer *body = &request->body;
    batch_job->done = chunk_batch_parse(body->data ? (const char *)body->data : "", body->length,
                                        request->world->world, request->generation->chunk_samples,
                                        &batch_job->batch, &batch_job->problem);
}

/* On a render thread: a long body takes a while, and what it costs is known only then. */
static void run_batch_job(struct job *job, struct worker_context *worker)
{
    struct http_request *request = http_request_of_job(job);
    struct batch_job *batch_job = request->work;
    job->kind = METRICS_NOTHING;
    if (!worker) {
        problem_set(&batch_job->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    parse_batch(request);
}

static enum handler_result respond_with_batch(struct http_request *request, struct problem *problem)
{
    struct batch_job *batch_job = request->work;
    if (!batch_job->done) {
        *problem = batch_job->problem;
        return HANDLER_FAILED;
    }
    struct chunk_cache_lookup lookup;
    chunk_cache_lookup_init(&lookup, request->loop, request->world, &batch_job->batch);
    const struct charge charge =
        product_chunks_charge(request->world, &batch_job->batch.order,
                              batch_job->batch.count - chunk_cache_lookup_count(&lookup));
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    request->work = NULL;
    const enum handler_result handled = chunk_stream_respond(request, &batch_job->batch, problem);
    batch_job_free(batch_job);
    return handled;
}

enum handler_result handle_chunks(struct http_request *request, struct problem *problem)
{
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    struct batch_job *batch_job = calloc(1, sizeof *batch_job);
    if (!batch_job) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return HANDLER_FAILED;
    }
    request->work = batch_job;
    request->work_free = batch_job_free;
    if (request->body.length > INLINE_BODY_MAX) {
        request->admission.cost = request->body.length * COST_PER_BYTE;
        return http_request_run_job(request, run_batch_job, respond_with_batch, problem);
    }
    parse_batch(request);
    return respond_with_batch(request, problem);
}
