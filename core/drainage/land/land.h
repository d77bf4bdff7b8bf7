/* The land: leaves, which are kept in a cache, and scratch memory for making and sampling them.
 * Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_LAND_H
#define TERRANE_DRAINAGE_LAND_LAND_H

#include "core/drainage/land/groups.h"
#include "core/drainage/store/store.h"

/* Of one thread. All zero to begin with. */
struct land {
    struct envelope_cull cull;
    uint16_t *cells; /* by candidate of a leaf in the making: in which cells it matters */
    size_t cell_capacity;
    struct sample_groups groups;
};

void land_free(struct land *land);
/* The bytes that are held besides the land itself. */
size_t land_bytes(const struct land *land);

enum { LEAF_WHOLE = 0xffff }; /* all cells of a leaf */

/* The leaf with number (x, y) by axis, for samples so many metres apart. */
struct leaf_place {
    unsigned level;
    double metres;
    int64_t x, y;
};
/* The leaf, or null if it is not kept; and a new one, of some of its cells (a bit for each), around
 * which the store is loaded: null when memory or work is out. The caller releases them. The leaf
 * that is found may lack cells. The land has room to sample them: another one may have made it. */
struct leaf *leaf_find(struct land *land, struct drainage_cache *cache,
                       const struct drainage_network *network, const struct leaf_place *at);
struct leaf *leaf_make(struct land *land, struct store *store, const struct leaf_place *at,
                       uint16_t cells);
void leaf_release(struct leaf *leaf); /* null is allowed */

/* Whose land a place in a leaf is on: a segment of the store, which is loaded around the leaf, and
 * where on its course, as the leaf has it: the nearest point of that part of it from which the land
 * is the lowest. */
struct land_owner {
    const struct segment *segment;
    float along; /* 0 … 1 */
    struct place place;
};
bool leaf_owner(const struct store *store, const struct leaf *leaf, struct place place,
                struct land_owner *owner);

#endif
