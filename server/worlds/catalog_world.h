/* Makes one world of the catalog: compiles its file, and binds its styles and layers to painters.
 */
#ifndef TERRANE_SERVER_WORLDS_CATALOG_WORLD_H
#define TERRANE_SERVER_WORLDS_CATALOG_WORLD_H

#include "server/worlds/catalog.h"

/* The shared styles of a catalog. Worlds that a reload keeps outlive the catalog, so these are
 * reference counted. */
struct style_list {
    unsigned references; /* atomic */
    size_t count;
    struct style *items[]; /* by name; owned */
};

/* An empty list with room for `capacity` styles, and one reference; null when memory is out. */
struct style_list *style_list_new(size_t capacity);
void style_list_release(struct style_list *styles); /* null is allowed */

struct catalog_recipe {
    const char *name;          /* of the world */
    const char *pin;           /* the fingerprint that the world must have; "" for any */
    struct style_list *styles; /* bound where the world has the layers for them */
    struct world_limits limits;
};

/* A world from the text of the diagnostics, with one reference; null with all errors of the file.
 */
struct catalog_world *catalog_world_new(const struct catalog_recipe *recipe,
                                        struct diagnostics *diagnostics);

/* `base` with another seed, one reference. It keeps `base`, from which it borrows what a seed does
 * not change. */
struct catalog_world *catalog_world_reseed(const struct catalog_world *base, const char *seed,
                                           struct error *error);
/* Bytes of memory that a world takes; of a reseeded one, besides its base. */
size_t catalog_world_memory(const struct catalog_world *world);

/* Adds a reference; catalog_release() removes one. */
const struct catalog_world *catalog_world_retain(const struct catalog_world *world);

#endif
