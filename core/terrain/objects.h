/* Placement of objects: the trees, shrubs and rocks that "objects" of a world describes.
 *
 * A jittered grid: the plane is cut into cells of the kind's spacing, cell (i, k) from i × spacing
 * on to the east and k × spacing on to the south, and each has one candidate, somewhere in it. A
 * hash of (seed, kind's name, cell) gives its id, place, chance, priority, scale and rotation. It
 * is accepted if its chance, 0 … 1, is below the density of the kind at its place (at full detail),
 * times a factor for the slope of the ground. It becomes an object if no accepted candidate of its
 * kind nearer than min_distance has a higher priority (or an equal one and a higher id). So an
 * object depends only on a neighbourhood of fixed size: the result is the same in any order, from
 * any box, across any border.
 *
 * With m = hash_mix() of base/hash.h and u(w) the top 24 bits of w as a part of 1:
 *   key = low half of hash_bytes(name, seed m(world's seed + 1)), id = m(m(key + i) + k),
 *   w₁ … w₅ = m(id + 1 … 5 × 0x9E3779B97F4A7C15);
 *   place: cell's corner + (upper half of w₁, lower half of w₁) × spacing / 2³², rounded down;
 *   chance u(w₂), priority w₃, scale by u(w₄), rotation by u(w₅).
 *
 * The slope is that of steepness.h over the spacing, rounded up to a power of two units. For a kind
 * with a max_slope, the factor is 1 up to OBJECTS_SLOPE_FADE_START of max_slope, 0 beyond
 * max_slope, and linear between. */
#ifndef TERRANE_TERRAIN_OBJECTS_H
#define TERRANE_TERRAIN_OBJECTS_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

enum { OBJECTS_CANDIDATES_MAX = 1 << 18 }; /* cells in one search */

#define OBJECTS_SLOPE_FADE_START 0.75

#define OBJECTS_SCALE_LOW 0.75f /* scales go from here … */
#define OBJECTS_SCALE_HIGH 1.25f
#define OBJECTS_ALL_KINDS UINT64_MAX

struct object {
    uint64_t id; /* stable: of the seed, the kind's name and the cell alone */
    struct place place;
    unsigned kind;  /* index among the world's objects */
    float scale;    /* OBJECTS_SCALE_LOW … OBJECTS_SCALE_HIGH */
    float rotation; /* degrees clockwise from north, 0 … below 360 */
    float ground;   /* height of the ground in metres at z = t = 0; 0 if not requested */
};

/* A search. The box is half-open: it includes its north and west edges. */
struct object_search {
    struct place low, high; /* north-west and south-east corner, within ±(2⁴⁰ + 2²⁴) m */
    uint64_t kinds;         /* bit i for the world's i-th kind */
    uint32_t limit;         /* objects at most, including those in the list already */
    bool ground;            /* whether to fill in `ground` of the objects */
};

/* A growable list; a zeroed struct is an empty one, and count = 0 empties it but keeps the memory.
 */
struct object_list {
    struct object *objects; /* owned */
    uint32_t count;
    size_t capacity;
};
void object_list_free(struct object_list *list);

/* Adds the objects in the box to the list: kind after kind, each by rows of cells from
 * north to south and in a row from west to east. False with ERROR_LIMIT if there are more than
 * `limit`, or if the box is so large that more than OBJECTS_CANDIDATES_MAX cells would have to be
 * looked at (decided before anything is sampled), ERROR_VALUE if the box lies too far out, or
 * ERROR_MEMORY. */
bool objects_find(struct sampler *sampler, const struct world *world,
                  const struct object_search *search, struct object_list *list,
                  struct error *error);

#endif
