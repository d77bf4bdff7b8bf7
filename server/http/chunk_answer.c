#include "server/http/chunk_answer.h"

#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/product.h"

bool chunk_admit(struct exchange *exchange, const struct chunk_order *order, size_t count,
                 struct problem *problem)
{
    const struct charge charge = {
        cost_chunks(order, count) + cost_promise(exchange->world),
        count > 1 ? "fewer or smaller chunks, fewer layers or a coarser step"
                  : "a smaller size, fewer layers or a coarser step",
        order->shape == CHUNK_VOLUME ? "/volumes/0/0/0.r32f?size=16" : "/chunks/0/0.r32f?size=64",
    };
    return admission_check(exchange, &charge, problem);
}

enum handled chunk_answer(struct exchange *exchange, const struct chunk_order *order,
                          const struct chunk_address *address, struct problem *problem)
{
    if (!chunk_check_range(order, address, problem) ||
        !chunk_check_samples(order, 1, exchange->generation->chunk_samples, problem))
        return FAILED;
    const struct recipe recipe = {
        .world = exchange->world,
        .is_chunk = true,
        .chunk = {*order, *address, headers_coding(&exchange->headers, order->format->codings)},
    };
    return product_answer(exchange, &recipe, problem);
}
