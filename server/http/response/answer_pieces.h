/* Answers that take long, made in pieces: one job after another, each of which waits in the queue
 * by itself, behind what others have asked for meanwhile, and is paid by itself. The route's row
 * has is_paid_by_piece. The answer is collected, and responded when the last piece is made.
 *
 * A client that has left gets no further piece. The first piece is refused like any other job, with
 * 429 or 503. Once an answer has begun, a piece that finds no room in the queue, or whose client
 * has spent what it may, is tried again, for as long as a request may wait in the queue. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_ANSWER_PIECES_H
#define TERRANE_SERVER_HTTP_RESPONSE_ANSWER_PIECES_H

#include "server/http/response/answer_job.h"

/* The time that a piece should take at most, where it can be cut so small, in nanoseconds. */
#define ANSWER_PIECE_TIME ((uint64_t)100000000)

/* The price that a piece of the request may have. */
uint64_t answer_piece_most(const struct http_request *request);
/* Submits the next piece, which has this price. WAITING, or FAILED with 413, 429 or 503. */
enum handler_result answer_piece_run(struct answer_job *answer, uint64_t price,
                                     struct problem *problem);
/* At the beginning of finish(): settles what the client has paid for a piece, and lets the times of
 * the request's job be those of all pieces so far, which the response tells. */
void answer_piece_end(struct answer_job *answer);

#endif
