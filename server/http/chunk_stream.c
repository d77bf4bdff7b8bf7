#include "server/http/chunk_stream.h"

#include <stdlib.h>
#include <string.h>

#include "core/encode/gzip_parts.h"
#include "server/catalog_world.h"
#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/chunk_headers.h"
#include "server/http/response.h"

enum {
    AHEAD = 4,         /* pieces that are being made or wait to be sent, at most */
    BLOCK = 16 * 1024, /* handed to the library at once, where it has no buffer of its own */
};

enum piece_state { PIECE_FREE, PIECE_UNDER_WAY, PIECE_MADE };

struct piece {
    struct job job; /* first member */
    struct chunk_stream *stream;
    enum piece_state state;
    size_t first;        /* its first chunk */
    bool last;           /* no piece comes behind it */
    bool failed;         /* not even its records could be made */
    struct buffer bytes; /* as they are sent */
    struct gzip_sum sum; /* of the bytes before they were compressed */
    struct chunk_kept kept;
};

/* Owned by the response and by every piece under way; all but `abandoned` belongs to the loop's
 * thread, and `batch` does not change. */
struct chunk_stream {
    unsigned owners;
    struct exchange *exchange; /* as long as it is there */
    struct loop *loop;
    const struct catalog_world *world;
    struct generation *generation; /* whose world it is */
    struct chunk_batch batch;
    enum coding coding;
    bool abandoned;   /* atomic: nobody reads any more */
    bool paused;      /* the exchange waits for the piece that is to be sent */
    size_t next;      /* the first chunk of no piece yet */
    unsigned reading; /* the piece being sent */
    size_t read;      /* bytes of it */
    unsigned held;    /* pieces that are not free */
    size_t estimate;  /* bytes of a piece; so much is reserved for each held, and for one always */
    struct gzip_sum sum; /* of the pieces that were sent or are being sent */
    struct piece pieces[AHEAD];
};

static struct reserve *reserve_of(const struct chunk_stream *stream)
{
    return &stream->loop->server->answers;
}

static void stream_release(struct chunk_stream *stream)
{
    if (--stream->owners > 0)
        return;
    reserve_give(reserve_of(stream), stream->estimate * (stream->held > 1 ? stream->held : 1));
    for (size_t i = 0; i < AHEAD; i++)
        buffer_free(&stream->pieces[i].bytes);
    catalog_release(stream->world);
    generation_leave(&stream->loop->view, stream->generation);
    chunk_batch_free(&stream->batch);
    free(stream);
}

/* Replaces the piece's records by what they are in the answer's coding: of gzip, a part of its one
 * member; of zstd, a frame. */
static bool pack(struct piece *piece, struct coder *coder)
{
    const struct coding_order order = {piece->stream->coding, CODING_SAMPLES};
    struct buffer plain = piece->bytes;
    bool done = true;
    if (order.coding == CODING_IDENTITY)
        return true;
    piece->bytes = (struct buffer){0};
    if (order.coding == CODING_GZIP) {
        if (piece->first == 0)
            gzip_parts_head(&piece->bytes);
        done = gzip_parts_add(&plain, &piece->sum, &piece->bytes, NULL);
    } else {
        done = coder && coder_append(coder, order, &plain, &piece->bytes, NULL);
    }
    buffer_free(&plain);
    return done && !piece->bytes.failed;
}

/* On a render thread. */
static void run_piece(struct job *job, struct tools *tools)
{
    struct piece *piece = (struct piece *)job;
    struct chunk_stream *stream = piece->stream;
    piece->failed = !tools || __atomic_load_n(&stream->abandoned, __ATOMIC_RELAXED) ||
                    !chunk_piece_make(&piece->kept, tools, &piece->bytes) ||
                    !pack(piece, tile_maker_coder(tools->maker));
}

static void piece_made(struct notice *notice)
{
    struct piece *piece = (struct piece *)notice;
    struct chunk_stream *stream = piece->stream;
    piece->state = PIECE_MADE;
    piece->failed = piece->failed || piece->job.dropped;
    chunk_kept_end(&piece->kept);
    stream->loop->pending--;
    if (stream->paused && piece == &stream->pieces[stream->reading]) {
        stream->paused = false;
        exchange_continue(stream->exchange);
    }
    stream_release(stream);
}

/* The next piece, about to be made. */
static void begin_piece(struct chunk_stream *stream, struct piece *piece)
{
    struct chunk_area area;
    piece->stream = stream;
    piece->first = stream->next;
    piece->failed = false;
    piece->sum = (struct gzip_sum){0};
    buffer_clear(&piece->bytes);
    const size_t count = chunk_piece(&stream->batch, piece->first, &area);
    chunk_kept_begin(&piece->kept, stream->loop, stream->world, &stream->batch);
    chunk_kept_find(&piece->kept, piece->first, count);
    piece->job = (struct job){
        .notice = {NULL, piece_made},
        .loop = stream->loop,
        .run = run_piece,
        .cost = cost_chunks(&stream->batch.order, count - piece->kept.found),
        .kind = METRICS_BATCH,
    };
    stream->next += count;
    piece->last = stream->next == stream->batch.count;
    stream->held++;
}

static bool start_piece(struct chunk_stream *stream, struct piece *piece)
{
    const size_t first = stream->next;
    if (stream->held > 0 && !reserve_take(reserve_of(stream), stream->estimate))
        return false;
    begin_piece(stream, piece);
    if (workers_submit(stream->loop->server->workers, LANE_TILES, &piece->job)) {
        piece->state = PIECE_UNDER_WAY;
        stream->owners++;
        stream->loop->pending++;
        return true;
    }
    chunk_kept_end(&piece->kept);
    stream->next = first;
    if (--stream->held > 0)
        reserve_give(reserve_of(stream), stream->estimate);
    return false;
}

/* Has as many pieces made as may be ahead. If there is no room for one, in the queue or in memory,
 * it is tried again when another has been sent. */
static void fill(struct chunk_stream *stream)
{
    for (unsigned i = 0; i < AHEAD && stream->next < stream->batch.count; i++) {
        struct piece *piece = &stream->pieces[(stream->reading + i) % AHEAD];
        if (piece->state == PIECE_FREE && !start_piece(stream, piece))
            return;
    }
}

/* For a piece that no render thread can be had for, when no other is held. */
static void refuse_piece(struct chunk_stream *stream, struct piece *piece)
{
    struct coder *coder = coder_new();
    begin_piece(stream, piece);
    chunk_kept_end(&piece->kept);
    piece->failed = !chunk_piece_refuse(&stream->batch, piece->first, MHD_HTTP_SERVICE_UNAVAILABLE,
                                        &piece->bytes) ||
                    !pack(piece, coder);
    coder_free(coder);
    piece->state = PIECE_MADE;
}

/* The piece being read was sent. */
static void finish_piece(struct chunk_stream *stream, struct piece *piece)
{
    piece->state = PIECE_FREE;
    if (--stream->held > 0)
        reserve_give(reserve_of(stream), stream->estimate);
    stream->reading = (stream->reading + 1) % AHEAD;
    stream->read = 0;
    fill(stream);
}

/* Before its first byte is read. */
static void open_piece(struct chunk_stream *stream, struct piece *piece)
{
    if (stream->coding != CODING_GZIP)
        return;
    gzip_sum_join(&stream->sum, &piece->sum);
    if (piece->last)
        gzip_parts_end(&stream->sum, &piece->bytes);
}

/* Nobody reads any more: what waits to be made makes room at once. */
static void abandon(struct chunk_stream *stream)
{
    __atomic_store_n(&stream->abandoned, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < AHEAD; i++)
        if (stream->pieces[i].state == PIECE_UNDER_WAY)
            workers_forgo(stream->loop->server->workers, &stream->pieces[i].job);
}

static size_t pieces_under_way(const struct chunk_stream *stream)
{
    size_t count = 0;
    for (size_t i = 0; i < AHEAD; i++)
        count += stream->pieces[i].state == PIECE_UNDER_WAY;
    return count;
}

/* The client may only have ended its sending, so it is given up only if more waits than its own:
 * somebody else has use for the threads. */
static void departed(struct exchange *exchange)
{
    struct chunk_stream *stream = exchange->work;
    if (workers_waiting(stream->loop->server->workers, LANE_TILES) > pieces_under_way(stream))
        abandon(stream);
}

static ssize_t pause_reading(struct chunk_stream *stream)
{
    stream->paused = true;
    exchange_watch(stream->exchange, departed);
    exchange_pause(stream->exchange);
    return 0;
}

/* The library's content reader, on the loop's thread. */
static ssize_t read_stream(void *context, uint64_t position, char *out, size_t size)
{
    struct chunk_stream *stream = context;
    (void)position;
    for (;;) {
        struct piece *piece = &stream->pieces[stream->reading];
        if (piece->state == PIECE_FREE && stream->next == stream->batch.count)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (piece->state == PIECE_UNDER_WAY)
            return pause_reading(stream);
        if (piece->state == PIECE_FREE)
            refuse_piece(stream, piece);
        if (stream->read == 0)
            open_piece(stream, piece);
        if (piece->failed || piece->bytes.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        const size_t left = piece->bytes.length - stream->read, part = left < size ? left : size;
        memcpy(out, piece->bytes.data + stream->read, part);
        stream->read += part;
        stream->exchange->body_length += part;
        if (part == left)
            finish_piece(stream, piece);
        if (part > 0)
            return (ssize_t)part;
    }
}

static void response_freed(void *context)
{
    stream_release(context);
}

/* The exchange ends, sent or not. */
static void forsake(void *work)
{
    struct chunk_stream *stream = work;
    abandon(stream);
    stream->exchange = NULL;
    stream_release(stream);
}

static bool add_headers(struct MHD_Response *response, const struct chunk_stream *stream)
{
    struct buffer headers = {0};
    chunk_headers_order(&stream->batch.order, stream->world->fingerprint, &headers);
    const bool done = response_headers(response, &headers) &&
                      response_header(response, "X-Terrane-Cache", "render") &&
                      (stream->batch.order.format->codings == CODINGS_NONE ||
                       response_vary(response, stream->coding));
    buffer_free(&headers);
    return done;
}

static struct MHD_Response *make_response(struct chunk_stream *stream)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK, read_stream, stream, response_freed);
    if (!response)
        return NULL;
    stream->owners++;
    response = response_finish(response, "application/vnd.terrane.chunks", CACHE_NEVER);
    if (!response || add_headers(response, stream))
        return response;
    MHD_destroy_response(response);
    return NULL;
}

static struct chunk_stream *stream_new(struct exchange *exchange, struct chunk_batch *batch)
{
    struct chunk_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->owners = 1;
    stream->exchange = exchange;
    stream->loop = exchange->loop;
    stream->estimate = chunk_piece_estimate(batch);
    if (!reserve_take(reserve_of(stream), stream->estimate)) {
        free(stream);
        return NULL;
    }
    stream->world = catalog_world_retain(exchange->world);
    stream->generation = exchange->generation;
    generation_hold(&stream->loop->view, stream->generation);
    stream->batch = *batch;
    batch->addresses = NULL;
    return stream;
}

enum handled chunk_stream_answer(struct exchange *exchange, struct chunk_batch *batch,
                                 struct problem *problem)
{
    const unsigned codings = batch->count > 0 ? batch->order.format->codings : CODINGS_NONE;
    struct chunk_stream *stream = stream_new(exchange, batch);
    if (!stream) {
        problem_set(problem, PROBLEM_BUSY, "too many large answers are being sent; try again soon");
        return FAILED;
    }
    stream->coding = headers_coding(&exchange->headers, codings);
    exchange->work = stream;
    exchange->work_free = forsake;
    fill(stream);
    if (stream->next == 0 && stream->batch.count > 0) {
        admission_busy(exchange->loop->server, problem,
                       "too much is waiting to be rendered; try again later");
        return FAILED;
    }
    return response_answer(exchange, MHD_HTTP_OK, make_response(stream));
}
