/* Vector tiles: contours and water of a world's height, as features.
 *
 * - Layer "contour": a feature of lines for each level that the tile has, in rising order, with
 *   `height` (m; whole if it is) and `index` (true for every fifth multiple of the interval, 0
 *   among them). Higher ground is on the lines' left, north being up.
 * - Layer "water": a feature for each polygon where the height is below the water's surface: the
 *   layer "water_level" if the world has it, else 0 m.
 *
 * A layer without features is left out. Lines reach VECTOR_TILE_BUFFER units beyond the tile on
 * every side. The lines of neighbouring tiles of one zoom, size and time meet: see
 * terrain/simplify.h.
 */
#ifndef TERRANE_TILE_VECTOR_TILE_H
#define TERRANE_TILE_VECTOR_TILE_H

#include "core/sampling/sampler.h"
#include "core/tile/features.h"
#include "core/worldfile/world.h"

enum {
    VECTOR_TILE_VERSION = 3,   /* changes when other features are made: part of every ETag */
    VECTOR_TILE_BUFFER = 64,   /* units of 4096 */
    VECTOR_TILE_TOLERANCE = 1, /* units that simplification may move a line */
    VECTOR_TILE_INDEX = 5,     /* every so many contours there is an index contour */
};

/* The memory in which one thread makes tiles, reused. */
struct vector_tile_maker;
struct vector_tile_maker *vector_tile_maker_new(void);        /* null when memory is out */
void vector_tile_maker_free(struct vector_tile_maker *maker); /* null is allowed */

struct vector_request {
    const struct world *world;
    struct sampler *sampler;
    struct sample_grid grid; /* the tile's pixels without an apron: a square of 16 … 1024, a power
                               of two, a side */
    double interval;         /* metres between contours, above 0 */
};

/* Adds the two layers to `out`, which features_begin() has prepared with FEATURES_EXTENT; other
 * layers may come before and after. False with ERROR_MEMORY; ERROR_VALUE for an interval that is
 * not above 0; ERROR_LIMIT if the interval makes too many contours, or as sampler_grid(). `out` is
 * then of no use until features_begin(). */
bool vector_tile_add(struct vector_tile_maker *maker, const struct vector_request *request,
                     struct features *out, struct error *error);

#endif
