/* A batch of chunks or volumes: the body of POST /chunks, POST /digests or POST /volumes. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_BATCH_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_BATCH_H

#include "server/http/request/problem.h"
#include "server/http/request/reference.h"
#include "server/render/chunk_maker.h"

enum {
    CHUNK_BATCH_MAX = 256, /* chunks in one request */
    CHUNK_BODY_DEPTH_MAX = 4,
};

struct http_request;

struct chunk_batch {
    struct chunk_order order;
    struct chunk_address *addresses; /* owned */
    size_t count;
    bool has_surface; /* of volumes: those whose samples all lie on one side have no payload */
    double surface;
    bool has_objects; /* of chunks: each is followed by a record of what stands on it */
    bool is_of_digests;
    struct reference against; /* of digests: the other world; its name is "" for none */
};

/* Parses a body into a batch that is zeroed but for the world and shape of its order, and
 * is_of_digests. All members but the list are optional. `limit`: samples of all chunks together.
 * False with 400, 404 or 413; on success to be freed.
 *
 *   chunks:  {"format":"r32f","size":64,"step":1,"apron":0,"layers":["height"],"t":0,
 *             "chunks":[[cx,cy],…]}
 *   volumes: {"format":"r32f","size":32,"step":1,"layer":"density","t":0,"surface":0,
 *             "volumes":[[cx,cy,cz],…]}; "surface" has no default
 *   digests: as of chunks, with "against":"terra@g1-…" instead of objects and of a format, which
 *            is r32f */
bool chunk_batch_parse(const char *text, size_t length, uint64_t limit, struct chunk_batch *batch,
                       struct problem *problem);
/* The same for the body and the world of a request. */
bool chunk_batch_read(const struct http_request *request, struct chunk_batch *batch,
                      struct problem *problem);
void chunk_batch_free(struct chunk_batch *batch);

#endif
