/* Products that are not in the memory cache: looked for in the tiers behind it on fetch threads,
 * then rendered on render threads; each once, however many requests wait for it. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_FETCH_OR_RENDER_H
#define TERRANE_SERVER_HTTP_PRODUCTS_FETCH_OR_RENDER_H

#include "server/http/jobs/http_request.h"
#include "server/http/products/recipe.h"

/* Waits for the product: joins the job that makes it, or starts one. `resume` is called with
 * request->product filled, or, without a product, with the request's problem; before this returns
 * if there is nothing to wait for. */
enum handler_result fetch_or_render(struct http_request *request, const struct recipe *recipe,
                                    const struct cache_key *key, http_handler *resume);

#endif
