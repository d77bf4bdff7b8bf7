/* What a tile is made of: everything that can change one of its bytes, and nothing else. The cache
 * key and the entity tag are this recipe, so that all replicas agree on both without rendering. */
#ifndef TERRANE_SERVER_HTTP_RECIPE_H
#define TERRANE_SERVER_HTTP_RECIPE_H

#include "core/tile/address.h"
#include "server/cache/key.h"
#include "server/catalog.h"

struct recipe {
    const struct catalog_world *world;
    const struct painter *painter;
    struct tile_address address;
    uint32_t size; /* pixels */
    float t;       /* seconds; counts only if the painter uses it */
};

/* The recipe in a fixed layout, the same on every machine, sealed. */
void recipe_key(const struct recipe *recipe, struct cache_key *key);

#endif
