/* What price.c and price_labels.c share: times in nanoseconds, not rounded. Internal to
 * server/render. */
#ifndef TERRANE_SERVER_RENDER_PRICE_PRIVATE_H
#define TERRANE_SERVER_RENDER_PRICE_PRIVATE_H

#include "server/render/price.h"

/* price.c: samples of a grid, by their price. */
double price_grid_time(struct sampling_price price, uint32_t columns, uint32_t rows);
/* Samples of height, so many metres apart and at that level of detail, in a square of so many. */
double price_heights_time(const struct world *world, double step, uint32_t side);
/* The streams of a rectangle. */
double price_rivers_time(const struct price_rivers *rivers);

/* price_labels.c: peaks and names of a vector tile; 0 if it has none. */
double price_tile_labels_time(const struct tile_order *order);

#endif
