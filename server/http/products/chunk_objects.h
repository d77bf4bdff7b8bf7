/* The objects of the chunks of a batch: those in the square that is a chunk's own, without its
 * apron and without its south and east borders, which are its neighbours'. So chunks side by side
 * have each object once. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_OBJECTS_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_OBJECTS_H

#include "server/http/products/chunk_batch.h"
#include "server/render/object_records.h"

/* The search for all kinds of objects of a chunk; the address is in range. */
struct object_search chunk_objects_search(const struct chunk_order *order,
                                          const struct chunk_address *address);
/* Bytes of a chunk's objects, at most. */
size_t chunk_objects_bytes(const struct chunk_order *order);
/* Nanoseconds for the objects of one of the chunks that are spread so, a piece each. */
uint64_t chunk_objects_price(const struct chunk_order *order, const struct chunk_spread *spread);

#endif
