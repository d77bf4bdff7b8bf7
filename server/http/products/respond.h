/* Responses with a product: a tile, a chunk or a volume. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_RESPOND_H
#define TERRANE_SERVER_HTTP_PRODUCTS_RESPOND_H

#include "server/http/jobs/http_request.h"
#include "server/http/products/recipe.h"

/* Answers with the recipe's product: from the memory cache, or 304 from the recipe alone, or once
 * it has been found in a tier or rendered. The recipe is complete and of the request's world. */
enum handler_result product_respond(struct http_request *request, const struct recipe *recipe,
                                    struct problem *problem);
/* product_respond() for a chunk or volume, by its shape. `order` and `address` are complete and of
 * the request's world; HANDLER_FAILED with 404 or 413 if they are out of range or too large. */
enum handler_result product_respond_chunk(struct http_request *request,
                                          const struct chunk_order *order,
                                          const struct chunk_address *address,
                                          struct problem *problem);

#endif
