/* What candidates give in a box at the least and at the most. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_ENVELOPE_BOUNDS_H
#define TERRANE_DRAINAGE_LAND_ENVELOPE_BOUNDS_H

#include "core/base/lanes.h"
#include "core/drainage/land/envelope.h"
#include "core/drainage/network/shape.h"

enum { N = ENVELOPE_LANES };

static const float Z_LEAST = 1e-5f;
static const float NONE = 1e38f; /* above all heights */

/* How far above its bed a stream lifts the land at a distance. */
TERRANE_INLINE float rise_at(float slope, float floor, float flat, float cross, float squared,
                             float d, const struct leaf_view *view)
{
    const float z = max_float(lanes_one - squared * view->inverse_radius, Z_LEAST);
    const float spread = d + floor + squared * view->hollow;
    return slope * not_below_zero(squared - flat) / (spread * z) + cross * d;
}

/* What N candidates give in a box: the least, the most, and the most with what ridges are rounded
 * over. */
struct bounds {
    float *restrict low;
    float high[N], rounded[N];
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
        const float cross = row[ROW_CROSS * stride + i];
        const float toward = __builtin_fabsf(dx) * box.half_x + __builtin_fabsf(dy) * box.half_y;
        const float near = max_float(0.9999f * (squared - toward) / d, lanes_zero);
        const float least =
            min_float(bed_a, bed_b) - row[ROW_DEPTH * stride + i] +
            rise_at(min_float(slope_a, slope_b), floor, flat, cross, near * near, near, view);
        const float far = d + half, steep = max_float(slope_a, slope_b);
        const float rise = rise_at(steep, floor, flat, cross, far * far, far, view);
        const float most = max_float(bed_a, bed_b) + rise;
        bounds->low[i] = least - 1e-5f * __builtin_fabsf(least) - 0.01f;
        bounds->high[i] = most + 1e-5f * __builtin_fabsf(most) + 0.01f;
        bounds->rounded[i] = bounds->high[i] + 1.001f * min_float(view->rounding * steep,
                                                                  SHAPE_RIDGE_RISE_SHARE * rise);
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

/* The second least of values, of which `least` and `second` are those of 16 parts; or the least of
 * `other`, if that is more. */
TERRANE_INLINE float join_lanes(float *restrict least, float *restrict second,
                                float *restrict other)
{
    join_halves(8, least, second, other);
    join_halves(4, least, second, other);
    for (int i = 1; i < 4; i++) {
        second[0] = min_float(min_float(second[0], second[i]), max_float(least[0], least[i]));
        least[0] = min_float(least[0], least[i]);
        other[0] = min_float(other[0], other[i]);
    }
    return max_float(second[0], other[0]);
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
    struct bounds bounds = {.low = cull->low + from};
    bound_candidates(cull, from, view, box, &bounds);
    for (size_t i = cull->count - from; i < N; i++)
        bounds.low[i] = bounds.high[i] = bounds.rounded[i] = NONE;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int i = 0; i < N; i++) {
        limits->second[i] =
            min_float(limits->second[i], max_float(bounds.high[i], limits->least[i]));
        limits->least[i] = min_float(limits->least[i], bounds.high[i]);
        limits->rounded[i] = min_float(limits->rounded[i], bounds.rounded[i]);
    }
}

/* A height that a candidate must be below in places to matter in the box. */
TERRANE_INLINE float limits_join(struct box_limits limits)
{
    return join_lanes(limits.least, limits.second, limits.rounded);
}

/* Which of N candidates from number `from` on may be below a limit: a bit for each. */
TERRANE_INLINE uint32_t below_limit(const struct envelope_cull *cull, size_t from, float limit)
{
    const float *restrict low = cull->low + from;
    uint32_t bits = 0;
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < N; i++)
        bits |= low[i] <= limit ? 1u << i : 0u;
    return bits;
}

#endif
