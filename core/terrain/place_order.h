/* An order of places that keeps near ones together, in which a list of them is sampled fastest. */
#ifndef TERRANE_TERRAIN_PLACE_ORDER_H
#define TERRANE_TERRAIN_PLACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"

/* Sorts the places by their Z-order (G. M. Morton, 1966): a quadrant of any square is in one piece.
 * order[i] is the former index of what is now places[i]. False when memory is out. */
bool place_order_sort(struct place *places, size_t *order, size_t count);

#endif
