/* The path of a request for a product, cheapest step first:
 *
 * 1. The memory cache has it: its response, made once and shared, is sent (200 or 304).
 * 2. The client has it: its entity tag is a hash of the recipe, so 304 needs no rendering and no
 *    look at the other tiers.
 * 3. The cost is checked and charged to the client.
 * 4. fetch_or_render() finds it in a tier or renders it, once for all who ask meanwhile.
 *
 * Only the first step is counted as a hit or a miss of the memory cache, and only the client whose
 * request had the product rendered pays for it. */
#include "server/http/products/respond.h"

#include "server/http/jobs/admission.h"
#include "server/http/jobs/server_state.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/fetch_or_render.h"
#include "server/http/products/product_type.h"

static enum handler_result product_completed(struct http_request *request, struct problem *problem)
{
    const struct request_product *product = &request->product;
    (void)problem; /* the request's own, which fetch_or_render() has filled */
    if (!product->rendered)
        admission_refund(request);
    if (!product->cached)
        return HANDLER_FAILED;
    return cached_response_respond(request, product->rendered);
}

enum handler_result product_respond(struct http_request *request, const struct recipe *recipe,
                                    struct problem *problem)
{
    const struct response_caching caching = {response_cache_policy(request->world_pinned),
                                             product_representation(recipe).varies};
    struct cache_key key;
    char etag[ETAG_TEXT];
    recipe_key(recipe, &key);
    request->product.cached =
        cached_response_of_value(memory_cache_get(request->server->cache, &key));
    if (request->product.cached) {
        metrics_count(request->loop->counts, MEMORY_HIT);
        return cached_response_respond(request, false);
    }
    etag_write(key.hash, etag);
    if (response_not_modified(request, etag, caching))
        return HANDLER_DONE;
    metrics_count(request->loop->counts, MEMORY_MISS);
    const struct charge charge = product_type(recipe)->charge(recipe);
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    return fetch_or_render(request, recipe, &key, product_completed);
}

enum handler_result product_respond_chunk(struct http_request *request,
                                          const struct chunk_order *order,
                                          const struct chunk_address *address,
                                          struct problem *problem)
{
    if (!chunk_check_range(order, address, problem) ||
        !chunk_check_samples(order, 1, request->generation->chunk_samples, problem))
        return HANDLER_FAILED;
    const struct recipe recipe = {
        .world = request->world,
        .product = order->shape == CHUNK_VOLUME ? PRODUCT_VOLUME : PRODUCT_CHUNK,
        .chunk = {*order, *address,
                  headers_select_coding(&request->headers, order->format->codings)},
    };
    return product_respond(request, &recipe, problem);
}
