/* Recipes: everything that can change a byte of a response, and nothing else. Cache keys and entity
 * tags are made from recipes, so all replicas agree on them without rendering. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H

#include "server/cache/key.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/resolved_world.h"

enum product { PRODUCT_TILE, PRODUCT_CHUNK, PRODUCT_VOLUME };

/* The orders are of the world's base until recipe_use_compiled(): for all but making the product.
 */
struct recipe {
    const struct resolved_world *world; /* borrowed */
    enum product product;
    union {
        struct tile_order order;   /* of a tile */
        struct chunk_recipe chunk; /* of a chunk or volume */
    };
};

/* The cache key of the recipe, sealed; the same on every machine. */
void recipe_key(const struct recipe *recipe, struct cache_key *key);
/* The cache key of a chunk or volume of the world with that fingerprint. */
void recipe_chunk_key(const struct chunk_recipe *chunk, const char *world, struct cache_key *key);

/* Makes the order one of the compiled world, which is there. */
bool recipe_use_compiled(struct recipe *recipe, struct error *error);

#endif
