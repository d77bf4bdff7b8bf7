/* Answers with samples: made on a render thread, with the headers that tell what they are.
 *
 * An answer is made whole in memory, which the limit on samples bounds. */
#ifndef TERRANE_SERVER_HTTP_CHUNK_ANSWER_H
#define TERRANE_SERVER_HTTP_CHUNK_ANSWER_H

#include "server/http/chunk_request.h"
#include "server/http/response.h"

/* A chunk, a volume or a batch on its way to a render thread and back: the exchange's work. */
struct chunk_work {
    struct chunk_order order;
    struct chunk_address address;
    struct chunk_batch batch; /* of a batch */
    char etag[ETAG_TEXT];     /* "" for none */
    enum coding coding;
    const char *content_type;
    struct buffer out;
    char digest[CHUNK_DIGEST_TEXT]; /* "" for none */
    struct chunk_times times;
    bool done; /* `out` is the answer, not `problem` */
    struct problem problem;
};

/* The exchange's work from now on, with the exchange's world; null with 503. */
struct chunk_work *chunk_work_new(struct exchange *exchange, struct problem *problem);

/* One chunk or volume: 304, or made by a render thread. `order` and `address` are complete and of
 * the exchange's world; here it is checked that they are in range and not too large. */
enum handled chunk_answer(struct exchange *exchange, const struct chunk_order *order,
                          const struct chunk_address *address, struct problem *problem);
/* Whether so many chunks may be made for the exchange: see admission.h. */
bool chunk_admit(struct exchange *exchange, const struct chunk_order *order, size_t count,
                 struct problem *problem);
/* What a finished work is answered with; for exchange_run_in(). */
enum handled chunk_answered(struct exchange *exchange, struct problem *problem);

#endif
