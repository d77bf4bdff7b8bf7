/* Whose land a place is on: the segment of whose course the lowest candidate of its leaf is a part.
 */
#include "core/base/lanes.h"
#include "core/drainage/land/land.h"

/* What is looked for: the beginning and the chord of a part of a course. */
struct part {
    struct place middle; /* of the leaf */
    float x, y, ux, uy;  /* from there, as of candidates */
};

static bool is_part(const struct arc *arc, const struct part *part)
{
    return units_to_metres(arc->ends[0].x - part->middle.x) == part->x &&
           units_to_metres(arc->ends[0].y - part->middle.y) == part->y &&
           units_to_metres(arc->ends[1].x - arc->ends[0].x) == part->ux &&
           units_to_metres(arc->ends[1].y - arc->ends[0].y) == part->uy;
}

/* True if an arc may have the part among what it is halved to. */
static bool may_have(const struct arc *arc, const struct part *part)
{
    const struct place place = {part->middle.x + metres_to_units(part->x),
                                part->middle.y + metres_to_units(part->y)};
    const float most = arc->reach + 1.0f;
    float along;
    return arc_distance(arc, place, &along) <= most * most;
}

/* Finds the part in an arc: where on its segment it is at the place. */
static bool find_part(const struct arc *arc, const struct part *part, float tolerance,
                      struct arc *found)
{
    if (!may_have(arc, part))
        return false;
    if (is_part(arc, part)) {
        *found = *arc;
        return true;
    }
    if (!arc_bends(arc, tolerance))
        return false;
    struct arc halves[2];
    arc_halve(arc, halves);
    return find_part(&halves[0], part, tolerance, found) ||
           find_part(&halves[1], part, tolerance, found);
}

/* The part of a course that a candidate was made of. */
static bool arc_of_candidate(const struct store *store, const struct leaf *leaf,
                             const struct candidate *candidate, struct place middle,
                             struct arc *found)
{
    const unsigned level =
        store->network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1 - (unsigned)candidate->order;
    const struct cell_rect *blocks = &store->levels[level].blocks;
    const struct part part = {middle, candidate->x, candidate->y, candidate->ux, candidate->uy};
    const float tolerance =
        (float)drainage_exactness(store->network->spacing_log2, (double)leaf->view.pixel, level);
    for (size_t i = 0; i < rect_count(blocks); i++) {
        const struct stream_block *block = store->levels[level].block[i];
        for (size_t k = 0; block && k < block->count; k++) {
            const struct arc whole = arc_of(&block->segments[k]);
            if (find_part(&whole, &part, tolerance, found))
                return true;
        }
    }
    return false;
}

bool leaf_owner(const struct store *store, const struct leaf *leaf, struct place place,
                struct land_owner *owner)
{
    const struct cache_key *key = &leaf->cached.key;
    const unsigned shift = cell_shift(store->network, key->level);
    const struct place middle = square_middle(shift + LEAF_LOG2, key->x, key->y);
    const unsigned column = (unsigned)(place.x >> shift & (LEAF_SIDE - 1));
    const unsigned row = (unsigned)(place.y >> shift & (LEAF_SIDE - 1));
    const float at[2] = {units_to_metres(place.x - middle.x), units_to_metres(place.y - middle.y)};
    float *outputs[DRAINAGE_OUTPUTS] = {NULL};
    const uint32_t lowest = envelope_sample_one(leaf, row * LEAF_SIDE + column, at, 0, outputs);
    struct arc arc;
    if (!arc_of_candidate(store, leaf, &leaf->candidates[lowest], middle, &arc))
        return false;
    float on;
    arc_distance(&arc, place, &on);
    *owner = (struct land_owner){arc.segment, arc_share(&arc, on), arc_chord_point(&arc, on)};
    return true;
}
