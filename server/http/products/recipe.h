/* What an answer is made of: everything that can change one of its bytes, and nothing else. A
 * tile's cache key and the entity tags are this recipe, so that all replicas agree on them without
 * rendering. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H
#define TERRANE_SERVER_HTTP_PRODUCTS_RECIPE_H

#include "server/cache/key.h"
#include "server/queries/point_query.h"
#include "server/queries/query.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"
#include "server/worlds/catalog.h"

/* Of a tile, or of a chunk or volume; the orders are of that world. As long as it is lazy, it
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

/* Compiles the world if it is lazy. The reference to it is the recipe's own. */
bool recipe_compile_world(struct recipe *recipe, struct error *error);

/* The form in which a place is described. */
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
