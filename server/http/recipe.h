/* What an answer is made of: everything that can change one of its bytes, and nothing else. A
 * tile's cache key and the entity tags are this recipe, so that all replicas agree on them without
 * rendering. */
#ifndef TERRANE_SERVER_HTTP_RECIPE_H
#define TERRANE_SERVER_HTTP_RECIPE_H

#include "core/tile/address.h"
#include "server/cache/key.h"
#include "server/catalog.h"
#include "server/query.h"

struct recipe {
    const struct catalog_world *world;
    const struct painter *painter;
    struct tile_address address;
    uint32_t size; /* pixels */
    int64_t t;     /* 2⁻¹⁶ s; counts only if the painter uses it */
};

/* The recipe in a fixed layout, the same on every machine, sealed. */
void recipe_key(const struct recipe *recipe, struct cache_key *key);

/* The form in which a place is described. */
struct query_form {
    bool text; /* not JSON */
    bool pretty;
};

/* The hash of what query_json() or query_text() would write. False when memory is out. */
bool recipe_of_query(const struct catalog_world *world, const struct query *query,
                     struct query_form form, struct hash128 *hash);

#endif
