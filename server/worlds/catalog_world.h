/* Making one world of the catalog: compiling its file, and binding its styles and layers. */
#ifndef TERRANE_SERVER_WORLDS_CATALOG_WORLD_H
#define TERRANE_SERVER_WORLDS_CATALOG_WORLD_H

#include "server/worlds/catalog.h"

struct catalog_recipe {
    const char *name; /* of the world */
    const char *text; /* of its file */
    size_t length;
    const char *file;            /* for messages */
    struct style *const *styles; /* shared ones, bound where the world has the layers for them */
    size_t style_count;
    struct world_limits limits;
};

/* A world with one reference; null with file, path and column on failure. */
struct catalog_world *catalog_world_new(const struct catalog_recipe *recipe, struct error *error);

/* `base` with another seed, one reference. */
struct catalog_world *catalog_world_reseed(const struct catalog_world *base, const char *seed,
                                           struct style *const *styles, size_t style_count,
                                           struct error *error);

/* A promise of that, one reference; null when memory is out. */
struct catalog_world *catalog_world_promise(const struct catalog_world *base, const char *seed,
                                            struct error *error);

/* One more reference; catalog_release() drops one. */
const struct catalog_world *catalog_world_retain(const struct catalog_world *world);

#endif
