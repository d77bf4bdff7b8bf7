/* The steps of a request for a product: a tile, a chunk or a volume. Its work is the recipe, which
 * the route completes; the rest is the same for all. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_RESPOND_H
#define TERRANE_SERVER_HTTP_PRODUCTS_RESPOND_H

#include "server/http/jobs/admission.h"
#include "server/http/products/recipe.h"

/* Begins a recipe of the request's world, the request's work from now on, zeroed but for world and
 * product. Null with 503 when memory is out. */
struct recipe *product_begin(struct http_request *request, enum product product,
                             struct problem *problem);
/* The recipe that was begun. */
struct recipe *product_recipe(const struct http_request *request);

/* Answers from the memory cache, or 304 from the complete recipe alone; CONTINUE otherwise. */
http_handler product_find;
bool product_charge(struct http_request *request, struct charge *charge, struct problem *problem);
/* Answers once the product has been found in a tier or rendered, which compiles the world if need
 * be. */
http_handler product_make;

#endif
