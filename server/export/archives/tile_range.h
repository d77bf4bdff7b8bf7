/* The tiles of an export: those of a rectangle, from one zoom to another, in the order of PMTiles:
 * zoom by zoom, and in each zoom along a Hilbert curve. Any of them is found by its number at once,
 * so that an export can be split, and be continued, anywhere.
 *
 * Archives hold the tiles of the Mercator square alone, 0 … 2^z−1 on both axes. A rectangle that
 * reaches beyond it is moved there by whole tiles of its lowest zoom, so that tiles stay whole at
 * every zoom: `shift` is what the archive's indices have less than the world's, in tiles of
 * zoom_min. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_TILE_RANGE_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_TILE_RANGE_H

#include "core/tile/address.h"

struct tile_range {
    int zoom_min, zoom_max;
    int64_t west, north, east, south; /* 2⁻¹⁶ m; east and south are outside */
    int64_t shift_x, shift_y;         /* world index − archive index, at zoom_min */
};

/* A range of the rectangle with its shift: none if it lies in the square. False with ERROR_LIMIT if
 * the rectangle is too large to be moved into the square, or `may_shift` is false and it would have
 * to be. */
bool tile_range_init(struct tile_range *range, const int64_t box[4], const int zooms[2],
                     bool may_shift, struct error *error);

/* The number of tiles: at most 4^21 / 3. */
uint64_t tile_range_count(const struct tile_range *range);
/* The index-th tile, as an address in the archive. */
struct tile_address tile_range_at(const struct tile_range *range, uint64_t index);
/* The same tile in the world. */
struct tile_address tile_range_world(const struct tile_range *range, struct tile_address tile);

/* Adds "tile Z/X/Y" as the place of the error. False. */
bool tile_range_name(struct tile_address tile, struct error *error);

/* The number of a tile of the square in PMTiles (specification, version 3): tiles of lower zooms
 * first, then its place on the zoom's Hilbert curve. */
uint64_t tile_id(struct tile_address tile);

#endif
