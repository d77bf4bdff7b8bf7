/* The steps of a request for a product, cheapest first:
 *
 * 1. The memory cache has it: its response, made once and shared, is sent (200 or 304).
 * 2. The client has it: its entity tag is a hash of the recipe, so 304 needs no rendering and no
 *    look at the other tiers.
 * 3. The price is known from the recipe, and admitted.
 * 4. fetch_or_render() finds it in a tier or renders it, once for all who ask meanwhile.
 *
 * Only the first step is counted as a hit or a miss of the memory cache, and only the client whose
 * request had the product rendered pays for it. */
#include "server/http/products/respond.h"

#include <stdlib.h>

#include "server/http/jobs/server_state.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/fetch_or_render.h"
#include "server/http/products/product_type.h"

struct product_work {
    struct recipe recipe;
    struct cache_key key;
};

struct recipe *product_begin(struct http_request *request, enum product product,
                             struct problem *problem)
{
    struct product_work *work = calloc(1, sizeof *work);
    if (!work) {
        problem_out_of_memory(problem);
        return NULL;
    }
    request->work = work;
    request->work_free = free;
    work->recipe.product = product;
    work->recipe.world = &request->worlds[0];
    return &work->recipe;
}

struct recipe *product_recipe(const struct http_request *request)
{
    return &((struct product_work *)request->work)->recipe;
}

enum handler_result product_find(struct http_request *request, struct problem *problem)
{
    struct product_work *work = request->work;
    const struct representation form = product_representation(&work->recipe);
    const struct response_caching caching = {response_cache_policy(request->is_pinned),
                                             form.varies};
    char etag[ETAG_TEXT];
    (void)problem;
    product_key(&work->recipe, &work->key);
    request->product.cached =
        cached_response_of_value(memory_cache_get(request->server->cache, &work->key));
    if (request->product.cached) {
        metrics_count(request->loop->counts, MEMORY_HIT);
        return cached_response_respond(request, false);
    }
    etag_write(work->key.hash, etag);
    if (response_not_modified(request, etag, caching)) {
        if (form.negotiated)
            response_depends_on_accept(request);
        return HANDLER_DONE;
    }
    metrics_count(request->loop->counts, MEMORY_MISS);
    return HANDLER_CONTINUE;
}

bool product_charge(struct http_request *request, struct charge *charge, struct problem *problem)
{
    const struct recipe *recipe = product_recipe(request);
    (void)problem;
    *charge = product_type(recipe)->charge(recipe);
    return true;
}

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

enum handler_result product_make(struct http_request *request, struct problem *problem)
{
    const struct product_work *work = request->work;
    (void)problem;
    return fetch_or_render(request, &work->recipe, &work->key, product_completed);
}
