/* The response to a batch of chunks, made piece by piece while it is sent, in bounded memory. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_STREAM_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_STREAM_H

#include "server/http/jobs/http_request.h"
#include "server/http/products/chunk_batch.h"

/* The content coding in which the request gets the batch. */
enum coding chunk_stream_coding(const struct http_request *request,
                                const struct chunk_batch *batch);

/* Answers with the batch, whose addresses it takes; the request's world is compiled.
 * HANDLER_DONE, or HANDLER_FAILED with 503. */
enum handler_result chunk_stream_respond(struct http_request *request, struct chunk_batch *batch,
                                         struct problem *problem);

#endif
