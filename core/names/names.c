/* The tongues and fixed names of a world, and what the place of a feature says: which tongue its
 * region has, and which fixed name is near. Fixed names are few, so they are compared one by one.
 */
#include "core/names/names.h"

#include "core/base/hash.h"

#define SALT_REGION 0x746F6E6775652D31u
#define GOLDEN 0x9E3779B97F4A7C15u /* 2⁶⁴ ÷ the golden ratio */

enum { DISTANCE_SHIFT = 8 }; /* distances in 2⁻⁸ m: their squares fit 64 bits */

const struct names names_default = {.tongues = tongues, .tongue_count = TONGUES};

/* The point of a cell of the lattice of regions, in metres from the corner of the cell: in its
 * middle half. */
static void find_point(uint64_t hash, int64_t *x, int64_t *y)
{
    const int64_t side = (int64_t)NAME_REGION_KM * 1000;
    *x = side / 4 + (int64_t)names_choose(hash, 0, (uint32_t)(side / 2));
    *y = side / 4 + (int64_t)names_choose(hash, 1, (uint32_t)(side / 2));
}

/* The nearest point of the lattice is in the cell of the place or in one of the eight around it: it
 * is at most .75 √2 sides away, and the points of all other cells 1.25 sides and more. */
uint32_t names_tongue_at(const struct names *names, uint64_t seed, struct place place)
{
    const int64_t side = (int64_t)NAME_REGION_KM * 1000;
    const int64_t x = place_floor_divide(place.x, PLACE_METRE),
                  y = place_floor_divide(place.y, PLACE_METRE);
    const int64_t column = place_floor_divide(x, side), row = place_floor_divide(y, side);
    const uint64_t key = hash_mix(seed + SALT_REGION);
    int64_t nearest = INT64_MAX;
    uint64_t region = 0;
    for (int i = 0; i < 9; i++) {
        const int64_t cell_x = column + i % 3 - 1, cell_y = row + i / 3 - 1;
        const uint64_t hash =
            hash_mix(hash_mix(key ^ (uint64_t)cell_x) + GOLDEN * (uint64_t)cell_y);
        int64_t dx, dy;
        find_point(hash, &dx, &dy);
        dx += cell_x * side - x;
        dy += cell_y * side - y;
        if (dx * dx + dy * dy < nearest) {
            nearest = dx * dx + dy * dy;
            region = hash;
        }
    }
    return names_choose(region, 2, names->tongue_count);
}

/* The square of the distance in 2⁻¹⁶ m²; -1 if it is more than `reach` east or south. */
static int64_t find_distance(struct place a, struct place b, int64_t reach)
{
    const int64_t dx = (a.x - b.x) >> DISTANCE_SHIFT, dy = (a.y - b.y) >> DISTANCE_SHIFT;
    const int64_t limit = reach >> DISTANCE_SHIFT;
    if (dx < -limit || dx > limit || dy < -limit || dy > limit)
        return -1;
    return dx * dx + dy * dy;
}

const struct name_place *names_place_near(const struct names *names, enum name_kind kind,
                                          struct place place)
{
    const int64_t reach = name_kind_reach(kind), limit = reach >> DISTANCE_SHIFT;
    const struct name_place *nearest = NULL;
    int64_t least = limit * limit;
    for (uint32_t i = 0; i < names->place_count; i++) {
        const struct name_place *candidate = &names->places[i];
        const int64_t distance =
            candidate->kind == kind ? find_distance(candidate->place, place, reach) : -1;
        if (distance < 0 || distance > least || (nearest && distance == least))
            continue;
        nearest = candidate;
        least = distance;
    }
    return nearest;
}
