/* Recipes: everything that can change a byte of a response, and nothing else. Cache keys and entity
 * tags are made from recipes, so all replicas agree on them without rendering. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H

#include "server/cache/key.h"
#include "server/queries/point_query.h"
#include "server/queries/query.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/catalog.h"

struct chunk_recipe {
    struct chunk_order order;
    struct chunk_address address;
    enum coding coding;
};

enum product { PRODUCT_TILE, PRODUCT_CHUNK, PRODUCT_VOLUME };

/* The orders are of that world. While it is a lazy world that has not been compiled, the product
 * cannot be made. */
struct recipe {
    const struct catalog_world *world;
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

/* Compiles the world if it is lazy. The recipe owns its reference to the world. */
bool recipe_compile_world(struct recipe *recipe, struct error *error);

/* The form of a point query's output. */
struct point_query_format {
    bool text; /* not JSON */
    bool pretty;
};

/* The hash of what query_json() or query_text() would write. False when memory is out. */
bool recipe_hash_point_query(const struct catalog_world *world, const struct query *query,
                             struct point_query_format form, struct hash128 *hash);

/* The hash of what the question's answer() would write; `parameters` are its parameters as text.
 * False when memory is out. */
bool recipe_hash_query(const struct inquiry *inquiry, const char *parameters, struct hash128 *hash);

#endif
