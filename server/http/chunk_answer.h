/* Single chunks and volumes: cached, shared and made as tiles are. */
#ifndef TERRANE_SERVER_HTTP_CHUNK_ANSWER_H
#define TERRANE_SERVER_HTTP_CHUNK_ANSWER_H

#include "server/http/chunk_request.h"
#include "server/http/exchange.h"

/* `order` and `address` are complete and of the exchange's world; here it is checked that they are
 * in range and not too large. */
enum handled chunk_answer(struct exchange *exchange, const struct chunk_order *order,
                          const struct chunk_address *address, struct problem *problem);
/* Whether so many chunks may be made for the exchange: see admission.h. */
bool chunk_admit(struct exchange *exchange, const struct chunk_order *order, size_t count,
                 struct problem *problem);

#endif
