/* Objects depend on their neighbourhoods alone (core/terrain/objects.h), so each chunk is searched
 * by itself and has the records of /objects.bin for its square, in the same order. */
#include "server/http/products/chunk_objects.h"

#include "server/queries/query.h"

#define OBJECT_TIME 50.0 /* nanoseconds to write a record */

struct object_search chunk_objects_search(const struct chunk_order *order,
                                          const struct chunk_address *address)
{
    const int64_t side = order->size * order->step;
    const struct place low = {address->x * side, address->y * side};
    return (struct object_search){
        .low = low,
        .high = {low.x + side, low.y + side},
        .kinds = OBJECTS_ALL_KINDS,
        .limit = QUERY_OBJECTS_MAX,
        .ground = true,
    };
}

size_t chunk_objects_bytes(const struct chunk_order *order)
{
    const struct object_search search = chunk_objects_search(order, &(struct chunk_address){0});
    return (size_t)(OBJECT_RECORD_BYTES * object_search_most(order->world, &search));
}

uint64_t chunk_objects_price(const struct chunk_order *order, const struct chunk_spread *spread)
{
    const struct object_search search = chunk_objects_search(order, &(struct chunk_address){0});
    return price_object_search(order->world, &search, OBJECT_TIME, spread);
}
