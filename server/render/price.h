/* The price of making a response, known before any of it is made.
 *
 * A price is a time: nanoseconds of one core of the machine of tests/bench/README.md, for sampling
 * (core/price/sampling.h) as for all other work, so that one number bounds them all and is the same
 * on every machine. `make bench-prices` compares it with the processor time that requests take.
 *
 * Pure functions of the order, without allocation. A price is an upper bound where the work depends
 * on what a search finds, or on what a place makes needless. */
#ifndef TERRANE_SERVER_RENDER_PRICE_H
#define TERRANE_SERVER_RENDER_PRICE_H

#include "core/labels/label_place.h"
#include "core/price/sampling.h"
#include "core/worldfile/world.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"

/* Nanoseconds for each number of an output. */
#define PRICE_NUMBER 2.0 /* in binary, or in memory */
#define PRICE_TEXT 70.0  /* in decimal, compressed */

uint64_t price_tile(const struct tile_order *order);
/* The same by the format of the tile, for its row: of painting a picture, of one layer's samples,
 * of contours and objects, of a mesh with the ring around it. */
uint64_t tile_price_painted(const struct tile_order *order);
uint64_t tile_price_samples(const struct tile_order *order);
uint64_t tile_price_features(const struct tile_order *order);
uint64_t tile_price_mesh(const struct tile_order *order);

/* Where the chunks of a request lie, for what they share: metres across, and in how many pieces
 * they are sampled; and the rectangle, or null if they do not fill one. */
struct chunk_spread {
    double extent;
    size_t pieces;
    const struct sampling_where *where;
};
/* The rectangle of chunks from a first one, which is in range, on to the east and south. */
struct sampling_where chunk_where(const struct chunk_order *order, const struct chunk_area *area);

/* The price of the chunks or volumes of one order, whatever their number. It is kept, as finding it
 * walks the world's program. */
struct chunk_price {
    const struct chunk_order *order;
    struct sampling_price sampling;
    double encode;    /* nanoseconds for a chunk */
    uint64_t objects; /* and for what stands on it; 0 if that is not asked for */
};
struct chunk_price price_chunk(const struct chunk_order *order, enum coding coding,
                               struct chunk_spread spread);
/* `count` of them: each sampled by itself, or all sampled as one area. */
uint64_t price_chunks(const struct chunk_price *chunk, size_t count);
uint64_t price_chunk_area(const struct chunk_price *chunk, const struct chunk_area *area,
                          size_t count);

/* Some layers, and how they are sampled: at single places if the step is 0. */
struct price_layers {
    const struct world *world;
    const unsigned *layers;
    unsigned count;
    struct sampling sampling;
};
/* Samples of each of the layers on a grid, and `each` nanoseconds for every number. */
uint64_t price_grid(const struct price_layers *layers, uint32_t columns, uint32_t rows,
                    double each);
/* Samples of each of the layers at single places, in `lists` calls of the sampler. */
uint64_t price_points(const struct price_layers *layers, double points, double lists, double each);
/* The same for places in an order that keeps near ones together, in one call. */
uint64_t price_place_list(const struct price_layers *layers, const struct place *places,
                          size_t count, double each);
/* All layers of the world at so many places, in as many calls. */
uint64_t price_places(const struct world *world, double places, double each);
/* So many nanoseconds, rounded. */
uint64_t price_nanoseconds(double nanoseconds);
/* Following the water through a drainage network: one way, whatever its length. */
uint64_t price_trace(const struct world *world);
/* The streams of a rectangle. */
struct price_rivers {
    const struct world *world;
    unsigned level;       /* the finest */
    double width, height; /* metres */
    double apart;         /* metres between vertices of lines */
    double each;          /* nanoseconds for each stream besides */
    bool whole;           /* lines are not cut at the rectangle */
};
uint64_t price_rivers(const struct price_rivers *rivers);
/* The labels of a rectangle at a zoom. */
struct price_labels {
    const struct world *world;
    int zoom;
    double width, height; /* metres */
};
uint64_t price_labels(const struct price_labels *labels);
/* The names of what is around a place. */
uint64_t price_label_place(const struct world *world);
/* A search for names: by the area of its circle on the maps of all zooms that show it. */
uint64_t price_label_search(const struct world *world, const struct label_search *search);

#endif
