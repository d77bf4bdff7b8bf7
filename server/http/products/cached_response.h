/* An encoded tile, chunk or volume together with the responses that send it. A response is made
 * once and shared by all requests, which is cheaper than one for each, so it lives in the memory
 * cache beside the bytes.
 *
 * Counted; immutable but for the responses, which any thread may cause to be made. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CACHED_RESPONSE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CACHED_RESPONSE_H

#include "server/cache/memory.h"
#include "server/http/products/recipe.h"
#include "server/http/response/response.h"

struct cached_response;
struct memory_budget;

struct cached_response_content {
    const uint8_t *bytes; /* with the prefix: product_type.h */
    size_t length;
    struct memory_budget *budget; /* gets `reserved` bytes back when the bytes are freed */
    size_t reserved;
};

/* With a copy of the bytes and one reference; `hash` is that of the recipe's key. Null when memory
 * is out; what is reserved is still the caller's then. */
struct cached_response *cached_response_new(const struct recipe *recipe, struct hash128 hash,
                                            const struct cached_response_content *content,
                                            struct tile_times times);
void cached_response_release(struct cached_response *cached); /* null is allowed */
struct cache_value *cached_response_value(struct cached_response *cached);
struct cached_response *cached_response_of_value(struct cache_value *value); /* null gives null */

/* The bytes with the prefix; borrowed. */
const uint8_t *cached_response_record(const struct cached_response *cached, size_t *length);

/* Answers with request->product.cached: 200, 206 for a range, or 304; HANDLER_FAILED with 416 in
 * request->problem for a range that it has not. `rendered` says that it was made for this very
 * request; the request's `tier`, that it was found there for it. */
enum handler_result cached_response_respond(struct http_request *request, bool rendered);

#endif
