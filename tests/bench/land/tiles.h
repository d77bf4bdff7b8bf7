/* Samples of tiles of a world, by the public library alone, and a rule that chooses tiles of land.
 */
#ifndef TERRANE_BENCH_LAND_TILES_H
#define TERRANE_BENCH_LAND_TILES_H

#include "core/sampling/sampler.h"
#include "core/terrane.h"
#include "core/tile/address.h"
#include "tests/bench/land/flow.h"

enum {
    LAND_TILE = 256,  /* samples along a tile */
    LAND_MARGIN = 64, /* more of them on each side */
    LAND_SIDE = LAND_TILE + 2 * LAND_MARGIN,
    LAND_ZOOM_MAX = 17, /* samples 1 m apart */
};

/* A world and room for the samples of one grid. */
struct land_world {
    struct terrane_world *world;
    struct terrane_sampler *sampler;
    struct sampler *courses; /* that of streams (courses.h) */
    unsigned layers[3];      /* the heights, and the level of water and the vegetation if wanted */
    int water_at, vegetation_at; /* their places in `layers`, −1 if they are not there */
    unsigned layer_count;
    float *outputs[3]; /* of these layers */
    unsigned char *under;
};

/* All functions end the program with a message when something fails. */
void land_world_open(struct land_world *land, const char *file);
void land_world_close(struct land_world *land);
/* From now on, if the world has a layer "vegetation", 0 … 1, tiles are chosen only where its mean
 * is three quarters or more, and what is bare counts as under water in grids: samples where it is
 * less than a half. */
void land_world_want_vegetation(struct land_world *land);

/* Metres between the samples of a tile. */
double land_spacing(int zoom);
/* The tile of a zoom that holds the middle of another tile. */
struct tile_address land_tile_around(const struct tile_address *tile, int zoom);

/* The place in the middle of a tile. */
struct place land_tile_middle(const struct tile_address *tile);

/* Samples a tile at the level of detail `spacing`: LAND_TILE² samples in the middle of their
 * pixels, and `margin` more on every side, at most LAND_MARGIN. The grid is valid until the next
 * call. */
struct land_grid land_sample(struct land_world *land, const struct tile_address *tile,
                             uint32_t margin, double spacing);

/* Chooses `count` different tiles of a zoom: the first that are land in the order of
 * tests/bench/choice.h. */
void land_choose(struct land_world *land, int zoom, uint64_t seed, unsigned count,
                 struct tile_address *tiles);

#endif
