/* The time that samples of the drainage network take; internal to sampling.c. */
#ifndef TERRANE_PRICE_DRAINAGE_H
#define TERRANE_PRICE_DRAINAGE_H

#include "core/price/sampling_price.h"
#include "core/program/program.h"

/* Metres between the nodes, about, as far as the level of detail of their fields goes. */
#define DRAINAGE_NODES_APART 8192.0

/* The price of a sample of the fields at the network's nodes, in a list of places that are
 * anywhere: of all nodes, and what is added at those of streams that may have lakes. */
struct field_prices {
    double fields, lakes;
};

/* The price of the operations OP_DRAINAGE among those listed, from the last one on. */
struct sampling_price price_drainage(const struct program *program, const uint16_t *list,
                                     uint32_t count, const struct field_prices *prices,
                                     struct sampling sampling);

#endif
