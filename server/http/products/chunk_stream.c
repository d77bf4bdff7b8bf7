/* Sends a batch while its chunks are being made.
 *
 * The library asks read_response() for bytes; if the current piece is still rendering, the
 * connection is suspended until its job is done. A slow reader therefore stops the rendering of its
 * batch: chunk_stream_pieces.c has some pieces ahead made, and no more.
 *
 * If the client has spent what it may, or the queue is full, while no piece is in use, the
 * connection is suspended, and resumed now and then to try again, and to see whether the server has
 * to end. A batch that would wait longer than requests wait in the queue gets records with status
 * 429 or 503 for all that is left.
 *
 * The stream is owned by the response (until the library frees it), by the request (until it ends)
 * and by each job under way. */
#include "server/http/products/chunk_stream.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/jobs/stopped_jobs.h"
#include "server/http/products/chunk_headers.h"
#include "server/http/products/chunk_stream_private.h"
#include "server/http/response/response.h"

enum {
    BLOCK_BYTES = 16 * 1024, /* the size of the library's buffer, which read_response() fills */
    PAYMENT_WAIT = 250, /* milliseconds that the connection is suspended at once for payment, */
    ROOM_WAIT = 20,     /* and for room in the queue, which is free for moments only */
};

/* Before the first byte of the piece is read. */
static void piece_begin_sending(struct chunk_stream *stream, struct stream_piece *piece)
{
    if (stream->coding != CODING_GZIP)
        return;
    gzip_trailer_combine(&stream->sum, &piece->sum);
    if (piece->last)
        gzip_parts_write_trailer(&stream->sum, &piece->bytes);
}

/* The pause ends when the jobs have. */
static bool abandon_response(struct http_request *request)
{
    chunk_stream_abandon_pieces(request->work);
    return false;
}

/* A client that has only ended its sending waits until no other does, but not for ever. */
static void client_disconnected(struct http_request *request, bool gone)
{
    struct chunk_stream *stream = request->work;
    if (gone) {
        chunk_stream_abandon_pieces(stream);
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

/* The next piece may be tried again, or the client has left. */
static void wait_ended(struct completion *completion)
{
    struct http_request *request = (struct http_request *)completion;
    struct chunk_stream *stream = request->work;
    if (request->wait.outcome == HTTP_WAIT_ABANDONED)
        chunk_stream_abandon_pieces(stream);
    stream->paused = false;
    http_request_resume(request);
}

static bool end_wait(struct http_request *request)
{
    (void)request;
    return true;
}

/* Milliseconds until the next piece is tried again. */
static int64_t pause_of(const struct chunk_stream *stream)
{
    const int64_t left = stream->pay_time - stream->loop->now + 1;
    if (stream->unpaid == 0)
        return ROOM_WAIT;
    return left > 0 && left < PAYMENT_WAIT ? left : PAYMENT_WAIT;
}

/* Waits until the next piece may be paid and submitted. */
static ssize_t wait_to_submit(struct chunk_stream *stream)
{
    const int64_t now = stream->loop->now;
    if (drain_is_refusing(&stream->server->group.drain))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->give_up == 0)
        stream->give_up = now + stream->request->generation->queue_timeout;
    if (now >= stream->give_up)
        chunk_stream_refuse_rest(stream, stream->unpaid > 0 ? MHD_HTTP_TOO_MANY_REQUESTS
                                                            : MHD_HTTP_SERVICE_UNAVAILABLE);
    if (stream->unpaid > 0)
        chunk_stream_unreserve(stream, 0);
    stream->request->completion.callback = wait_ended;
    http_request_set_timeout(stream->request, pause_of(stream), end_wait);
    return pause_response(stream);
}

/* The library's content reader, on the loop's thread. */
static ssize_t read_response(void *context, uint64_t position, char *out, size_t size)
{
    struct chunk_stream *stream = context;
    (void)position;
    for (;;) {
        struct stream_piece *piece = &stream->pieces[stream->current];
        if (piece->state == PIECE_FREE && stream->next_chunk == stream->batch.count)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (stream->abandoned)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (piece->state == PIECE_FREE)
            chunk_stream_submit_pieces(stream);
        if (piece->state == PIECE_RENDERING)
            return pause_response(stream);
        if (piece->state == PIECE_FREE && !stream->refused)
            return wait_to_submit(stream);
        if (piece->state == PIECE_FREE)
            chunk_stream_fail_piece(stream, piece, stream->refused);
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
            chunk_stream_piece_sent(stream, piece);
        if (part > 0)
            return (ssize_t)part;
    }
}

static void response_freed(void *context)
{
    chunk_stream_release(context);
}

/* The request ends, whether or not the response was sent. */
static void stream_detach(void *work)
{
    struct chunk_stream *stream = work;
    chunk_stream_abandon_pieces(stream);
    stream->request = NULL;
    chunk_stream_release(stream);
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
    if (!chunk_stream_reserve(stream)) {
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
    chunk_stream_submit_pieces(stream);
    if (stream->next_chunk == 0 && stream->batch.count > 0) {
        if (stream->unpaid > 0)
            admission_refuse_rendering(stream->unpaid, problem);
        else
            admission_set_queue_full(request->server, problem);
        return HANDLER_FAILED;
    }
    return response_set(request, MHD_HTTP_OK, make_response(stream));
}
