/* What is known of the places that may be summits of a level (summits.h), in blocks that the
 * sampler's cache keeps (drainage/store/cache.h). Internal to core/terrain.
 *
 * The grid of a level is divided into squares of SUMMITS_REACH steps. A square has at most one grid
 * point that is higher than everything within SUMMITS_REACH steps: its top. A block is 4 × 4
 * squares, which become known one by one; a search works with copies of blocks. */
#ifndef TERRANE_TERRAIN_SUMMIT_BLOCKS_H
#define TERRANE_TERRAIN_SUMMIT_BLOCKS_H

#include "core/terrain/summits.h"

enum { SUMMIT_BLOCK_LOG2 = 2, SUMMIT_BLOCK_SIDE = 1 << SUMMIT_BLOCK_LOG2 }; /* squares */
enum { SUMMIT_BLOCK_SQUARES = SUMMIT_BLOCK_SIDE * SUMMIT_BLOCK_SIDE };

/* A bit of each word for each square, row by row. */
struct summit_block {
    uint16_t sampled; /* it is known if there is a top, */
    uint16_t tops;    /* there is one, at `summits`, */
    uint16_t climbed; /* that is the summit, no longer the grid point, */
    uint16_t judged;  /* it is known if a summit of a coarser level is near, */
    uint16_t taken;   /* and one is */
    bool looked_up, changed;
    struct summit summits[SUMMIT_BLOCK_SQUARES];
};

/* A level of a search. All zero to begin with but for the first members. */
struct summit_level {
    struct sampler *sampler;
    const struct world *world;
    struct hash128 identity; /* of all that decides what is known */
    int64_t step, t;
    float least_rise;
    unsigned number; /* 0: the coarsest */
    /* Blocks around squares that the search has loaded: */
    int64_t low[2];
    size_t columns, rows;
    struct summit_block *blocks; /* row by row; owned */
};

/* Squares from north-west to south-east, inclusive. */
struct summit_rect {
    int64_t low[2], high[2];
};
/* Those with the grid points of a level in a box, which includes all its edges. */
struct summit_rect summit_squares(const struct summit_level *level, struct place low,
                                  struct place high);

/* Makes squares of a level known: `heights` is memory that is reused. Blocks that were found before
 * have moved. Errors are those of the sampler, and want of memory. */
struct summit_heights {
    float *samples; /* owned */
    size_t capacity;
};
bool summit_level_load(struct summit_level *level, const struct summit_rect *squares,
                       struct summit_heights *heights, struct error *error);

/* A square that is loaded: its block and its bit there. */
struct summit_square {
    struct summit_block *block;
    unsigned bit;
};
struct summit_square summit_level_square(const struct summit_level *level, int64_t x, int64_t y);

/* Lets other searches find what this one has learned, and frees the blocks. */
void summit_level_close(struct summit_level *level);

#endif
