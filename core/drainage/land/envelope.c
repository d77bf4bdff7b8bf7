/* The height of the land: the least, over the streams near a place, of
 *
 *     bed(t) + slope(t)·max(0, d² − flat²) / ((d + floor + hollow·d²)·z) + cross·d − channel
 *
 * d: the distance to the stream's nearest point, t. flat is half the width of the river, but at
 * least a little more than the distance between samples: where a valley's floor is narrower, the
 * samples beside it are pits. `hollow` makes sides less steep the farther they are, as the next
 * level will make them: its streams are steeper and cut the ridges. z = 1 − d²/radius², but not 0,
 * lets a stream's land end: so high that it is the lowest of none where streams come into view.
 * `cross` lets the floor itself fall to the stream, and `channel` is the depth of its river.
 *
 * Each term grows with d, so a step towards the nearest point of the lowest stream leads down, and
 * from there the bed falls: no place is in a pit, but under the water of lakes. On ridges the two
 * lowest are blended, which only lowers the ridge. Nothing may be added to the height, for that
 * would make pits; rough ground comes from displacing the place.
 *
 * Samples are computed in runs. What is known of a run is the least of each quantity over the
 * candidates looked at so far, which does not depend on their order, and a candidate is left out
 * only if it cannot change one of these. */
#include <string.h>

#include "core/drainage/land/envelope_bounds.h"
#include "core/drainage/network/shape.h"

/* Candidates are chosen for so many runs before the first is computed: what processors do at the
 * same time is limited by branches that depend on which they are. */
enum { RUNS = 4 };

struct envelope {
    float lowest[N], second[N];
    float bound[N]; /* what is above it has no part in rounding */
    float index[N]; /* of the lowest; of equally low ones the first */
};

TERRANE_INLINE void begin(struct envelope *e)
{
    for (int i = 0; i < N; i++) {
        e->lowest[i] = e->second[i] = e->bound[i] = 1e30f;
        e->index[i] = 0.0f;
    }
}

TERRANE_INLINE void add_candidate(struct envelope *restrict e, const struct candidate *restrict c,
                                  uint32_t number, const struct leaf_view *restrict view,
                                  const float *restrict x, const float *restrict y)
{
    const float k = (float)number;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        float dx = x[i] - c->x, dy = y[i] - c->y;
        const float t = clamp_unit((dx * c->ux + dy * c->uy) * c->inverse);
        dx -= t * c->ux;
        dy -= t * c->uy;
        const float squared = dx * dx + dy * dy;
        const float slope = c->slope + c->slope_change * t;
        const float rise =
            rise_at(slope, c->floor, c->flat, c->cross, squared, __builtin_sqrtf(squared), view);
        const float channel = c->depth * clamp_unit(2.0f - squared * c->channel);
        const float f = (c->bed + c->bed_change * t) + (rise - channel);
        const float round = min_float(view->rounding * slope, SHAPE_RIDGE_RISE_SHARE * rise);
        const float lowest = e->lowest[i], index = e->index[i];
        const float tied = min_float(k, index), other = f < lowest ? k : index;
        e->second[i] = min_float(e->second[i], max_float(f, lowest));
        e->bound[i] = min_float(e->bound[i], f + round);
        e->index[i] = f == lowest ? tied : other;
        e->lowest[i] = min_float(f, lowest);
    }
}

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
    const float limit = limits_join(limits);
    for (size_t from = 0; from < cull->stride; from += N)
        masks[from / N] = below_limit(cull, from, limit);
}

/* A run of samples, of these candidates. */
TERRANE_INLINE void sample_run(const struct leaf *leaf, const struct envelope_cull *cull,
                               const uint32_t *masks, const float *restrict x,
                               const float *restrict y, struct envelope *restrict e)
{
    begin(e);
    for (size_t from = 0; from < cull->stride; from += N)
        for (uint32_t bits = masks[from / N]; bits != 0; bits &= bits - 1) {
            const uint32_t number = cull->numbers[from + (uint32_t)__builtin_ctz(bits)];
            add_candidate(e, &leaf->candidates[number], number, &leaf->view, x, y);
        }
}

/* The height with its ridge rounded: over the least, of all streams, of what it is above the lowest
 * and is rounded over itself. This changes evenly with the place, though the two lowest are now
 * these, now others; and it is 0 at a stream. */
TERRANE_INLINE void round_ridges(const struct envelope *restrict e, float *restrict height)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        const float k = max_float(e->bound[i] - e->lowest[i], 1e-6f);
        const float gap = max_float(e->bound[i] - e->second[i], 0.0f);
        height[i] = e->lowest[i] - gap * gap / (4.0f * k);
    }
}

/* The streams of a run of samples, and the nearest point on them. */
struct run_streams {
    float x[N], y[N], ux[N], uy[N], inverse[N], bed[N], bed_change[N];
    float flow[N], flow_change[N], order[N], lake[N];
    float distance[N];
};

TERRANE_INLINE void gather_streams(const struct leaf *leaf, const struct envelope *restrict e,
                                   struct run_streams *restrict s)
{
    TERRANE_NO_UNROLL
    for (int i = 0; i < N; i++) {
        const struct candidate *c = &leaf->candidates[(uint32_t)e->index[i]];
        s->x[i] = c->x;
        s->y[i] = c->y;
        s->ux[i] = c->ux;
        s->uy[i] = c->uy;
        s->inverse[i] = c->inverse;
        s->bed[i] = c->bed;
        s->bed_change[i] = c->bed_change;
        s->flow[i] = c->flow;
        s->flow_change[i] = c->flow_change;
        s->order[i] = c->order;
        s->lake[i] = c->lake;
    }
}

/* Replaces what streams have at their upper end by what they have at the nearest point. */
TERRANE_INLINE void find_nearest_points(struct run_streams *restrict s, const float *restrict x,
                                        const float *restrict y)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        float dx = x[i] - s->x[i], dy = y[i] - s->y[i];
        const float t = clamp_unit((dx * s->ux[i] + dy * s->uy[i]) * s->inverse[i]);
        dx -= t * s->ux[i];
        dy -= t * s->uy[i];
        s->distance[i] = __builtin_sqrtf(dx * dx + dy * dy);
        s->bed[i] += s->bed_change[i] * t;
        s->flow[i] += s->flow_change[i] * t;
    }
}

/* A river as maps draw it: not narrower than most of a sample, but paler, the less it drains for
 * the scale of the map; brooks that drain less than some 0.1 km² are dry. */
TERRANE_INLINE void write_cover(const struct run_streams *restrict s, float pixel,
                                float *restrict out)
{
    const float sample = max_float(pixel, 0.01f), drawn = SHAPE_DRAWN_HALF * sample;
    const float shown = 1.0f / (SHAPE_DRAWN_FLOW * sample * sample), inverse = 1.0f / sample;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        const float flow = s->flow[i], real = channel_half_width(flow);
        const float cover = clamp_unit((max_float(real, drawn) - s->distance[i]) * inverse + 0.5f);
        const float seen = clamp_unit(flow * shown - SHAPE_DRAWN_LEAST);
        out[i] = cover * (real > drawn ? 1.0f : seen) *
                 clamp_unit(flow * SHAPE_DRAWN_WET - SHAPE_DRAWN_DRY);
    }
}

/* Valleys that drain less than a map's scale can show are paler: else each of its smallest ones
 * would be a spot. */
TERRANE_INLINE void write_valley(const struct run_streams *restrict s,
                                 const struct envelope *restrict e, float pixel,
                                 float *restrict out)
{
    const float sample = max_float(pixel, 0.01f),
                shown = 1.0f / (SHAPE_VALLEY_FLOW * sample * sample);
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        const float ridge = max_float(e->second[i] - s->bed[i], 1e-6f);
        out[i] =
            clamp_unit(1.0f - (e->lowest[i] - s->bed[i]) / ridge) * clamp_unit(s->flow[i] * shown);
    }
}

/* Writes what is known of the streams of a run, if it is wanted. */
TERRANE_INLINE void write_outputs(const struct leaf *leaf, const struct envelope *restrict e,
                                  const float *restrict x, const float *restrict y, size_t at,
                                  float *const outputs[DRAINAGE_OUTPUTS])
{
    struct run_streams s;
    gather_streams(leaf, e, &s);
    find_nearest_points(&s, x, y);
    if (outputs[DRAINAGE_DISTANCE])
        memcpy(outputs[DRAINAGE_DISTANCE] + at, s.distance, sizeof s.distance);
    if (outputs[DRAINAGE_BED])
        memcpy(outputs[DRAINAGE_BED] + at, s.bed, sizeof s.bed);
    if (outputs[DRAINAGE_FLOW])
        memcpy(outputs[DRAINAGE_FLOW] + at, s.flow, sizeof s.flow);
    if (outputs[DRAINAGE_ORDER])
        memcpy(outputs[DRAINAGE_ORDER] + at, s.order, sizeof s.order);
    for (int i = 0; i < N && outputs[DRAINAGE_WATER]; i++)
        outputs[DRAINAGE_WATER][at + (size_t)i] = max_float(s.bed[i], s.lake[i]);
    if (outputs[DRAINAGE_RIVER])
        write_cover(&s, leaf->view.pixel, outputs[DRAINAGE_RIVER] + at);
    if (outputs[DRAINAGE_VALLEY])
        write_valley(&s, e, leaf->view.pixel, outputs[DRAINAGE_VALLEY] + at);
}

static bool more_than_height(float *const outputs[DRAINAGE_OUTPUTS])
{
    for (int i = DRAINAGE_HEIGHT + 1; i < DRAINAGE_OUTPUTS; i++)
        if (outputs[i])
            return true;
    return false;
}

/* Lists the candidates that matter in a cell. */
TERRANE_INLINE void list_cell(struct leaf *leaf, unsigned cell, struct envelope_cull *cull)
{
    const uint32_t *set = leaf_set(leaf, cell);
    cull->count = 0;
    for (uint32_t word = 0; word < leaf->words; word++)
        for (uint32_t bits = set[word]; bits != 0; bits &= bits - 1)
            cull->numbers[cull->count++] = 32 * word + (uint32_t)__builtin_ctz(bits);
    envelope_cull_begin(cull, leaf->candidates);
}

TERRANE_CLONES
uint32_t envelope_sample(struct leaf *leaf, const struct envelope_samples *samples,
                         struct envelope_cull *cull, float *const outputs[DRAINAGE_OUTPUTS])
{
    const bool all = more_than_height(outputs);
    struct envelope e;
    e.index[N - 1] = 0; /* of no samples */
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
                round_ridges(&e, outputs[DRAINAGE_HEIGHT] + at);
            if (all)
                write_outputs(leaf, &e, x, y, at, outputs);
        }
    }
    return (uint32_t)e.index[N - 1];
}
