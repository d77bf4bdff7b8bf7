/* Random places with their neighbours, where it is measured what moves do to the plane. Internal to
 * core/price. */
#ifndef TERRANE_PRICE_CORNERS_H
#define TERRANE_PRICE_CORNERS_H

#include "core/base/place.h"

/* A place, and its neighbours to the east and to the south. */
enum { CORNERS = 3 };

/* Writes those of a place by a hash, within ±2^(reach_bits − 1) m of the origin; the neighbours are
 * so many units of 2⁻¹⁶ m apart from it. */
static inline void corners_write(uint64_t hash, unsigned reach_bits, int64_t apart,
                                 struct place corners[CORNERS])
{
    const int64_t mask = ((int64_t)1 << reach_bits) - 1, middle = (int64_t)1 << (reach_bits - 1);
    const struct place place = {(((int64_t)hash & mask) - middle) * PLACE_METRE,
                                (((int64_t)(hash >> 32) & mask) - middle) * PLACE_METRE};
    corners[0] = place;
    corners[1] = (struct place){place.x + apart, place.y};
    corners[2] = (struct place){place.x, place.y + apart};
}

#endif
