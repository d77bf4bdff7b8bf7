/* The height of the land: the least, over the streams near a place, of
 *
 *     bed(t) + slope(t)·max(0, d² − flat²) / ((d + floor + hollow·d²)·z) + cross·d − channel
 *
 * d: the distance to the stream's nearest point, t. flat is half the width of the river, but at
 * least a little more than the distance between samples: where a valley's floor is narrower, the
 * samples beside it are pits. `hollow` makes sides less steep the farther they are, as the next
 * level will make them: its streams are steeper and cut the ridges. Each stream has its own, so
 * that its sides end about as high as the target. z = 1 − d²/radius², but not 0, lets a stream's
 * land end: so high that it is the lowest of none where streams come into view. `cross` lets the
 * floor itself fall to the stream, and `channel` is the depth of its river.
 *
 * Each term grows with d, so a step towards the nearest point of the lowest stream leads down, and
 * from there the bed falls: no place is in a pit, but under the water of lakes. On ridges the two
 * lowest are blended, which only lowers the ridge. Nothing may be added to the height, for that
 * would make pits; rough ground comes from displacing the place.
 *
 * Samples are computed in runs, or singly where a cell has no other. What is known of a run
 * is the least of each quantity over the candidates looked at so far, which does not depend on
 * their order, and a candidate is left out only if it cannot change one of these. */
#include "core/drainage/land/envelope_lanes.h"

/* Candidates are chosen for so many runs before the first is computed: what processors do at the
 * same time is limited by branches that depend on which they are. */
enum { RUNS = 4 };

TERRANE_INLINE struct envelope_box box_of_run(const float *restrict x, const float *restrict y)
{
    float west, east, north, south;
    lanes_min_max(x, &west, &east);
    lanes_min_max(y, &north, &south);
    const float dx = 0.5f * (east - west), dy = 0.5f * (south - north);
    return (struct envelope_box){west + dx, north + dy, 1.0001f * dx, 1.0001f * dy};
}

/* Which candidates of the list can change something in a run of samples: a bit for each, N to a
 * mask. */
TERRANE_INLINE void cull_run(struct envelope_cull *cull, const struct leaf_view *view,
                             const float *restrict x, const float *restrict y, uint32_t *masks)
{
    const struct envelope_box box = box_of_run(x, y);
    struct box_limits limits;
    limits_begin(&limits);
    for (size_t from = 0; from < cull->stride; from += N)
        limits_add(&limits, cull, from, view, box);
    const struct box_limit limit = limits_join(&limits);
    for (size_t from = 0; from < cull->stride; from += N)
        masks[from / N] = within_limit(cull, from, limit);
}

/* A run of samples, of these candidates, of which none or some have channels. */
TERRANE_INLINE void add_candidates(const struct leaf *leaf, const struct envelope_cull *cull,
                                   const uint32_t *masks, bool channels, const float *restrict x,
                                   const float *restrict y, struct envelope *restrict e)
{
    begin(e, N);
    for (size_t from = 0; from < cull->stride; from += N)
        for (uint32_t bits = masks[from / N]; bits != 0; bits &= bits - 1) {
            const uint32_t number = cull->numbers[from + (uint32_t)__builtin_ctz(bits)];
            add_candidate(e, &leaf->candidates[number], number, leaf, channels, x, y, N);
        }
}

TERRANE_INLINE void sample_run(const struct leaf *leaf, const struct envelope_cull *cull,
                               const uint32_t *masks, const float *restrict x,
                               const float *restrict y, struct envelope *restrict e)
{
    if (leaf->channels)
        add_candidates(leaf, cull, masks, true, x, y, e);
    else
        add_candidates(leaf, cull, masks, false, x, y, e);
}

/* Lists the candidates that matter in a cell. */
TERRANE_INLINE void list_cell(const struct leaf *leaf, unsigned cell, struct envelope_cull *cull)
{
    const uint32_t *set = leaf_set(leaf, cell);
    cull->count = 0;
    for (uint32_t word = 0; word < leaf->words; word++)
        for (uint32_t bits = set[word]; bits != 0; bits &= bits - 1)
            cull->numbers[cull->count++] = 32 * word + (uint32_t)__builtin_ctz(bits);
    envelope_cull_begin(cull, leaf->candidates);
}

TERRANE_CLONES
void envelope_sample(const struct leaf *leaf, const struct envelope_samples *samples,
                     struct envelope_cull *cull, float *const outputs[DRAINAGE_OUTPUTS])
{
    const bool all = more_than_height(outputs);
    struct envelope e;
    list_cell(leaf, samples->cell, cull);
    uint32_t *masks = cull->kept; /* of RUNS runs: no more than candidates are in the list */
    const size_t words = cull->stride / N;
    for (size_t first = 0; first < samples->count; first += RUNS * N) {
        const size_t end = first + RUNS * N < samples->count ? first + RUNS * N : samples->count;
        for (size_t at = first; at < end; at += N)
            cull_run(cull, &leaf->view, samples->x + at, samples->y + at,
                     masks + (at - first) / N * words);
        for (size_t at = first; at < end; at += N) {
            const float *x = samples->x + at, *y = samples->y + at;
            sample_run(leaf, cull, masks + (at - first) / N * words, x, y, &e);
            if (outputs[DRAINAGE_HEIGHT])
                round_ridges(&e, outputs[DRAINAGE_HEIGHT] + at, N);
            if (all)
                write_outputs(leaf, &e, x, y, at, outputs, N);
        }
    }
}

uint32_t envelope_sample_one(const struct leaf *leaf, unsigned cell, const float place[2],
                             size_t at, float *const outputs[DRAINAGE_OUTPUTS])
{
    const uint32_t *set = leaf_set(leaf, cell);
    struct envelope e;
    begin(&e, 1);
    for (uint32_t word = 0; word < leaf->words; word++)
        for (uint32_t bits = set[word]; bits != 0; bits &= bits - 1) {
            const uint32_t number = 32 * word + (uint32_t)__builtin_ctz(bits);
            add_candidate(&e, &leaf->candidates[number], number, leaf, true, &place[0], &place[1],
                          1);
        }
    if (outputs[DRAINAGE_HEIGHT])
        round_ridges(&e, outputs[DRAINAGE_HEIGHT] + at, 1);
    if (more_than_height(outputs))
        write_outputs(leaf, &e, &place[0], &place[1], at, outputs, 1);
    return e.index[0];
}
