/* What an answer costs to make, known before any of it is made.
 *
 * The unit is an octave-sample: one octave of two-dimensional noise at one sample, about half a
 * nanosecond of one core. A cost is samples × (octaves of the layers that the answer
 * needs + what a sample costs besides: painting, encoding, copying), so a 256 × 256 tile of a layer
 * of 8 octaves costs 65,536 × (8 + COST_SAMPLE), 2.1 million. Settings and messages count in
 * millions.
 *
 * Pure functions of the order; no memory is taken. Costs are upper bounds where how much has to be
 * looked at depends on what is found. */
#ifndef TERRANE_SERVER_RENDER_COST_H
#define TERRANE_SERVER_RENDER_COST_H

#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/catalog.h"

#define COST_MILLION ((uint64_t)1000000)

enum {
    COST_SAMPLE = 24,  /* octaves that a sample's way into an answer is worth, */
    COST_FEATURE = 48, /* where contours are traced, */
    COST_TEXT = 128,   /* or where it is written in decimal */
    COST_POINT = 4,    /* places of a grid that a place by itself is worth: it shares no row */
};

uint64_t cost_tile(const struct tile_order *order);
/* `count` chunks or volumes of one order. */
uint64_t cost_chunks(const struct chunk_order *order, size_t count);
/* So many samples of each of the layers: on a grid, or places of their own. Spacing in metres, 0
 * for full detail. */
struct cost_layers {
    const struct world *world;
    const unsigned *layers;
    unsigned count;
    double spacing;
};
uint64_t cost_grid(const struct cost_layers *layers, uint64_t samples);
uint64_t cost_points(const struct cost_layers *layers, uint64_t points);
/* All layers of the world at so many places. */
uint64_t cost_places(const struct world *world, uint64_t places, double spacing);
/* Compiling the world with another seed. */
uint64_t cost_compile(const struct catalog_world *world);
/* The same if the world is but a promise; else 0. */
uint64_t cost_promise(const struct catalog_world *world);

#endif
