/* An order of places that keeps near ones together, in which a list of them is sampled fastest. */
#ifndef TERRANE_TERRAIN_PLACE_ORDER_H
#define TERRANE_TERRAIN_PLACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"

/* Sorts at most 2³² − 1 places by the Z-order (G. M. Morton, 1966) of the box around them: each
 * quadrant of the square whose north-west corner is that of the box, and whose side is a power of
 * two, is in one piece, and so is each quadrant of a quadrant, down to 2⁻³² of the square. ranks[i]
 * becomes the index of what was places[i]. False when memory is out. */
bool place_order_sort(struct place *places, uint32_t *ranks, size_t count);

#endif
