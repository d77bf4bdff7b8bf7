/* What is asked of the chunks and volumes: addresses, parameters, the bodies of batches. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_PARAMETERS_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_PARAMETERS_H

#include "server/http/request/problem.h"
#include "server/http/request/target.h"
#include "server/queries/parameters.h"
#include "server/render/chunk_maker.h"

enum {
    CHUNK_BATCH_MAX = 256, /* chunks in one request */
    CHUNK_BODY_DEPTH_MAX = 4,
};

/* The path's last piece, "4.r32f", for an order whose shape is set: the format, and the length of
 * the number in front. False with 404. */
bool chunk_parse_format(const struct target_text *text, size_t *digits, struct chunk_order *order,
                        struct problem *problem);
/* One number of the path. False with 400. */
bool chunk_parse_index(const char *text, size_t length, const char *name, int64_t *index,
                       struct problem *problem);
/* The size, step, apron and time of parameters or of a batch's body. */
void chunk_order_set_values(struct chunk_order *order, const struct parameter_values *values);
/* "height,biome": layers of the order's world. False with 400, or 404 for an unknown layer. */
bool chunk_parse_layers(const char *text, struct chunk_order *order, struct problem *problem);
/* One layer more, and at the end whether the format has room for all. */
bool chunk_add_layer(const char *name, struct chunk_order *order, struct problem *problem);
bool chunk_check_layers(const struct chunk_order *order, struct problem *problem);
/* Whether `count` chunks of the order may be made at once; false with 413 that says the limit. */
bool chunk_check_samples(const struct chunk_order *order, size_t count, uint64_t limit,
                         struct problem *problem);
/* False with 404 that says the range. */
bool chunk_check_range(const struct chunk_order *order, const struct chunk_address *address,
                       struct problem *problem);

/* Of chunk_batch.c. */
struct chunk_batch {
    struct chunk_order order;
    struct chunk_address *addresses; /* owned */
    size_t count;
};

/* {"format":"r32f","size":64,"step":1,"apron":0,"layers":["height"],"t":0,"chunks":[[cx,cy],…]}:
 * all but chunks are optional. False with 400, 404 or 413. On success to be freed. */
bool chunk_batch_parse(const char *text, size_t length, const struct world *world, uint64_t limit,
                       struct chunk_batch *batch, struct problem *problem);
void chunk_batch_free(struct chunk_batch *batch);

#endif
