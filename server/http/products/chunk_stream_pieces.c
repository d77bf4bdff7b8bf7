/* The pieces of a batch that is being sent, and the jobs that make them.
 *
 * A piece is some neighbouring chunks, in the order of the batch, and the job of one render thread.
 * Up to PIECES_AHEAD pieces are in a ring: one being sent, the others rendering or ready.
 *
 * Each piece in use holds a reservation in the response budget, one at least while the client need
 * not wait to pay, so that a batch that was accepted can always go on. If the queue or the budget
 * has no room for a further piece, it is tried again after the next piece was sent. Further pieces
 * have room in the first half of the queue alone: the second one is for batches without a piece in
 * it, so that those that come at once are served side by side instead of the first ones alone. If a
 * piece is stopped because it takes too much (job_guard.h), the chunks of later ones get a record
 * with status 413.
 *
 * The client pays for each piece when it is submitted, and gets back what the piece has not used:
 * all, if it is not rendered. A client that has disconnected gets this back, too. */
#include <stdlib.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/jobs/stopped_jobs.h"
#include "server/http/products/chunk_stream_private.h"
#include "server/render/price.h"

#define FURTHER_PIECES 0.5 /* of the queue */

bool chunk_stream_reserve(struct chunk_stream *stream)
{
    if (stream->reservations > stream->pieces_in_use)
        return true;
    if (!memory_budget_reserve(stream->budget, stream->estimate))
        return false;
    stream->reservations++;
    return true;
}

void chunk_stream_unreserve(struct chunk_stream *stream, unsigned kept)
{
    if (stream->reservations <= kept)
        return;
    memory_budget_release(stream->budget, (stream->reservations - kept) * stream->estimate);
    stream->reservations = kept;
}

/* A piece is not in use any more. */
static void end_piece(struct chunk_stream *stream)
{
    stream->pieces_in_use--;
    chunk_stream_unreserve(stream, stream->pieces_in_use > 1 ? stream->pieces_in_use : 1);
}

void chunk_stream_release(struct chunk_stream *stream)
{
    if (--stream->references > 0)
        return;
    chunk_stream_unreserve(stream, 0);
    for (size_t i = 0; i < PIECES_AHEAD; i++)
        buffer_free(&stream->pieces[i].bytes);
    resolved_world_release(&stream->world);
    generation_leave(&stream->loop->view, stream->generation);
    chunk_batch_free(&stream->batch);
    free(stream);
}

/* Compresses the records of the piece in the coding of the response: as a part of its one gzip
 * member, or as a zstd frame of their own. */
static bool compress_piece(struct stream_piece *piece, struct coder *coder)
{
    const struct coding_order order = {piece->stream->coding, CODING_SAMPLES};
    struct buffer plain = piece->bytes;
    bool done = true;
    if (order.coding == CODING_IDENTITY)
        return true;
    piece->bytes = (struct buffer){0};
    if (order.coding == CODING_GZIP) {
        if (piece->first == 0)
            gzip_parts_write_header(&piece->bytes);
        done = gzip_parts_add(&plain, &piece->sum, &piece->bytes, NULL);
    } else {
        done = coder && coder_append(coder, order, &plain, &piece->bytes, NULL);
    }
    buffer_free(&plain);
    return done && !piece->bytes.failed;
}

/* Behind a piece that was stopped none is rendered. */
static bool render_piece(struct stream_piece *piece, struct worker_context *worker)
{
    const struct chunk_stream *stream = piece->stream;
    const unsigned refused = __atomic_load_n(&stream->refused, __ATOMIC_RELAXED);
    if (refused)
        return chunk_piece_fail(&stream->batch, piece->first, refused, &piece->bytes);
    piece->rendered = true;
    return chunk_piece_render(&piece->lookup, worker, &piece->bytes);
}

/* On a render thread. */
static void piece_job_run(struct job *job, struct worker_context *worker)
{
    struct stream_piece *piece = (struct stream_piece *)job;
    piece->failed = !worker || __atomic_load_n(&piece->stream->abandoned, __ATOMIC_RELAXED) ||
                    !render_piece(piece, worker) ||
                    !compress_piece(piece, tile_maker_coder(worker->maker));
}

void chunk_stream_refuse_rest(struct chunk_stream *stream, unsigned status)
{
    __atomic_store_n(&stream->refused, status, __ATOMIC_RELAXED);
}

/* The first piece that was stopped is remembered for all of the batch. */
static void note_stop(struct chunk_stream *stream, const struct job *job)
{
    struct problem problem = {0};
    if (job->stopped == 0 || stream->refused)
        return;
    chunk_stream_refuse_rest(stream, MHD_HTTP_CONTENT_TOO_LARGE);
    metrics_count(stream->loop->counts, SHED_OVERRUN);
    stopped_jobs_add(stream->server->stopped_jobs, stream->asked, job);
    stopped_jobs_report(job, stream->request, &problem);
}

/* Refunds a piece that is not rendered. */
static void give_back(const struct chunk_stream *stream, struct stream_piece *piece)
{
    account_refund(&stream->account, piece->paid);
    if (stream->request)
        stream->request->admission.total -= piece->paid;
    piece->paid = 0;
}

/* Settles a piece at the end of its job. The first piece has paid for the request itself, too. */
static void settle(const struct chunk_stream *stream, struct stream_piece *piece)
{
    const uint64_t own = piece->first == 0 ? ADMISSION_REQUEST : 0;
    if (piece->rendered)
        account_settle(&stream->account, piece->paid, piece->job.used + own);
    else
        give_back(stream, piece);
}

static void piece_job_done(struct completion *completion)
{
    struct stream_piece *piece = (struct stream_piece *)completion;
    struct chunk_stream *stream = piece->stream;
    piece->state = PIECE_READY;
    piece->failed = piece->failed || piece->job.abandoned;
    note_stop(stream, &piece->job);
    settle(stream, piece);
    chunk_cache_lookup_finish(&piece->lookup);
    stream->loop->pending_completions--;
    if (stream->paused && piece == &stream->pieces[stream->current]) {
        stream->paused = false;
        http_request_resume(stream->request);
    }
    chunk_stream_release(stream);
}

/* Makes the next chunks of the batch a piece. */
static void piece_init(struct chunk_stream *stream, struct stream_piece *piece)
{
    struct chunk_area area;
    piece->stream = stream;
    piece->first = stream->next_chunk;
    piece->failed = piece->rendered = false;
    piece->sum = (struct gzip_trailer){0};
    buffer_clear(&piece->bytes);
    const size_t count = chunk_piece_plan(&stream->batch, piece->first, &area);
    piece->lookup = (struct chunk_cache_lookup){
        .loop = stream->loop, .world = &stream->world, .batch = &stream->batch};
    chunk_cache_lookup_find(&piece->lookup, piece->first, count);
    piece->job = (struct job){
        .completion = {NULL, piece_job_done},
        .loop = stream->loop,
        .run = piece_job_run,
        .expected = chunk_piece_price(&stream->price, &area, count - piece->lookup.found) +
                    chunk_piece_objects_price(&stream->price, &area, count),
        .kind = METRICS_BATCH,
    };
    stream->next_chunk += count;
    piece->last = stream->next_chunk == stream->batch.count;
    stream->pieces_in_use++;
}

/* Charges the client for a piece, and submits its job. The request itself is paid with the first
 * piece. False, with nothing charged, if the client has spent what it may or the queue is full. */
static bool pay_and_submit(struct chunk_stream *stream, struct stream_piece *piece)
{
    struct http_request *request = stream->request;
    const bool begins = piece->first == 0 && request->admission.total == 0;
    const uint64_t paid = piece->job.expected + (begins ? ADMISSION_REQUEST : 0);
    stream->unpaid = account_reserve(&stream->account, paid, stream->loop->now * 1000);
    stream->pay_time = stream->loop->now + stream->unpaid / 1000;
    if (stream->unpaid > 0)
        return false;
    piece->paid = paid;
    request->admission.total += paid;
    if (workers_submit(stream->server->workers, PRIORITY_RENDER, &piece->job)) {
        stream->give_up = 0;
        return true;
    }
    give_back(stream, piece);
    return false;
}

/* Tells without looking the chunks of a piece up whether it could be submitted. */
static bool queue_has_room(const struct chunk_stream *stream)
{
    return workers_queue_fill(stream->server->workers, PRIORITY_RENDER) <
           (stream->pieces_in_use > 0 ? FURTHER_PIECES : 1.0);
}

static bool piece_submit(struct chunk_stream *stream, struct stream_piece *piece)
{
    const size_t first = stream->next_chunk;
    stream->unpaid = 0;
    if (!queue_has_room(stream) || !chunk_stream_reserve(stream))
        return false;
    piece_init(stream, piece);
    if (pay_and_submit(stream, piece)) {
        piece->state = PIECE_RENDERING;
        stream->references++;
        stream->loop->pending_completions++;
        return true;
    }
    chunk_cache_lookup_finish(&piece->lookup);
    stream->next_chunk = first;
    end_piece(stream);
    return false;
}

void chunk_stream_submit_pieces(struct chunk_stream *stream)
{
    if (stream->refused || (stream->unpaid > 0 && stream->loop->now < stream->pay_time))
        return;
    for (unsigned i = 0; i < PIECES_AHEAD && stream->next_chunk < stream->batch.count; i++) {
        struct stream_piece *piece = &stream->pieces[(stream->current + i) % PIECES_AHEAD];
        if (piece->state == PIECE_FREE && !piece_submit(stream, piece))
            return;
    }
}

void chunk_stream_fail_piece(struct chunk_stream *stream, struct stream_piece *piece,
                             unsigned status)
{
    struct coder *coder = coder_new();
    piece_init(stream, piece);
    chunk_cache_lookup_finish(&piece->lookup);
    piece->failed = !chunk_piece_fail(&stream->batch, piece->first, status, &piece->bytes) ||
                    !compress_piece(piece, coder);
    coder_free(coder);
    piece->state = PIECE_READY;
}

void chunk_stream_piece_sent(struct chunk_stream *stream, struct stream_piece *piece)
{
    piece->state = PIECE_FREE;
    end_piece(stream);
    stream->current = (stream->current + 1) % PIECES_AHEAD;
    stream->bytes_sent = 0;
    chunk_stream_submit_pieces(stream);
}

void chunk_stream_abandon_pieces(struct chunk_stream *stream)
{
    __atomic_store_n(&stream->abandoned, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < PIECES_AHEAD; i++) {
        struct stream_piece *piece = &stream->pieces[i];
        if (piece->state != PIECE_RENDERING)
            continue;
        workers_abandon(stream->server->workers, &piece->job);
        if (piece->job.abandoned) /* else it had begun */
            give_back(stream, piece);
    }
}
