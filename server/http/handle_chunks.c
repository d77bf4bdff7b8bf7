#include <string.h>

#include "core/encode/gzip.h"
#include "server/http/chunk_answer.h"
#include "server/http/handlers.h"
#include "server/http/resolve.h"

/* A record of a batch, little-endian: "TRNC", u16 version, u16 status, i64 cx, i64 cy, u32 bytes of
 * the payload, u32 CRC-32 of it; and the payload. */
enum { RECORD_VERSION = 1, RECORD_BYTES = 32 };

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
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    order.world = exchange->world->world;
    if (!chunk_parse_layers(layers ? layers->value.text : NULL, "height", &order, problem))
        return FAILED;
    return chunk_answer(exchange, &order, &address, problem);
}

static void put(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

/* The record of a payload that stands in `out` behind RECORD_BYTES left free at `start`. */
static void seal(struct buffer *out, size_t start, const struct chunk_address *address,
                 unsigned status)
{
    static const uint8_t magic[4] = {'T', 'R', 'N', 'C'};
    uint8_t *record = out->data + start;
    const size_t bytes = out->length - start - RECORD_BYTES;
    memcpy(record, magic, sizeof magic);
    put(record + 4, RECORD_VERSION, 2);
    put(record + 6, status, 2);
    put(record + 8, (uint64_t)address->x, 8);
    put(record + 16, (uint64_t)address->y, 8);
    put(record + 24, bytes, 4);
    put(record + 28, gzip_checksum(record + RECORD_BYTES, bytes), 4);
}

/* A chunk beyond the world's edge has a record without payload: the others are still of use. */
static bool add_record(struct tools *tools, const struct chunk_order *order,
                       const struct chunk_address *address, struct buffer *out, struct error *error)
{
    const size_t start = out->length;
    const bool there = chunk_in_range(order, address);
    if (!buffer_reserve(out, RECORD_BYTES))
        return error_memory(error);
    out->length += RECORD_BYTES;
    if (there && !chunk_make(tools->chunks, canvas_sampler(tile_maker_canvas(tools->maker)), order,
                             address, out, error))
        return false;
    seal(out, start, address, there ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND);
    return true;
}

static bool add_records(struct chunk_work *work, struct tools *tools, struct error *error)
{
    const struct chunk_batch *batch = &work->batch;
    for (size_t i = 0; i < batch->count; i++)
        if (!add_record(tools, &batch->order, &batch->addresses[i], &work->out, error))
            return false;
    return work->coding == CODING_IDENTITY ||
           chunk_compress(tools->chunks, work->coding, &work->out, error);
}

/* On a render thread. */
static void run_batch(struct job *job, struct tools *tools)
{
    struct chunk_work *work = exchange_of_job(job)->work;
    struct error error;
    job->kind = METRICS_BATCH;
    if (!tools) {
        problem_set(&work->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    chunk_maker_take_times(tools->chunks);
    work->done = add_records(work, tools, &error);
    if (!work->done)
        problem_from_error(&work->problem, PROBLEM_INTERNAL, &error);
    work->times = chunk_maker_take_times(tools->chunks);
}

static bool read_batch(struct exchange *exchange, struct problem *problem)
{
    struct chunk_work *work = exchange->work;
    const struct buffer *body = &exchange->body;
    if (!chunk_batch_parse(body->data ? (const char *)body->data : "", body->length,
                           exchange->world->world, exchange->generation->chunk_samples,
                           &work->batch, problem))
        return false;
    work->order = work->batch.order;
    work->coding = headers_coding(&exchange->headers, work->order.format->codings);
    return true;
}

/* On a render thread: a long body takes a while, and what it costs is known only then. */
static void run_reading(struct job *job, struct tools *tools)
{
    struct exchange *exchange = exchange_of_job(job);
    struct chunk_work *work = exchange->work;
    if (tools)
        work->done = read_batch(exchange, &work->problem);
    else
        problem_set(&work->problem, PROBLEM_STOPPING, "the server is shutting down");
}

static enum handled make_batch(struct exchange *exchange, struct problem *problem)
{
    const struct chunk_work *work = exchange->work;
    if (!chunk_admit(exchange, &work->order, work->batch.count, problem))
        return FAILED;
    return exchange_run_in(exchange, LANE_TILES, run_batch, chunk_answered, problem);
}

static enum handled batch_read(struct exchange *exchange, struct problem *problem)
{
    struct chunk_work *work = exchange->work;
    if (!work->done) {
        *problem = work->problem;
        return FAILED;
    }
    work->done = false;
    return make_batch(exchange, problem);
}

enum handled handle_chunks(struct exchange *exchange, struct problem *problem)
{
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    struct chunk_work *work = chunk_work_new(exchange, problem);
    if (!work)
        return FAILED;
    work->content_type = "application/vnd.terrane.chunks";
    if (exchange->body.length > SHORT_BODY) {
        exchange->cost = exchange->body.length * BYTE_COST;
        return exchange_run(exchange, run_reading, batch_read, problem);
    }
    return read_batch(exchange, problem) ? make_batch(exchange, problem) : FAILED;
}
