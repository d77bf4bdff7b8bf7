/* Whose land a place is on: the segment that the lowest candidate of its leaf was made of. */
#include "core/drainage/land/land.h"

/* The candidate of a leaf that is lowest at a place, in metres from the leaf's middle. */
static const struct candidate *lowest_candidate(struct land *land, struct leaf *leaf, unsigned cell,
                                                float x, float y)
{
    float at[2][ENVELOPE_LANES], distance[ENVELOPE_LANES];
    float *outputs[DRAINAGE_OUTPUTS] = {[DRAINAGE_DISTANCE] = distance};
    for (int i = 0; i < ENVELOPE_LANES; i++) {
        at[0][i] = x;
        at[1][i] = y;
    }
    const struct envelope_samples samples = {cell, at[0], at[1], ENVELOPE_LANES};
    return &leaf->candidates[envelope_sample(leaf, &samples, &land->cull, outputs)];
}

/* The segment that a candidate was made of. */
static const struct segment *segment_of(const struct store *store,
                                        const struct candidate *candidate, struct place middle)
{
    const unsigned level =
        store->network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1 - (unsigned)candidate->order;
    const struct cell_rect *blocks = &store->levels[level].blocks;
    for (size_t i = 0; i < rect_count(blocks); i++) {
        const struct stream_block *block = store->levels[level].block[i];
        for (size_t k = 0; k < (size_t)BLOCK_NODES * block->per_stream; k++) {
            const struct segment *s = &block->segments[k];
            if (units_to_metres(s->ends[0].x - middle.x) == candidate->x &&
                units_to_metres(s->ends[0].y - middle.y) == candidate->y &&
                s->ux == candidate->ux && s->uy == candidate->uy)
                return s;
        }
    }
    return NULL;
}

const struct segment *leaf_owner(struct land *land, const struct store *store, struct leaf *leaf,
                                 struct place place, float *along)
{
    const struct cache_key *key = &leaf->cached.key;
    const unsigned shift = cell_shift(store->network, key->level);
    const struct place middle = square_middle(shift + LEAF_LOG2, key->x, key->y);
    const unsigned column = (unsigned)(place.x >> shift & (LEAF_SIDE - 1));
    const unsigned row = (unsigned)(place.y >> shift & (LEAF_SIDE - 1));
    const struct candidate *lowest =
        lowest_candidate(land, leaf, row * LEAF_SIDE + column, units_to_metres(place.x - middle.x),
                         units_to_metres(place.y - middle.y));
    const struct segment *segment = segment_of(store, lowest, middle);
    if (segment)
        segment_distance(segment, place, along);
    return segment;
}
