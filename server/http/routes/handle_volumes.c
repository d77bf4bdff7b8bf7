/* Volumes: cubes of samples, for worlds whose layers depend on z. */
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/respond.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"

enum handler_result handle_volume(struct http_request *request, struct problem *problem)
{
    const struct target_text *const *path = request->captures;
    struct parameter_values values;
    struct chunk_order order = {.shape = CHUNK_VOLUME};
    struct chunk_address address;
    size_t digits;
    if (!chunk_parse_format(path[2], &digits, &order, problem) ||
        !chunk_parse_index(path[0]->text, path[0]->length, "cx", &address.x, problem) ||
        !chunk_parse_index(path[1]->text, path[1]->length, "cy", &address.y, problem) ||
        !chunk_parse_index(path[2]->text, digits, "cz", &address.z, problem) ||
        !router_read_parameters(request, &values, problem))
        return HANDLER_FAILED;
    chunk_order_set_values(&order, &values);
    if (!resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    order.world = request->world->world;
    if (!chunk_add_layer(values.layer, &order, problem))
        return HANDLER_FAILED;
    return product_respond_chunk(request, &order, &address, problem);
}
