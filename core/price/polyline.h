/* The price of a sample of path() or area(); internal to core/price. */
#ifndef TERRANE_PRICE_POLYLINE_H
#define TERRANE_PRICE_POLYLINE_H

#include "core/price/sampling_price.h"
#include "core/program/program.h"

/* The price that was found last, as operations of one polyline follow each other. */
struct polyline_price {
    uint32_t view; /* of the program; UINT32_MAX for none */
    float reach;
    double time;
};
/* True if the operation is "distance < reach" of a line that is beyond the reach of all samples,
 * and so 0 everywhere. */
bool price_polyline_is_far(const struct program *program, const struct operation *operation,
                           const struct sampling_where *where);
/* Nanoseconds for a sample of an operation OP_POLYLINE_…. */
double price_polyline(const struct program *program, const struct operation *operation,
                      struct sampling sampling, struct polyline_price *last);

#endif
