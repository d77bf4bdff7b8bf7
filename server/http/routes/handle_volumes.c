#include "server/http/products/chunk_parameters.h"
#include "server/http/products/respond.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"

enum handler_result handle_volume(struct http_request *request, struct problem *problem)
{
    const struct http_target *target = &request->target;
    const struct target_text *const *path = request->captures;
    const struct target_parameter *layer = target_find(target, "layer");
    struct chunk_order order;
    struct chunk_address address;
    size_t digits;
    chunk_order_set_defaults(&order, CHUNK_VOLUME);
    if (!chunk_parse_format(path[2], &digits, &order, problem) ||
        !chunk_parse_index(path[0]->text, path[0]->length, "cx", &address.x, problem) ||
        !chunk_parse_index(path[1]->text, path[1]->length, "cy", &address.y, problem) ||
        !chunk_parse_index(path[2]->text, digits, "cz", &address.z, problem) ||
        !chunk_parse_parameters(target, &order, problem))
        return HANDLER_FAILED;
    if (!resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    order.world = request->world->world;
    if (!chunk_add_layer(layer ? layer->value.text : "density", &order, problem))
        return HANDLER_FAILED;
    return product_respond_chunk(request, &order, &address, problem);
}
