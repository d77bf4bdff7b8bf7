/* The answer to a batch of chunks, made piece by piece while it is sent, in bounded memory.
 *
 * A piece is some neighbouring chunks, in the order asked, and the job of one render thread; a few
 * pieces are made ahead of the one that is being sent, by as many threads. A reader that is slow
 * has them wait. Each chunk is a record, little-endian: "TRNC", u16 version, u16 status, i64 cx,
 * i64 cy, u32 bytes of the payload, u32 CRC-32 of it; and the payload. What goes wrong with one
 * chunk is said by its status, without a payload: the others are still of use. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_STREAM_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_STREAM_H

#include "server/http/http_request.h"
#include "server/http/products/chunk_cache_lookup.h"

/* Answers the exchange with the batch, whose addresses it takes; the batch's world is the
 * exchange's. HANDLED, or FAILED with 503. */
enum handler_result chunk_stream_respond(struct http_request *request, struct chunk_batch *batch,
                                         struct problem *problem);

/* Of chunk_pieces.c: how many chunks from `first` on make a piece, at least 1, and where they lie
 * if there are several. */
size_t chunk_piece_plan(const struct chunk_batch *batch, size_t first, struct chunk_area *area);
/* The chunks of a piece as records, appended to `out`: those that are kept, and the others made and
 * added to them. What cannot be made has a record that says so; false only if memory is out for
 * these. */
bool chunk_piece_render(struct chunk_cache_lookup *lookup, struct worker_context *worker,
                        struct buffer *out);
/* Bytes that a piece may have, about. */
size_t chunk_piece_estimate_bytes(const struct chunk_batch *batch);
/* Records with that status instead. */
bool chunk_piece_fail(const struct chunk_batch *batch, size_t first, unsigned status,
                      struct buffer *out);

#endif
