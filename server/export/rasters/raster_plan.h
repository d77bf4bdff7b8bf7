/* The blocks that a raster of any size is made in. A file with overviews has levels: level 0 is the
 * raster, and each further one has half as many pixels a side, rounded up, until one block holds
 * it. Blocks are numbered row by row in each level, and level by level. */
#ifndef TERRANE_SERVER_EXPORT_RASTERS_RASTER_PLAN_H
#define TERRANE_SERVER_EXPORT_RASTERS_RASTER_PLAN_H

#include "server/export/rasters/tiff_tile.h"

enum { RASTER_LEVELS_MAX = 12, RASTER_TILE = 512 };

struct raster_level {
    uint32_t columns, rows; /* pixels */
    uint32_t across, down;  /* blocks */
    uint64_t first;         /* the number of its first block */
};

struct raster_plan {
    const struct raster *raster;
    /* Of a block, which is a tile of RASTER_TILE pixels a side with overviews, else some rows. */
    struct tiff_layout layout;
    struct raster_level levels[RASTER_LEVELS_MAX];
    unsigned level_count;
};

/* Where a block lies. */
struct raster_block {
    unsigned level;
    uint32_t column, row;        /* blocks */
    struct raster_window window; /* in pixels of its level, without those beyond its edges */
};

/* Plans tiles with overviews, or bands of whole rows, which are compressed as tiles whose sides are
 * multiples of 16 unless the kind encodes them by itself. `compression` is of libtiff. */
void raster_plan_tiles(struct raster_plan *plan, const struct raster *raster, uint16_t compression);
void raster_plan_bands(struct raster_plan *plan, const struct raster *raster, bool is_encoded);

uint64_t raster_plan_count(const struct raster_plan *plan); /* blocks of all levels */
uint64_t raster_level_count(const struct raster_level *level);
struct raster_block raster_plan_at(const struct raster_plan *plan, uint64_t index);

/* Moves `columns` × `rows` pixels, whose rows stand one behind another, to where they stand in a
 * block of the layout. */
void raster_spread(const struct tiff_layout *layout, uint32_t columns, uint32_t rows, void *pixels);
/* Repeats the last pixel of each row of a block, and then its last row, up to the block's sides. So
 * what is beyond the edge of the raster changes no mean. */
void raster_pad(const struct tiff_layout *layout, uint32_t columns, uint32_t rows, void *pixels);

/* Makes a quarter of an overview's block from a block of the level below: pixels of two by two
 * become their mean, or of indices the most frequent one, and of several the first by rows; of
 * coded numbers the first.
 * `column` and `row`, 0 or 1, are the quarter's. */
void raster_reduce(const struct tiff_layout *layout, const void *below, unsigned column,
                   unsigned row, void *pixels);

#endif
