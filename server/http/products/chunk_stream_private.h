/* A batch that is being sent: its state, and its pieces. For chunk_stream.c, which sends them, and
 * chunk_stream_pieces.c, which has them made. All members belong to the loop's thread, but for
 * `abandoned` and `refused`, which render threads read, and the piece that a render thread works
 * on. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_STREAM_PRIVATE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_STREAM_PRIVATE_H

#include "core/encode/gzip_parts.h"
#include "server/http/products/chunk_pieces.h"

enum { PIECES_AHEAD = 4 };

enum piece_state { PIECE_FREE, PIECE_RENDERING, PIECE_READY };

struct stream_piece {
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
    bool paused;              /* suspended until the current piece is ready, or may be submitted */
    int64_t unpaid;           /* microseconds until the client may pay for the next piece; or 0 */
    int64_t pay_time;         /* the loop's time when it may, if it had to wait */
    int64_t give_up;          /* the loop's time until which it waits for payment or room; or 0 */
    size_t next_chunk;        /* the first chunk that is in no piece yet */
    unsigned current;         /* the piece being sent */
    size_t bytes_sent;        /* of it */
    unsigned pieces_in_use;   /* that are not free */
    unsigned reservations;    /* of `estimate` bytes each: one for each piece in use, about */
    size_t estimate;          /* bytes of a piece */
    struct gzip_trailer sum;  /* of all records up to the current piece */
    struct stream_piece pieces[PIECES_AHEAD];
};

/* Makes a reservation for one more piece in use. */
bool chunk_stream_reserve(struct chunk_stream *stream);
/* Gives up reservations but for so many. */
void chunk_stream_unreserve(struct chunk_stream *stream, unsigned kept);
/* Gives a reference to the stream up. */
void chunk_stream_release(struct chunk_stream *stream);

/* Submits as many pieces as are free, have room and can be paid. */
void chunk_stream_submit_pieces(struct chunk_stream *stream);
/* Makes the next chunks a piece that is not rendered: its records have the status. */
void chunk_stream_fail_piece(struct chunk_stream *stream, struct stream_piece *piece,
                             unsigned status);
/* All records to come have the status. */
void chunk_stream_refuse_rest(struct chunk_stream *stream, unsigned status);
/* The current piece was sent. */
void chunk_stream_piece_sent(struct chunk_stream *stream, struct stream_piece *piece);
/* The client has left, or will not wait: no more pieces are rendered. */
void chunk_stream_abandon_pieces(struct chunk_stream *stream);

#endif
