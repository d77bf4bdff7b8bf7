/* What recipes make: tiles, chunks and volumes. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_PRODUCT_TYPE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_PRODUCT_TYPE_H

#include "server/http/http_request.h"
#include "server/http/products/recipe.h"
#include "server/http/response/response.h"

/* What the product of a recipe is, whatever its bytes are. */
struct representation {
    const char *name; /* of the format */
    unsigned version; /* of its bytes */
    const char *content_type;
    bool varies;        /* by Accept-Encoding */
    enum coding coding; /* of the bytes */
    size_t prefix;      /* bytes in front of those that are sent: of a chunk, its digest's text */
};
struct representation representation(const struct recipe *recipe);

/* What making it is counted as. */
enum metrics_kind product_metrics_kind(const struct recipe *recipe);
/* Where it waits to be made. */
enum priority product_priority(const struct recipe *recipe);
/* What it may come to in bytes if it is so large that it is not kept in memory, and that memory
 * must be reserved for it until it is sent; else 0. */
size_t product_uncached_bytes(const struct recipe *recipe);
/* On a render thread: puts its bytes, with the prefix, in place of those in the thread's own
 * buffer. */
bool product_render(const struct recipe *recipe, struct worker_context *worker,
                    struct tile_times *times, struct error *error);
/* The headers of its own, each as its name and its value, both terminated; nothing for a tile.
 * `bytes` are those that were made. */
void product_write_headers(const struct recipe *recipe, const uint8_t *bytes, struct buffer *out);

/* Answers with the recipe's product: from the memory, or 304 from the recipe alone, or once it has
 * been found or made. The recipe is complete, of the exchange's world, and can be made. */
enum handler_result product_respond(struct http_request *request, const struct recipe *recipe,
                                    struct problem *problem);

#endif
