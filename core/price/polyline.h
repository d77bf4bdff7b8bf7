/* The price of a sample of path() or area(); internal to core/price. */
#ifndef TERRANE_PRICE_POLYLINE_H
#define TERRANE_PRICE_POLYLINE_H

#include "core/price/sampling_price.h"
#include "core/program/program.h"

/* What one pricing of a program knows of its polylines: the price that was found last, as
 * operations of one polyline follow each other, and what all of them may look at together. */
struct polyline_price {
    uint32_t view; /* of the program; UINT32_MAX for none */
    float reach;
    double time, most_time; /* nanoseconds: the last one, and the highest one so far */
    double visits_left;
};
#define POLYLINE_PRICE_VISITS 120000.0 /* at first; those of four views that look at too much */
/* True if the operation is "distance < reach" of a line that is beyond the reach of all samples,
 * and so 0 everywhere. */
bool price_polyline_is_far(const struct program *program, const struct operation *operation,
                           const struct sampling_where *where);
/* Nanoseconds for a sample of an operation OP_POLYLINE_…. Once too few visits are left for another
 * view, it takes as long as the highest price before it, or the usual one where that is higher. */
double price_polyline(const struct program *program, const struct operation *operation,
                      struct sampling sampling, struct polyline_price *last);

#endif
