/* The cost of making a response, known before any of it is made.
 *
 * The unit is an octave-sample: one octave of two-dimensional noise at one sample, about half a
 * nanosecond of one core. A cost is samples × (octaves of the layers that the response needs + a
 * constant for painting, encoding and copying a sample), so a 256 × 256 tile of a layer
 * of 8 octaves costs 65,536 × (8 + COST_SAMPLE), 2.1 million. Settings and messages count in
 * millions.
 *
 * Pure functions of the order, without allocation. Where the work depends on what a search finds,
 * the cost is an upper bound. */
#ifndef TERRANE_SERVER_RENDER_COST_H
#define TERRANE_SERVER_RENDER_COST_H

#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/catalog.h"

#define COST_MILLION ((uint64_t)1000000)

enum {
    /* Octaves that the way of a sample into a response is worth: */
    COST_SAMPLE = 24,  /* as a pixel or a binary number, */
    COST_FEATURE = 48, /* where contours are traced, */
    COST_TEXT = 128,   /* as a decimal number. */
    COST_POINT = 4,    /* grid samples that a single place is worth, as it shares no row */
};

uint64_t cost_tile(const struct tile_order *order);
/* `count` chunks or volumes of one order. */
uint64_t cost_chunks(const struct chunk_order *order, size_t count);
/* Samples of each of the layers, on a grid or at single places. `spacing` is in metres, 0 for full
 * detail. */
struct cost_layers {
    const struct world *world;
    const unsigned *layers;
    unsigned count;
    double spacing;
};
uint64_t cost_grid(const struct cost_layers *layers, uint64_t samples);
uint64_t cost_points(const struct cost_layers *layers, uint64_t points);
/* All layers of the world at single places. */
uint64_t cost_places(const struct world *world, uint64_t places, double spacing);
/* Compiling the world with another seed. */
uint64_t cost_compile(const struct catalog_world *world);
/* cost_compile() of a lazy world, 0 of one that is compiled. */
uint64_t cost_lazy_world(const struct catalog_world *world);

#endif
