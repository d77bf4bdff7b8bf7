/* The summits of a box, to write their heights on a map.
 *
 * Summits are found level by level, on grids whose steps are a quarter of those before. At each
 * level a summit is higher than everything around it within SUMMITS_REACH steps on each axis, at
 * the grid's level of detail, and by a least rise higher than the mean of what is that far away. It
 * is on land, above 0 m. From there the highest place is climbed to: again and again with half the
 * step and the detail of it, to the highest of 5 × 5 samples, until the step is a metre; the height
 * is that at full detail. A summit of one level is left out if one of a coarser level stands within
 * SUMMITS_REACH of its steps: so finer levels only add to coarser ones, and a summit stays where it
 * is.
 *
 * A summit depends on its surroundings alone. A box has those whose place is in it, whichever grid
 * point they were found at: boxes side by side have each summit once. */
#ifndef TERRANE_TERRAIN_SUMMITS_H
#define TERRANE_TERRAIN_SUMMITS_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

enum {
    SUMMITS_REACH = 8,
    SUMMITS_LEVEL_LOG2 = 2,  /* a step in steps of the next level: each level of detail costs the
                                making of its streams, so there are few */
    SUMMITS_CLIMB = 2,       /* steps away from the grid point that climbing leads, at most */
    SUMMITS_CLIMB_SIDE = 17, /* samples: a step around, */
    SUMMITS_CLIMB_FINER = 8, /* which is so many times finer than the one before */
};

struct summit {
    uint64_t id; /* a hash of the place: 53 bits, which every program's numbers hold */
    struct place place;
    float height;   /* metres, at full detail */
    unsigned level; /* of the search that found it: 0 is the coarsest */
};

struct summit_search {
    struct place low, high; /* the box, half-open: it includes its north and west edges */
    int64_t step, finest; /* of the coarsest level and of the finest: 2⁻¹⁶ m, powers of two */
    const float *least_rises; /* metres, by level from the coarsest on */
    int64_t t;                /* of formulas, as of samples; z is 0 */
};

/* A zeroed list is empty; count = 0 empties it but keeps the memory. */
struct summit_list {
    struct summit *summits; /* owned */
    size_t count, capacity;
    float *heights; /* of the grid; owned */
    size_t height_capacity;
};
void summit_list_free(struct summit_list *list);

/* The samples along a side of the grid in which summits of a level are looked for, in a box that is
 * so many steps wide. */
uint32_t summits_grid_side(uint32_t steps);

/* Makes the list that of the summits in the box: level by level, from north to south. What is found
 * is kept in the sampler's cache. Errors are those of the sampler, and want of memory. */
bool summits_find(struct sampler *sampler, const struct world *world,
                  const struct summit_search *search, struct summit_list *list,
                  struct error *error);

#endif
