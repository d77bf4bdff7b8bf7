/* The height and the other outputs of samples, from the candidates that are added one by one: for a
 * run of samples at once, or for one sample. `lanes`, a constant wherever these are called, says
 * how many; what a lane computes is the same for both. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_ENVELOPE_LANES_H
#define TERRANE_DRAINAGE_LAND_ENVELOPE_LANES_H

#include <string.h>

#include "core/drainage/land/envelope_bounds.h"
#include "core/drainage/network/shape.h"

/* What is known of samples from the candidates so far. */
struct envelope {
    float lowest[N], second[N];
    float bound[N];    /* what is above it has no part in rounding */
    uint32_t index[N]; /* of the lowest; of equally low ones the first */
};

TERRANE_INLINE void begin(struct envelope *e, int lanes)
{
    for (int i = 0; i < lanes; i++) {
        e->lowest[i] = e->second[i] = e->bound[i] = 1e30f;
        e->index[i] = 0;
    }
}

/* The point on a candidate's segment that is nearest to a place. */
struct nearest {
    float along, squared; /* 0 … 1; the squared distance */
};
TERRANE_INLINE struct nearest nearest_on(const struct candidate *restrict c, float x, float y)
{
    float dx = x - c->x, dy = y - c->y;
    const float along = clamp_unit((dx * c->ux + dy * c->uy) * c->inverse);
    dx -= along * c->ux;
    dy -= along * c->uy;
    return (struct nearest){along, dx * dx + dy * dy};
}

/* Adds a candidate. Their numbers must rise from one to the next. */
TERRANE_INLINE void add_candidate(struct envelope *restrict e, const struct candidate *restrict c,
                                  uint32_t number, const struct leaf *restrict leaf, bool channels,
                                  const float *restrict x, const float *restrict y, int lanes)
{
    const struct leaf_view *restrict view = &leaf->view;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++) {
        const struct nearest nearest = nearest_on(c, x[i], y[i]);
        const float t = nearest.along, squared = nearest.squared;
        const float slope = c->slope + c->slope_change * t;
        const float d = __builtin_sqrtf(squared);
        const struct rise side = rise_of(slope, c->floor, c->flat, c->hollow, squared, d, view);
        const float rise = side.above / side.below + c->cross * d;
        const float channel = channels ? c->depth * clamp_unit(2.0f - squared * c->channel) : 0.0f;
        const float f = (c->bed + c->bed_change * t) + (rise - channel);
        const float lowest = e->lowest[i];
        e->second[i] = min_float(e->second[i], max_float(f, lowest));
        e->bound[i] = min_float(e->bound[i], f + rounded_over(slope, rise, view));
        e->index[i] = f < lowest ? number : e->index[i];
        e->lowest[i] = min_float(f, lowest);
    }
}

/* The height with its ridge rounded: over the least, of all streams, of what it is above the lowest
 * and is rounded over itself. This changes evenly with the place, though the two lowest are now
 * these, now others; and it is 0 at a stream. */
TERRANE_INLINE void round_ridges(const struct envelope *restrict e, float *restrict height,
                                 int lanes)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++) {
        const float k = max_float(e->bound[i] - e->lowest[i], 1e-6f);
        const float gap = max_float(e->bound[i] - e->second[i], 0.0f);
        height[i] = e->lowest[i] - gap * gap / (4.0f * k);
    }
}

/* The streams of a run of samples at the nearest points on them. */
struct run_streams {
    float squared[N]; /* distance */
    float distance[N], bed[N], flow[N], order[N], lake[N];
    float ridge[N]; /* how far ridges stand above the bed, about */
};

/* Writes what samples have of the stream of one candidate, where that is the lowest. */
TERRANE_INLINE void write_stream(const struct candidate *restrict c, uint32_t index,
                                 const struct envelope *restrict e, const float *restrict x,
                                 const float *restrict y, struct run_streams *restrict s, int lanes)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++) {
        const struct nearest nearest = nearest_on(c, x[i], y[i]);
        const float t = nearest.along, squared = nearest.squared;
        const float bed = c->bed + c->bed_change * t, flow = c->flow + c->flow_change * t;
        const float order = c->order, lake = c->lake;
        const float ridge = SHAPE_VALLEY_RIDGE * (c->slope + c->slope_change * t) / c->hollow;
        const bool lowest = e->index[i] == index;
        s->squared[i] = lowest ? squared : s->squared[i];
        s->bed[i] = lowest ? bed : s->bed[i];
        s->flow[i] = lowest ? flow : s->flow[i];
        s->order[i] = lowest ? order : s->order[i];
        s->lake[i] = lowest ? lake : s->lake[i];
        s->ridge[i] = lowest ? ridge : s->ridge[i];
    }
}

/* Floors are flat, so that beside a stream the lowest of its pieces may be one that begins further
 * down: takes the distance from those before it, where that is less. */
TERRANE_INLINE void take_distance(const struct candidate *restrict c, uint32_t index,
                                  const struct envelope *restrict e, const float *restrict x,
                                  const float *restrict y, struct run_streams *restrict s,
                                  int lanes)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++) {
        const float squared = nearest_on(c, x[i], y[i]).squared;
        const bool nearer = (int)(e->index[i] == index) & (int)(squared < s->squared[i]);
        s->squared[i] = nearer ? squared : s->squared[i];
    }
}

/* The lanes that have a number: a bit for each. */
TERRANE_INLINE uint32_t lanes_with(const uint32_t *restrict numbers, uint32_t number, int lanes)
{
    uint32_t bits = 0;
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < (uint32_t)lanes; i++)
        bits |= numbers[i] == number ? 1u << i : 0u;
    return bits;
}

/* Finds the streams of a run, of which there are few: each is computed for all samples. */
TERRANE_INLINE void find_streams(const struct leaf *leaf, const struct envelope *restrict e,
                                 const float *restrict x, const float *restrict y,
                                 struct run_streams *restrict s, int lanes)
{
    for (uint32_t left = (1u << lanes) - 1; left != 0;) {
        const uint32_t index = e->index[__builtin_ctz(left)];
        const struct candidate *c = &leaf->candidates[index];
        write_stream(c, index, e, x, y, s, lanes);
        for (uint32_t up = 1; up <= (uint32_t)c->before; up++)
            take_distance(c - up, index, e, x, y, s, lanes);
        left &= ~lanes_with(e->index, index, lanes);
    }
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++)
        s->distance[i] = __builtin_sqrtf(s->squared[i]);
}

/* A river as maps draw it: it begins as nothing and widens with the root of its flow, several times
 * as wide as it is, up to a line of SHAPE_DRAWN_HALF to each side, until it is wider itself. What
 * is narrower than a sample is paler instead. Brooks that drain less than some 0.1 km² are dry. */
TERRANE_INLINE void write_cover(const struct run_streams *restrict s, float pixel,
                                float *restrict out, int lanes)
{
    const float inverse = 1.0f / max_float(pixel, 0.01f);
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++) {
        const float flow = s->flow[i], real = channel_half_width(flow) * inverse;
        const float line =
            min_float(SHAPE_DRAWN_TIMES * (real - SHAPE_DRAWN_LEAST), SHAPE_DRAWN_HALF);
        const float half = not_below_zero(max_float(real, line));
        const float cover = clamp_unit(max_float(half, 0.5f) + 0.5f - s->distance[i] * inverse);
        out[i] =
            cover * clamp_unit(2.0f * half) * clamp_unit(flow * SHAPE_DRAWN_WET - SHAPE_DRAWN_DRY);
    }
}

/* Valleys that drain less than a map's scale can show are paler: else each of its smallest ones
 * would be a spot. */
TERRANE_INLINE void write_valley(const struct run_streams *restrict s,
                                 const struct envelope *restrict e, float pixel,
                                 float *restrict out, int lanes)
{
    const float sample = max_float(pixel, 0.01f),
                shown = 1.0f / (SHAPE_VALLEY_FLOW * sample * sample);
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < lanes; i++) {
        const float up = (e->lowest[i] - s->bed[i]) / max_float(s->ridge[i], 1e-6f);
        out[i] = clamp_unit(1.0f - up) * clamp_unit(s->flow[i] * shown);
    }
}

/* Writes what is known of the streams of a run, if it is wanted. */
TERRANE_INLINE void write_outputs(const struct leaf *leaf, const struct envelope *restrict e,
                                  const float *restrict x, const float *restrict y, size_t at,
                                  float *const outputs[DRAINAGE_OUTPUTS], int lanes)
{
    const size_t bytes = (size_t)lanes * sizeof(float);
    struct run_streams s = {0};
    find_streams(leaf, e, x, y, &s, lanes);
    if (outputs[DRAINAGE_DISTANCE])
        memcpy(outputs[DRAINAGE_DISTANCE] + at, s.distance, bytes);
    if (outputs[DRAINAGE_BED])
        memcpy(outputs[DRAINAGE_BED] + at, s.bed, bytes);
    if (outputs[DRAINAGE_FLOW])
        memcpy(outputs[DRAINAGE_FLOW] + at, s.flow, bytes);
    if (outputs[DRAINAGE_ORDER])
        memcpy(outputs[DRAINAGE_ORDER] + at, s.order, bytes);
    for (int i = 0; i < lanes && outputs[DRAINAGE_WATER]; i++)
        outputs[DRAINAGE_WATER][at + (size_t)i] = max_float(s.bed[i], s.lake[i]);
    if (outputs[DRAINAGE_RIVER])
        write_cover(&s, leaf->view.pixel, outputs[DRAINAGE_RIVER] + at, lanes);
    if (outputs[DRAINAGE_VALLEY])
        write_valley(&s, e, leaf->view.pixel, outputs[DRAINAGE_VALLEY] + at, lanes);
}

static inline bool more_than_height(float *const outputs[DRAINAGE_OUTPUTS])
{
    for (int i = DRAINAGE_HEIGHT + 1; i < DRAINAGE_OUTPUTS; i++)
        if (outputs[i])
            return true;
    return false;
}

#endif
