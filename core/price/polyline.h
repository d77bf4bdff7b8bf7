/* The price of a sample of path() or area(); internal to core/price. */
#ifndef TERRANE_PRICE_POLYLINE_H
#define TERRANE_PRICE_POLYLINE_H

#include "core/price/sampling_price.h"
#include "core/program/program.h"

/* Nanoseconds for a sample of an operation OP_POLYLINE_…. */
double price_polyline(const struct program *program, const struct operation *operation,
                      struct sampling sampling);

#endif
