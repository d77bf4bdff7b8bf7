/* Single chunks and volumes: cached, shared and made as tiles are. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_RESPONSE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_RESPONSE_H

#include "server/http/http_request.h"
#include "server/http/products/chunk_parameters.h"

/* `order` and `address` are complete and of the exchange's world; here it is checked that they are
 * in range and not too large. */
enum handler_result chunk_respond(struct http_request *request, const struct chunk_order *order,
                                  const struct chunk_address *address, struct problem *problem);
/* Whether so many chunks may be made for the exchange: see admission.h. */
bool chunk_check_cost(struct http_request *request, const struct chunk_order *order, size_t count,
                      struct problem *problem);

#endif
