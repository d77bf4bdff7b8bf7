/* Where tiles are measured: tests/bench/choice.h says why by land. */
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

/* Chooses PLACES different tiles of a zoom, land before sea: the first that are land, and the first
 * that have none, in the order of choice.h with seed 0. Below PLACES_CHOSEN_ZOOM the first of all.
 * Ends the program with a message if there are too few. */
void places_choose(struct sampler *sampler, const struct world *world, int zoom,
                   struct tile_address places[PLACES]);

#endif
