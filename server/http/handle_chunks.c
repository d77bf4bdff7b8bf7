#include <stdlib.h>

#include "server/http/chunk_answer.h"
#include "server/http/chunk_stream.h"
#include "server/http/handlers.h"
#include "server/http/resolve.h"

enum {
    SHORT_BODY = 4096, /* bytes that are read at once: 256 chunks, and some tens of microseconds */
    BYTE_COST = 32,    /* of reading a longer one, in octave-samples */
};

enum handled handle_chunk(struct exchange *exchange, struct problem *problem)
{
    const struct request *request = &exchange->request;
    const struct request_text *const *path = exchange->captures;
    const struct request_argument *layers = request_find(request, "layers");
    struct chunk_order order;
    struct chunk_address address = {.z = 0};
    size_t digits;
    chunk_order_begin(&order, CHUNK_FLAT);
    if (!chunk_parse_format(path[1], &digits, &order, problem) ||
        !chunk_parse_index(path[0]->text, path[0]->length, "cx", &address.x, problem) ||
        !chunk_parse_index(path[1]->text, digits, "cy", &address.y, problem) ||
        !chunk_parse_arguments(request, &order, problem))
        return FAILED;
    if (!resolve_promise(exchange, exchange->world_text, problem))
        return FAILED;
    order.world = exchange->world->world;
    if (!chunk_parse_layers(layers ? layers->value.text : NULL, "height", &order, problem))
        return FAILED;
    return chunk_answer(exchange, &order, &address, problem);
}

/* The body on its way to a render thread and back: reading a long one takes a while. */
struct reading {
    struct chunk_batch batch;
    bool done; /* `batch` is filled, not `problem` */
    struct problem problem;
};

static void reading_free(void *work)
{
    struct reading *reading = work;
    if (reading->done)
        chunk_batch_free(&reading->batch);
    free(reading);
}

static void read_batch(struct exchange *exchange)
{
    struct reading *reading = exchange->work;
    const struct buffer *body = &exchange->body;
    reading->done = chunk_batch_parse(body->data ? (const char *)body->data : "", body->length,
                                      exchange->world->world, exchange->generation->chunk_samples,
                                      &reading->batch, &reading->problem);
}

/* On a render thread: a long body takes a while, and what it costs is known only then. */
static void run_reading(struct job *job, struct tools *tools)
{
    struct exchange *exchange = exchange_of_job(job);
    struct reading *reading = exchange->work;
    job->kind = METRICS_NOTHING;
    if (!tools) {
        problem_set(&reading->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    read_batch(exchange);
}

static enum handled chunks_read(struct exchange *exchange, struct problem *problem)
{
    struct reading *reading = exchange->work;
    if (!reading->done) {
        *problem = reading->problem;
        return FAILED;
    }
    struct chunk_kept kept;
    chunk_kept_begin(&kept, exchange->loop, exchange->world, &reading->batch);
    if (!chunk_admit(exchange, &reading->batch.order,
                     reading->batch.count - chunk_kept_count(&kept), problem))
        return FAILED;
    exchange->work = NULL;
    const enum handled handled = chunk_stream_answer(exchange, &reading->batch, problem);
    reading_free(reading);
    return handled;
}

enum handled handle_chunks(struct exchange *exchange, struct problem *problem)
{
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    exchange->work = reading;
    exchange->work_free = reading_free;
    if (exchange->body.length > SHORT_BODY) {
        exchange->cost = exchange->body.length * BYTE_COST;
        return exchange_run(exchange, run_reading, chunks_read, problem);
    }
    read_batch(exchange);
    return chunks_read(exchange, problem);
}
