/* The tile and the world that the layers of a vector tile are made of. */
#ifndef TERRANE_TILE_VECTOR_SOURCE_H
#define TERRANE_TILE_VECTOR_SOURCE_H

#include "core/tile/address.h"
#include "core/worldfile/world.h"

struct vector_source {
    struct sampler *sampler;
    const struct world *world;
    struct tile_address tile;
    int64_t time; /* t of formulas */
};

#endif
