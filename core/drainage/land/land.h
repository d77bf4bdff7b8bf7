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

/* The leaf with number (x, y) by axis, for samples so many metres apart. */
struct leaf_place {
    unsigned level;
    double metres;
    int64_t x, y;
};
/* The leaf, or null if it is not kept; and a new one, around which the store is loaded: null when
 * memory or work is out. The caller releases them. The land has room to sample them: another one
 * may have made the leaf that is found. */
struct leaf *leaf_find(struct land *land, struct drainage_cache *cache,
                       const struct drainage_network *network, const struct leaf_place *at);
struct leaf *leaf_make(struct land *land, struct store *store, const struct leaf_place *at);
void leaf_release(struct leaf *leaf); /* null is allowed */

/* The segment whose land a place in a leaf is on: one of the store, which is loaded around the
 * leaf; *along becomes its point that is nearest to the place, 0 … 1. */
const struct segment *leaf_owner(struct land *land, const struct store *store, struct leaf *leaf,
                                 struct place place, float *along);

#endif
