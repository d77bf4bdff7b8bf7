#include "server/http/chunk_answer.h"
#include "server/http/handlers.h"
#include "server/http/resolve.h"

enum handled handle_volume(struct exchange *exchange, struct problem *problem)
{
    const struct request *request = &exchange->request;
    const struct request_text *const *path = exchange->captures;
    const struct request_argument *layer = request_find(request, "layer");
    struct chunk_order order;
    struct chunk_address address;
    size_t digits;
    chunk_order_begin(&order, CHUNK_VOLUME);
    if (!chunk_parse_format(path[2], &digits, &order, problem) ||
        !chunk_parse_index(path[0]->text, path[0]->length, "cx", &address.x, problem) ||
        !chunk_parse_index(path[1]->text, path[1]->length, "cy", &address.y, problem) ||
        !chunk_parse_index(path[2]->text, digits, "cz", &address.z, problem) ||
        !chunk_parse_arguments(request, &order, problem))
        return FAILED;
    if (!resolve_promise(exchange, exchange->world_text, problem))
        return FAILED;
    order.world = exchange->world->world;
    if (!chunk_add_layer(layer ? layer->value.text : "density", &order, problem))
        return FAILED;
    return chunk_answer(exchange, &order, &address, problem);
}
