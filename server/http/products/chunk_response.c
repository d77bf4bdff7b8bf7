#include "server/http/products/chunk_response.h"

#include "server/http/jobs/admission.h"
#include "server/http/products/product_type.h"
#include "server/render/cost.h"

bool chunk_check_cost(struct http_request *request, const struct chunk_order *order, size_t count,
                      struct problem *problem)
{
    const struct charge charge = {
        cost_chunks(order, count) + cost_lazy_world(request->world),
        count > 1 ? "fewer or smaller chunks, fewer layers or a coarser step"
                  : "a smaller size, fewer layers or a coarser step",
        order->shape == CHUNK_VOLUME ? "/volumes/0/0/0.r32f?size=16" : "/chunks/0/0.r32f?size=64",
    };
    return admission_check_cost(request, &charge, problem);
}

enum handler_result chunk_respond(struct http_request *request, const struct chunk_order *order,
                                  const struct chunk_address *address, struct problem *problem)
{
    if (!chunk_check_range(order, address, problem) ||
        !chunk_check_samples(order, 1, request->generation->chunk_samples, problem))
        return HANDLER_FAILED;
    const struct recipe recipe = {
        .world = request->world,
        .is_chunk = true,
        .chunk = {*order, *address,
                  headers_select_coding(&request->headers, order->format->codings)},
    };
    return product_respond(request, &recipe, problem);
}
