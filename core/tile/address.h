/* Tile addresses: zoom, column, row ↔ places.
 *
 * At zoom z a tile spans 2^(25−z) m; tile (z, 0, 0) has its north-west corner at (−2²⁴, −2²⁴) m, so
 * a Mercator client's centre is the world's origin and z = 17 is 1 m a pixel at 256 pixels.
 * Indices are signed and go on beyond 0 … 2^z−1 as far as ±2⁴⁰ m allow. */
#ifndef TERRANE_TILE_ADDRESS_H
#define TERRANE_TILE_ADDRESS_H

#include "core/base/place.h"
#include "core/sampling/sampler.h"

enum { TILE_ZOOM_MAX = 20 };

struct tile_address {
    int zoom;     /* 0 … TILE_ZOOM_MAX */
    int64_t x, y; /* column to the east, row to the south */
};

/* The tile's side in 2⁻¹⁶ m. */
int64_t tile_span(int zoom);
/* The lowest and highest index at this zoom, both axes alike. */
void tile_index_range(int zoom, int64_t *low, int64_t *high);
/* False with code ERROR_LIMIT and a message that names the range. */
bool tile_check(const struct tile_address *tile, struct error *error);
/* The same for a tile of the central square, of which maps on a globe are made. */
bool tile_check_globe(const struct tile_address *tile, struct error *error);
/* The grid of size × size pixel centres, and `apron` more samples on every side. `size` is a power
 * of two up to 512; z and t are 0. The address must be in range. */
void tile_grid(const struct tile_address *tile, uint32_t size, uint32_t apron,
               struct sample_grid *grid);
/* The grid of its (size + 1) × (size + 1) vertices, the first of them its north-west corner, and
 * `ring` more on every side. Neighbouring tiles share those of their common edge. */
void tile_vertex_grid(const struct tile_address *tile, uint32_t size, uint32_t ring,
                      struct sample_grid *grid);
/* The tile as a grid of one sample: its north-west corner, with its side as the step. */
struct sample_grid tile_square(const struct tile_address *tile);
/* The tile that holds a place: half-open, the north and west edges belong to it. */
struct tile_address tile_at(int zoom, struct place place);
/* Metres between the samples of a 256 pixel tile: 2^(17−z). */
double tile_spacing(int zoom);

#endif
