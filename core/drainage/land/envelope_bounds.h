/* What candidates give in a box at the least and at the most. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_ENVELOPE_BOUNDS_H
#define TERRANE_DRAINAGE_LAND_ENVELOPE_BOUNDS_H

#include "core/base/lanes.h"
#include "core/drainage/land/envelope.h"
#include "core/drainage/network/shape.h"

enum { N = ENVELOPE_LANES };

/* The least that the land of a stream may have left of it: 1e-5. See lanes_zero. */
extern const float envelope_z_least;

/* How far above its bed a stream lifts the land at a distance, but for the slope across its floor:
 * a quotient of numbers above 0, the upper one perhaps 0. */
struct rise {
    float above, below;
};
TERRANE_INLINE struct rise rise_of(float slope, float floor, float flat, float hollow,
                                   float squared, float d, const struct leaf_view *view)
{
    const float z = max_float(lanes_one - squared * view->inverse_radius, envelope_z_least);
    const float spread = d + floor + squared * hollow;
    return (struct rise){slope * not_below_zero(squared - flat), spread * z};
}

/* Over which height above a stream the ridge beside it is rounded. */
TERRANE_INLINE float rounded_over(float slope, float rise, const struct leaf_view *view)
{
    return min_float(view->rounding * slope, SHAPE_RIDGE_RISE_SHARE * rise);
}

/* What N candidates give in a box at the least and at the most, and the same with what ridges are
 * rounded over. */
struct bounds {
    float *restrict low, *restrict low_rounded;
    float high[N], high_rounded[N];
};

/* Bounds for N candidates of a list, from number `from` on. A bed and a slope change evenly along a
 * segment. The distance from a segment is convex, so it is at least what its tangent plane in the
 * middle of the box gives. The room is for rounding errors. */
TERRANE_INLINE void bound_candidates(const struct envelope_cull *cull, size_t from,
                                     const struct leaf_view *view, struct envelope_box box,
                                     struct bounds *restrict bounds)
{
    const float *restrict row = cull->rows + from;
    const size_t stride = cull->stride;
    const float half = __builtin_sqrtf(box.half_x * box.half_x + box.half_y * box.half_y);
    TERRANE_INDEPENDENT_NO_UNROLL
    for (size_t i = 0; i < N; i++) {
        const float ux = row[ROW_UX * stride + i], uy = row[ROW_UY * stride + i];
        const float inverse = row[ROW_INVERSE * stride + i];
        float dx = box.x - row[ROW_X * stride + i], dy = box.y - row[ROW_Y * stride + i];
        const float t = (dx * ux + dy * uy) * inverse;
        const float u = clamp_unit(t);
        const float spread = (__builtin_fabsf(ux) * box.half_x + __builtin_fabsf(uy) * box.half_y) *
                             inverse * 1.001f;
        const float a = clamp_unit(t - spread), b = clamp_unit(t + spread);
        dx -= u * ux;
        dy -= u * uy;
        const float squared = dx * dx + dy * dy, d = __builtin_sqrtf(squared);
        const float bed = row[ROW_BED * stride + i], change = row[ROW_BED_CHANGE * stride + i];
        const float bed_a = bed + change * a, bed_b = bed + change * b;
        const float slope = row[ROW_SLOPE * stride + i];
        const float slope_change = row[ROW_SLOPE_CHANGE * stride + i];
        const float slope_a = slope + slope_change * a, slope_b = slope + slope_change * b;
        const float floor = row[ROW_FLOOR * stride + i], flat = row[ROW_FLAT * stride + i];
        const float hollow = row[ROW_HOLLOW * stride + i], cross = row[ROW_CROSS * stride + i];
        const float toward = __builtin_fabsf(dx) * box.half_x + __builtin_fabsf(dy) * box.half_y;
        const float near = max_float(0.9999f * (squared - toward) / d, lanes_zero);
        const float gentle = min_float(slope_a, slope_b);
        const float far = d + half, steep = max_float(slope_a, slope_b);
        const struct rise low_side = rise_of(gentle, floor, flat, hollow, near * near, near, view);
        const struct rise high_side = rise_of(steep, floor, flat, hollow, far * far, far, view);
        const float inverse_both = 1.0f / (low_side.below * high_side.below);
        const float least_rise = low_side.above * high_side.below * inverse_both + cross * near;
        const float rise = high_side.above * low_side.below * inverse_both + cross * far;
        const float least = min_float(bed_a, bed_b) - row[ROW_DEPTH * stride + i] + least_rise;
        const float most = max_float(bed_a, bed_b) + rise;
        const float low = least - 1e-5f * __builtin_fabsf(least) - 0.01f;
        const float high = most + 1e-5f * __builtin_fabsf(most) + 0.01f;
        bounds->low[i] = low;
        bounds->low_rounded[i] = low + 0.998f * rounded_over(gentle, least_rise, view);
        bounds->high[i] = high;
        bounds->high_rounded[i] = high + 1.001f * rounded_over(steep, rise, view);
    }
}

/* What two halves of some parts of values have together: in each part the least, the second least,
 * and the least of others. */
TERRANE_INLINE void join_halves(int half, float *restrict least, float *restrict second,
                                float *restrict other)
{
    TERRANE_NO_UNROLL
    for (int i = 0; i < half; i++) {
        second[i] =
            min_float(min_float(second[i], second[i + half]), max_float(least[i], least[i + half]));
        least[i] = min_float(least[i], least[i + half]);
        other[i] = min_float(other[i], other[i + half]);
    }
}

/* Limits of what matters in a box: a candidate does if it may be below the second lowest, or, with
 * what its ridges are rounded over, below the least such height. */
struct box_limit {
    float second, rounded;
};

/* The limit of which `least`, `second` and `other` are those of 16 parts. */
TERRANE_INLINE struct box_limit join_lanes(float *restrict least, float *restrict second,
                                           float *restrict other)
{
    join_halves(8, least, second, other);
    join_halves(4, least, second, other);
    for (int i = 1; i < 4; i++) {
        second[0] = min_float(min_float(second[0], second[i]), max_float(least[0], least[i]));
        least[0] = min_float(least[0], least[i]);
        other[0] = min_float(other[0], other[i]);
    }
    return (struct box_limit){second[0], other[0]};
}

/* What is known of a box from some candidates: in each of N parts of them the least that one gives
 * at the most, the second least, and the least that is rounded over. */
struct box_limits {
    float least[N], second[N], rounded[N];
};

TERRANE_INLINE void limits_begin(struct box_limits *restrict limits)
{
    for (int i = 0; i < N; i++)
        limits->least[i] = limits->second[i] = limits->rounded[i] = 1e30f;
}

/* Adds N candidates from number `from` on. Writes the least that each of them gives. */
TERRANE_INLINE void limits_add(struct box_limits *restrict limits, struct envelope_cull *cull,
                               size_t from, const struct leaf_view *view, struct envelope_box box)
{
    struct bounds bounds = {.low = cull->low + from,
                            .low_rounded = cull->low + cull->stride + from};
    bound_candidates(cull, from, view, box, &bounds);
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        limits->second[i] =
            min_float(limits->second[i], max_float(bounds.high[i], limits->least[i]));
        limits->least[i] = min_float(limits->least[i], bounds.high[i]);
        limits->rounded[i] = min_float(limits->rounded[i], bounds.high_rounded[i]);
    }
}

TERRANE_INLINE struct box_limit limits_join(struct box_limits *limits)
{
    return join_lanes(limits->least, limits->second, limits->rounded);
}

/* Which of N candidates from number `from` on may matter: a bit for each. */
TERRANE_INLINE uint32_t within_limit(const struct envelope_cull *cull, size_t from,
                                     struct box_limit limit)
{
    const float *restrict low = cull->low + from;
    const float *restrict low_rounded = cull->low + cull->stride + from;
    uint32_t bits = 0;
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < N; i++) {
        const int matters = (int)(low[i] <= limit.second) | (int)(low_rounded[i] <= limit.rounded);
        bits |= matters ? 1u << i : 0u;
    }
    return bits;
}

#endif
