/* The price of sampling layers, without sampling them: requests are admitted by it. The limit that
 * refuses the formula of a layer is another, check_cost() in core/worldfile/build_program.c. */
#ifndef TERRANE_PRICE_SAMPLING_H
#define TERRANE_PRICE_SAMPLING_H

#include "core/price/sampling_price.h"
#include "core/program/program.h"
#include "core/sampling/sample_request.h"

/* The price of these layers together; operations that they share count once. Octaves that are faded
 * out at the spacing do not count. What a factor of 0 or a condition makes needless at some places
 * counts for its greater part. The seed makes no difference. */
struct sampling_price price_sampling(const struct program *program, const unsigned *layers,
                                     unsigned count, struct sampling sampling);

/* Keeps the prices of what every sample of the drainage network needs, in a program that nobody
 * else reads yet: all are told sooner, and are the same. False when memory is out. */
bool price_keep_fields(struct program *program);

/* Where a grid lies. */
static inline struct sampling_where sampling_where_grid(const struct sample_grid *grid)
{
    return (struct sampling_where){.low = {grid->x, grid->y},
                                   .high = {grid->x + (grid->columns - 1) * grid->step,
                                            grid->y + (grid->rows - 1) * grid->step}};
}

#endif
