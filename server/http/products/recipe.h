/* What an answer is made of: everything that can change one of its bytes, and nothing else. A
 * tile's cache key and the entity tags are this recipe, so that all replicas agree on them without
 * rendering. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H

#include "server/cache/key.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/catalog.h"

struct chunk_recipe {
    struct chunk_order order;
    struct chunk_address address;
    enum coding coding;
};

/* Of a tile, or of a chunk or volume; the orders are of that world. As long as it is a promise, it
 * cannot be made. */
struct recipe {
    const struct catalog_world *world;
    bool is_chunk;
    union {
        struct tile_order order;
        struct chunk_recipe chunk;
    };
};

/* The recipe in a fixed layout, the same on every machine, sealed. */
void recipe_key(const struct recipe *recipe, struct cache_key *key);
/* That of a chunk or volume of the world with that fingerprint. */
void recipe_chunk_key(const struct chunk_recipe *chunk, const char *world, struct cache_key *key);

/* Compiles the world if it is a promise. The reference to it is the recipe's own. */
bool recipe_compile_world(struct recipe *recipe, struct error *error);

#endif
