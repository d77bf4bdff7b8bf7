/* An order of places that keeps near ones together, in which a list of them is sampled fastest. */
#ifndef TERRANE_BASE_PLACE_ORDER_H
#define TERRANE_BASE_PLACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"

/* Sorts at most 2³² − 1 places by the Z-order (G. M. Morton, 1966) of the box around them: each
 * quadrant of the square whose north-west corner is that of the box, and whose side is a power of
 * two, is in one piece, and so is each quadrant of a quadrant, down to 2⁻³² of the square. ranks[i]
 * becomes the index of what was places[i]. False when memory is out. */
bool place_order_sort(struct place *places, uint32_t *ranks, size_t count);

/* A place's position in the order, and its index in a list. */
struct place_key {
    uint64_t key;
    uint32_t index;
};
/* The keys of a list of one place or more in that order, but down to 2^-bits of the square only, at
 * most 32 bits; places that are nearer each other keep the order of the list. `memory` has room for
 * twice as many keys; what is returned is a half of it. Null if the list is in order already. */
const struct place_key *place_order_find(const struct place *places, size_t count, unsigned bits,
                                         struct place_key *memory);

#endif
