/* Sends a batch while its chunks are being made.
 *
 * A piece is some neighbouring chunks, in the order of the batch, and the job of one render thread.
 * Up to PIECES_AHEAD pieces are in a ring: one being sent, the others rendering or ready. The
 * library asks read_response() for bytes; if the current piece is still rendering, the connection
 * is suspended until its job is done. A slow reader therefore stops the rendering of its batch.
 *
 * Each piece in use holds a reservation in the response budget, one at least while the client need
 * not wait to pay, so that a batch that was accepted can always go on. If the queue or the budget
 * has no room for a further piece, it is tried again after the next piece was sent. If the queue is
 * full while no piece is in use, the chunks of the next one get a record with status 503. If a
 * piece is stopped because it takes too much (job_guard.h), those of later ones get one with status
 * 413.
 *
 * The client pays for each piece when it is submitted, and gets back what the piece has not used:
 * all, if it is not rendered. A client that has disconnected gets this back, too. One that has
 * spent what it may gets the next piece when it may go on; until then the connection is suspended,
 * and resumed now and then to see whether the server has to end. Who would wait longer than
 * requests wait in the queue gets records with status 429 for all that is left.
 *
 * The stream is owned by the response (until the library frees it), by the request (until it ends)
 * and by each job under way. All members belong to the loop's thread, but for `abandoned` and
 * `refused`, which render threads read, and the piece that a render thread works on. */
#include "server/http/products/chunk_stream.h"

#include <stdlib.h>
#include <string.h>

#include "core/encode/gzip_parts.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/jobs/stopped_jobs.h"
#include "server/http/products/chunk_headers.h"
#include "server/http/products/chunk_pieces.h"
#include "server/http/response/response.h"
#include "server/render/price.h"

enum {
    PIECES_AHEAD = 4,
    BLOCK_BYTES = 16 * 1024, /* the size of the library's buffer, which read_response() fills */
    PAYMENT_WAIT = 250,      /* milliseconds that the connection is suspended at once for payment */
};

enum piece_state { PIECE_FREE, PIECE_RENDERING, PIECE_READY };

struct piece {
    struct job job; /* first member */
    struct chunk_stream *stream;
    enum piece_state state;
    size_t first;            /* its first chunk */
    bool last;               /* of the batch */
    bool failed;             /* there are not even records */
    bool rendered;           /* set by a render thread: it was worth its price */
    uint64_t paid;           /* nanoseconds reserved for it, unless they were given back */
    struct buffer bytes;     /* of the response's body */
    struct gzip_trailer sum; /* of the records before they were compressed */
    struct chunk_cache_lookup lookup;
};

struct chunk_stream {
    unsigned references;
    struct http_request *request; /* null when it has ended */
    struct account account;       /* of the client */
    struct event_loop *loop;
    struct http_server *server;
    struct memory_budget *budget; /* the server's, for responses */
    struct resolved_world world;  /* with references of its own, like the generation */
    struct generation *generation;
    struct chunk_batch batch; /* constant */
    enum coding coding;
    struct chunk_price price; /* of the batch's order */
    struct hash128 asked;     /* stopped_jobs_hash() of the request */
    bool abandoned;           /* atomic: the client has left */
    unsigned refused;         /* atomic: the status of all records to come; or 0 */
    bool paused;              /* suspended until the current piece is ready, or may be paid */
    int64_t unpaid;           /* microseconds until the client may pay for the next piece; or 0 */
    int64_t pay_time;         /* the loop's time when it may, if it had to wait, */
    int64_t pay_deadline;     /* and until when it may wait; 0 if it does not wait */
    size_t next_chunk;        /* the first chunk that is in no piece yet */
    unsigned current;         /* the piece being sent */
    size_t bytes_sent;        /* of it */
    unsigned pieces_in_use;   /* that are not free */
    unsigned reservations;    /* of `estimate` bytes each: one for each piece in use, about */
    size_t estimate;          /* bytes of a piece */
    struct gzip_trailer sum;  /* of all records up to the current piece */
    struct piece pieces[PIECES_AHEAD];
};

/* Makes a reservation for one more piece in use. */
static bool reserve_piece(struct chunk_stream *stream)
{
    if (stream->reservations > stream->pieces_in_use)
        return true;
    if (!memory_budget_reserve(stream->budget, stream->estimate))
        return false;
    stream->reservations++;
    return true;
}

/* Gives up reservations but for so many. */
static void release_pieces(struct chunk_stream *stream, unsigned kept)
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
    release_pieces(stream, stream->pieces_in_use > 1 ? stream->pieces_in_use : 1);
}

static void stream_release(struct chunk_stream *stream)
{
    if (--stream->references > 0)
        return;
    release_pieces(stream, 0);
    for (size_t i = 0; i < PIECES_AHEAD; i++)
        buffer_free(&stream->pieces[i].bytes);
    resolved_world_release(&stream->world);
    generation_leave(&stream->loop->view, stream->generation);
    chunk_batch_free(&stream->batch);
    free(stream);
}

/* Compresses the records of the piece in the coding of the response: as a part of its one gzip
 * member, or as a zstd frame of their own. */
static bool compress_piece(struct piece *piece, struct coder *coder)
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
static bool render_piece(struct piece *piece, struct worker_context *worker)
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
    struct piece *piece = (struct piece *)job;
    piece->failed = !worker || __atomic_load_n(&piece->stream->abandoned, __ATOMIC_RELAXED) ||
                    !render_piece(piece, worker) ||
                    !compress_piece(piece, tile_maker_coder(worker->maker));
}

static void refuse_rest(struct chunk_stream *stream, unsigned status)
{
    __atomic_store_n(&stream->refused, status, __ATOMIC_RELAXED);
}

/* The first piece that was stopped is remembered for all of the batch. */
static void note_stop(struct chunk_stream *stream, const struct job *job)
{
    struct problem problem = {0};
    if (job->stopped == 0 || stream->refused)
        return;
    refuse_rest(stream, MHD_HTTP_CONTENT_TOO_LARGE);
    metrics_count(stream->loop->counts, SHED_OVERRUN);
    stopped_jobs_add(stream->server->stopped_jobs, stream->asked, job);
    stopped_jobs_report(job, stream->request, &problem);
}

/* Refunds a piece that is not rendered. */
static void give_back(const struct chunk_stream *stream, struct piece *piece)
{
    account_refund(&stream->account, piece->paid);
    if (stream->request)
        stream->request->admission.total -= piece->paid;
    piece->paid = 0;
}

/* Settles a piece at the end of its job. The first piece has paid for the request itself, too. */
static void settle(const struct chunk_stream *stream, struct piece *piece)
{
    const uint64_t own = piece->first == 0 ? ADMISSION_REQUEST : 0;
    if (piece->rendered)
        account_settle(&stream->account, piece->paid, piece->job.used + own);
    else
        give_back(stream, piece);
}

static void piece_job_done(struct completion *completion)
{
    struct piece *piece = (struct piece *)completion;
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
    stream_release(stream);
}

/* Makes the next chunks of the batch a piece. */
static void piece_init(struct chunk_stream *stream, struct piece *piece)
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
        .expected = chunk_piece_price(&stream->price, &area, count - piece->lookup.found),
        .kind = METRICS_BATCH,
    };
    stream->next_chunk += count;
    piece->last = stream->next_chunk == stream->batch.count;
    stream->pieces_in_use++;
}

/* Charges the client for a piece, and submits its job. The request itself is paid with the first
 * piece. False, with nothing charged, if the client has spent what it may or the queue is full. */
static bool pay_and_submit(struct chunk_stream *stream, struct piece *piece)
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
    stream->pay_deadline = 0;
    if (workers_submit(stream->server->workers, PRIORITY_RENDER, &piece->job))
        return true;
    give_back(stream, piece);
    return false;
}

static bool piece_submit(struct chunk_stream *stream, struct piece *piece)
{
    const size_t first = stream->next_chunk;
    if (!reserve_piece(stream))
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

/* Submits as many pieces as are free, have room and can be paid. */
static void submit_pieces(struct chunk_stream *stream)
{
    if (stream->refused || (stream->unpaid > 0 && stream->loop->now < stream->pay_time))
        return;
    for (unsigned i = 0; i < PIECES_AHEAD && stream->next_chunk < stream->batch.count; i++) {
        struct piece *piece = &stream->pieces[(stream->current + i) % PIECES_AHEAD];
        if (piece->state == PIECE_FREE && !piece_submit(stream, piece))
            return;
    }
}

/* The next piece is not rendered: its records have a status. */
static void piece_fail(struct chunk_stream *stream, struct piece *piece, unsigned status)
{
    struct coder *coder = coder_new();
    piece_init(stream, piece);
    chunk_cache_lookup_finish(&piece->lookup);
    piece->failed = !chunk_piece_fail(&stream->batch, piece->first, status, &piece->bytes) ||
                    !compress_piece(piece, coder);
    coder_free(coder);
    piece->state = PIECE_READY;
}

/* The current piece was sent. */
static void piece_sent(struct chunk_stream *stream, struct piece *piece)
{
    piece->state = PIECE_FREE;
    end_piece(stream);
    stream->current = (stream->current + 1) % PIECES_AHEAD;
    stream->bytes_sent = 0;
    submit_pieces(stream);
}

/* Before the first byte of the piece is read. */
static void piece_begin_sending(struct chunk_stream *stream, struct piece *piece)
{
    if (stream->coding != CODING_GZIP)
        return;
    gzip_trailer_combine(&stream->sum, &piece->sum);
    if (piece->last)
        gzip_parts_write_trailer(&stream->sum, &piece->bytes);
}

static void abandon_pieces(struct chunk_stream *stream)
{
    __atomic_store_n(&stream->abandoned, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < PIECES_AHEAD; i++) {
        struct piece *piece = &stream->pieces[i];
        if (piece->state != PIECE_RENDERING)
            continue;
        workers_abandon(stream->server->workers, &piece->job);
        if (piece->job.abandoned) /* else it had begun */
            give_back(stream, piece);
    }
}

/* The pause ends when the jobs have. */
static bool abandon_response(struct http_request *request)
{
    abandon_pieces(request->work);
    return false;
}

/* A client that has only ended its sending waits until no other does, but not for ever. */
static void client_disconnected(struct http_request *request, bool gone)
{
    struct chunk_stream *stream = request->work;
    if (gone) {
        abandon_pieces(stream);
        return;
    }
    for (size_t i = 0; i < PIECES_AHEAD; i++)
        if (stream->pieces[i].state == PIECE_RENDERING)
            workers_move(stream->server->workers, PRIORITY_LAST, &stream->pieces[i].job);
    if (!request->wait.try_cancel)
        http_request_set_timeout(request, request->generation->queue_timeout, abandon_response);
}

static ssize_t pause_response(struct chunk_stream *stream)
{
    stream->paused = true;
    stream->request->wait.on_disconnect = client_disconnected;
    http_request_pause(stream->request);
    return 0;
}

/* The client may pay for the next piece, or has left. */
static void payment_wait_ended(struct completion *completion)
{
    struct http_request *request = (struct http_request *)completion;
    struct chunk_stream *stream = request->work;
    if (request->wait.outcome == HTTP_WAIT_ABANDONED)
        abandon_pieces(stream);
    stream->paused = false;
    http_request_resume(request);
}

static bool end_payment_wait(struct http_request *request)
{
    (void)request;
    return true;
}

static ssize_t wait_for_payment(struct chunk_stream *stream)
{
    const int64_t now = stream->loop->now, left = stream->pay_time - now + 1;
    if (__atomic_load_n(&stream->server->group.drain.refusing, __ATOMIC_RELAXED))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->pay_deadline == 0)
        stream->pay_deadline = now + stream->request->generation->queue_timeout;
    if (now >= stream->pay_deadline)
        refuse_rest(stream, MHD_HTTP_TOO_MANY_REQUESTS);
    release_pieces(stream, 0);
    stream->request->completion.callback = payment_wait_ended;
    http_request_set_timeout(stream->request, left > 0 && left < PAYMENT_WAIT ? left : PAYMENT_WAIT,
                             end_payment_wait);
    return pause_response(stream);
}

/* The library's content reader, on the loop's thread. */
static ssize_t read_response(void *context, uint64_t position, char *out, size_t size)
{
    struct chunk_stream *stream = context;
    (void)position;
    for (;;) {
        struct piece *piece = &stream->pieces[stream->current];
        if (piece->state == PIECE_FREE && stream->next_chunk == stream->batch.count)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (stream->abandoned)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (piece->state == PIECE_FREE)
            submit_pieces(stream);
        if (piece->state == PIECE_RENDERING)
            return pause_response(stream);
        if (piece->state == PIECE_FREE && stream->unpaid > 0 && !stream->refused)
            return wait_for_payment(stream);
        if (piece->state == PIECE_FREE)
            piece_fail(stream, piece,
                       stream->refused ? stream->refused : MHD_HTTP_SERVICE_UNAVAILABLE);
        if (stream->bytes_sent == 0)
            piece_begin_sending(stream, piece);
        if (piece->failed || piece->bytes.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        const size_t left = piece->bytes.length - stream->bytes_sent,
                     part = left < size ? left : size;
        memcpy(out, piece->bytes.data + stream->bytes_sent, part);
        stream->bytes_sent += part;
        stream->request->response.body_length += part;
        if (part == left)
            piece_sent(stream, piece);
        if (part > 0)
            return (ssize_t)part;
    }
}

static void response_freed(void *context)
{
    stream_release(context);
}

/* The request ends, whether or not the response was sent. */
static void stream_detach(void *work)
{
    struct chunk_stream *stream = work;
    abandon_pieces(stream);
    stream->request = NULL;
    stream_release(stream);
}

static struct response make_response(struct chunk_stream *stream)
{
    const struct response_stream body = {MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_response,
                                         response_freed, stream};
    struct buffer headers = {0};
    stream->references++;
    struct response response = response_from_stream(&body,
                                                    stream->batch.order.shape == CHUNK_VOLUME
                                                        ? "application/vnd.terrane.volumes"
                                                        : "application/vnd.terrane.chunks",
                                                    CACHE_NO_STORE);
    chunk_headers_write_common(&stream->batch.order, stream->world.identity.fingerprint, &headers);
    response_add_headers(&response, &headers);
    response_add_header(&response, "X-Terrane-Cache", "render");
    if (stream->batch.order.format->codings != CODINGS_NONE)
        response_add_vary(&response, stream->coding);
    buffer_free(&headers);
    return response;
}

static struct chunk_stream *stream_new(struct http_request *request, struct chunk_batch *batch)
{
    struct chunk_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->references = 1;
    stream->request = request;
    stream->account = request->admission.account;
    stream->loop = request->loop;
    stream->server = request->server;
    stream->estimate = chunk_piece_estimate_bytes(batch);
    stream->budget = &request->server->response_budget;
    if (!reserve_piece(stream)) {
        free(stream);
        return NULL;
    }
    stream->world = resolved_world_copy(&request->worlds[0]);
    stream->generation = request->generation;
    generation_retain(&stream->loop->view, stream->generation);
    stream->batch = *batch;
    stream->batch.order.world = stream->world.compiled->world;
    batch->addresses = NULL;
    return stream;
}

enum coding chunk_stream_coding(const struct http_request *request, const struct chunk_batch *batch)
{
    const unsigned codings = batch->count > 0 ? batch->order.format->codings : CODINGS_NONE;
    return headers_select_coding(&request->headers, codings);
}

enum handler_result chunk_stream_respond(struct http_request *request, struct chunk_batch *batch,
                                         struct problem *problem)
{
    const struct hash128 asked = stopped_jobs_hash(request);
    if (!stopped_jobs_check(request->server->stopped_jobs, asked, request->loop, problem))
        return HANDLER_FAILED;
    struct chunk_stream *stream = stream_new(request, batch);
    if (!stream) {
        problem_response_memory(problem);
        return HANDLER_FAILED;
    }
    stream->asked = asked;
    stream->coding = chunk_stream_coding(request, batch);
    stream->price = chunk_batch_price(&stream->batch, stream->batch.count, stream->coding);
    request->work = stream;
    request->work_free = stream_detach;
    submit_pieces(stream);
    if (stream->next_chunk == 0 && stream->batch.count > 0) {
        if (stream->unpaid > 0)
            admission_refuse_rendering(stream->unpaid, problem);
        else
            admission_set_queue_full(request->server, problem);
        return HANDLER_FAILED;
    }
    return response_set(request, MHD_HTTP_OK, make_response(stream));
}
