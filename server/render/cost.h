/* The cost of making a response, known before any of it is made.
 *
 * The unit is an octave-sample: one octave of noise at one sample, half a nanosecond of one core of
 * the machine of tests/bench/README.md. All kinds of work are measured in it, so that one number
 * bounds them all: `make bench-prices` compares each with the processor time that it takes.
 * Settings and messages count in millions, of which a core does two thousand in a second.
 *
 * Pure functions of the order, without allocation. Where the work depends on what a search finds,
 * or on what a place makes needless, the cost is an upper bound. */
#ifndef TERRANE_SERVER_RENDER_COST_H
#define TERRANE_SERVER_RENDER_COST_H

#include "core/price/sampling.h"
#include "core/worldfile/world.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/resolved_world.h"

#define COST_MILLION ((uint64_t)1000000)
/* In the time of that machine. */
static inline double cost_nanoseconds(uint64_t cost)
{
    return 0.5 * (double)cost;
}
static inline double cost_seconds(uint64_t cost)
{
    return cost_nanoseconds(cost) * 1e-9;
}

/* The cost of a request besides what it asks for: reading it, waking a thread, sending the
 * response.
 */
#define COST_REQUEST ((uint64_t)40000)

/* Nanoseconds for each number of an output. */
#define COST_NUMBER 2.0 /* in binary, or in memory */
#define COST_TEXT 70.0  /* in decimal, compressed */

uint64_t cost_tile(const struct tile_order *order);

/* Where the chunks of a request lie, for what they share: metres across, and in how many pieces
 * they are sampled. */
struct chunk_spread {
    double extent;
    size_t pieces;
};

/* The price of the chunks or volumes of one order, whatever their number. It is kept, as finding it
 * walks the world's program. */
struct chunk_price {
    const struct chunk_order *order;
    struct sampling_price work;
    double encode; /* nanoseconds for a chunk */
};
struct chunk_price cost_chunk_price(const struct chunk_order *order, enum coding coding,
                                    struct chunk_spread spread);
/* `count` of them: each sampled by itself, or all sampled as one area. */
uint64_t cost_chunks(const struct chunk_price *chunk, size_t count);
uint64_t cost_chunk_area(const struct chunk_price *chunk, const struct chunk_area *area,
                         size_t count);

/* Some layers, and how they are sampled: at single places if the step is 0. */
struct cost_layers {
    const struct world *world;
    const unsigned *layers;
    unsigned count;
    struct sampling sampling;
};
/* Samples of each of the layers on a grid, and `each` nanoseconds for every number. */
uint64_t cost_grid(const struct cost_layers *layers, uint32_t columns, uint32_t rows, double each);
/* Samples of each of the layers at single places, in `lists` calls of the sampler. */
uint64_t cost_points(const struct cost_layers *layers, double points, double lists, double each);
/* The same for places in an order that keeps near ones together, in one call. */
uint64_t cost_place_list(const struct cost_layers *layers, const struct place *places, size_t count,
                         double each);
/* All layers of the world at so many places, in as many calls. */
uint64_t cost_places(const struct world *world, double places, double each);
/* So many nanoseconds (core/price/sampling.h). */
uint64_t cost_time(double nanoseconds);
/* Following the water through a drainage network: one way, whatever its length. */
uint64_t cost_trace(const struct world *world);
/* The streams of a rectangle. */
struct cost_rivers {
    const struct world *world;
    unsigned level;       /* the finest */
    double width, height; /* metres */
    double apart;         /* metres between vertices of lines */
    double each;          /* nanoseconds for each stream besides */
};
uint64_t cost_rivers(const struct cost_rivers *rivers);
/* Compiling the world with its seed; 0 if it is compiled. */
uint64_t cost_compile(const struct resolved_world *world);

#endif
