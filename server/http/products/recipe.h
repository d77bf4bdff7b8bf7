/* Recipes: everything that can change a byte of a response, and nothing else. Cache keys and entity
 * tags are made from recipes, so all replicas agree on them without rendering.
 *
 * An example: the key of the chunk /chunks/3/-2.r32f?size=1 without a content coding, of the world
 * {"generator":1,"layers":{"height":{"formula":"x","range":[-100,900]}}}. Numbers are
 * little-endian.
 *
 *       0  67 31 2d 35 33 38 33 31 31 33 34 35 64 35 66 33  the world's fingerprint,
 *      16  35 65 34 63 32 64 35 37 64 37 66 63 65 35 64 36  "g1-538311345d5f35e4c2d57d7fce5d6fc3"
 *      32  66 63 33 00 00 00 00 00
 *      40  63 68 75 6e 6b 00 01 01                          "chunk", CHUNK_FLAT, r32f's id
 *      48  01 00 00 00 01 00                                version 1, identity, apron 0, size 1
 *      54  00 00 01 00 00 00 00 00                          step: 65,536 · 2⁻¹⁶ m
 *      62  00 00 00 00 00 00 00 00                          t: 0, as the world does not move
 *      70  03 00 00 00 00 00 00 00 fe ff ff ff ff ff ff ff  cx 3, cy -2
 *      86  00 00 00 00 00 00 00 00                          cz: 0
 *      94  87 0e 62 a4 ec eb 8e 05 fd 00 c8 58 9c bf 18 49  hash of the layers
 *     110  00 00                                            no coordinate system; the end
 *
 * The hash of the key is 749adbd7b6e3a5b8b80e79d43f78380c; the seed of the layers' hash is their
 * number, 1, and its bytes are two floats, -100 and 900, and "height" in 72 bytes. */
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

/* The cache key of a tile, sealed; the same on every machine. */
void recipe_tile_key(const struct recipe *recipe, struct cache_key *key);
/* The same for a chunk or volume of the world with that fingerprint. */
void recipe_chunk_key(const struct chunk_recipe *chunk, const char *world, struct cache_key *key);

/* Makes the order one of the compiled world, which is there. */
bool recipe_use_compiled(struct recipe *recipe, struct error *error);

#endif
