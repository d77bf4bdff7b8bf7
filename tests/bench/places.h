/* Where tiles are measured: what one costs depends on how much of it is land, so places are chosen
 * by that, and figures of two versions of a world compare whatever land each has. */
#ifndef TERRANE_BENCH_PLACES_H
#define TERRANE_BENCH_PLACES_H

#include "core/sampling/sampler.h"
#include "core/tile/address.h"
#include "core/worldfile/world.h"

enum {
    PLACES = 6,
    PLACES_LAND = 4,        /* so many of them; the others are sea */
    PLACES_CHOSEN_ZOOM = 4, /* coarser tiles are a continent or more, and all are mixed */
};

/* Chooses PLACES different tiles of a zoom, land before sea: the first that are nine tenths land,
 * and the first that have none, by 16 × 16 heights of each, in a sequence of tiles within ±2²⁷ m
 * that follows from the zoom alone. Below PLACES_CHOSEN_ZOOM the first of the sequence. Ends the
 * program with a message if there are too few. */
void places_choose(struct sampler *sampler, const struct world *world, int zoom,
                   struct tile_address places[PLACES]);

#endif
