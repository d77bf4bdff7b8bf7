/* Candidates of a leaf are made from segments in runs of 16, field by field: few of them matter in
 * a leaf, and what culling reads of them are these rows. */
#include "core/drainage/land/candidates.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

/* What is the same for all candidates of a leaf. */
struct candidate_view {
    struct side_view sides;
    float hollow_least, hollow_most; /* how sides flatten, 1/m */
    float pixel, flat;               /* as of the leaf's view */
    unsigned levels;                 /* of the network, and 1 */
};

/* What only the ends of segments have, or what candidates have in another form. */
struct end_lanes {
    float bed[LANES], relief[LANES], target[LANES], flow[LANES];
};
struct segment_lanes {
    struct end_lanes ends[2];
    float length[LANES];
};

/* What changes evenly along a segment, at a share of it. */
static float between(const float ends[2], float share)
{
    return ends[0] + (ends[1] - ends[0]) * share;
}

/* True if an arc is the part of a stream just after another one. */
static bool goes_on(const struct arc *arc, const struct arc *next)
{
    const struct segment *a = arc->segment, *b = next->segment;
    return (a == b || (a + 1 == b && !a->last)) && arc->ends[1].x == next->ends[0].x &&
           arc->ends[1].y == next->ends[0].y;
}

/* Reads LANES arcs: those after the last repeat it. What candidates have in the same form goes
 * to their rows, from number `from` on. */
static void read_arcs(const struct list_builder *list, uint32_t from, float *row, size_t stride,
                      struct segment_lanes *lanes)
{
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t number = from + i < list->count ? from + i : list->count - 1;
        const struct arc *arc = list->arcs[number];
        const struct segment *segment = arc->segment;
        const float squared = arc->ux * arc->ux + arc->uy * arc->uy;
        row[ROW_X * stride + i] = units_to_metres(arc->ends[0].x - list->middle.x);
        row[ROW_Y * stride + i] = units_to_metres(arc->ends[0].y - list->middle.y);
        row[ROW_UX * stride + i] = arc->ux;
        row[ROW_UY * stride + i] = arc->uy;
        row[ROW_INVERSE * stride + i] = squared > 0.0f ? 1.0f / squared : 0.0f;
        row[ROW_LAKE * stride + i] = segment->lake;
        row[ROW_ORDER * stride + i] = (float)segment->level;
        float *before = row + ROW_BEFORE * stride + i;
        *before = number > 0 && goes_on(list->arcs[number - 1], arc)
                      ? min_float(before[-1] + 1.0f, (float)PARTS_BEFORE)
                      : 0.0f;
        lanes->length[i] = arc->length;
        for (int end = 0; end < 2; end++) {
            const float share = arc_share(arc, (float)end);
            lanes->ends[end].bed[i] = between(segment->bed, share);
            lanes->ends[end].relief[i] = between(segment->relief, share);
            lanes->ends[end].target[i] = between(segment->target, share);
            lanes->ends[end].flow[i] = between(segment->flow, share);
        }
    }
}

TERRANE_INLINE float smoothstep(float low, float high, float v)
{
    const float t = clamp_unit((v - low) / (high - low));
    return t * t * (3.0f - 2.0f * t);
}

/* Half the width of a valley's floor, metres: (flow in m²)^(5/16), narrower in ranges. */
TERRANE_INLINE float floor_width(float flow, float relief, float most)
{
    const float fourth = __builtin_sqrtf(__builtin_sqrtf(flow));
    const float sixteenth = __builtin_sqrtf(__builtin_sqrtf(fourth));
    const float width =
        SHAPE_FLOOR * fourth * sixteenth *
        (1.0f - SHAPE_FLOOR_NARROWING *
                    smoothstep(SHAPE_FLOOR_RELIEF_LOW, SHAPE_FLOOR_RELIEF_HIGH, relief));
    return min_float(width, most);
}

/* The depth of a river, metres: see channel_half_width(). */
TERRANE_INLINE float channel_depth(float flow)
{
    return SHAPE_RIVER_DEPTH * __builtin_sqrtf(__builtin_sqrtf(flow));
}

/* How sides that begin with a slope flatten with the distance, 1/m: so that far from the stream
 * they are as high above the bed as the target is, by a share, and as the relief makes them over a
 * width, by another. */
TERRANE_INLINE float side_hollow(float slope, float above, float relief,
                                 const struct candidate_view *view)
{
    const float usual = view->sides.width * slope_of_relief(relief, view->sides.slope_share);
    const float height = SHAPE_PLATEAU_TARGET * above + SHAPE_PLATEAU_RELIEF * usual;
    const float hollow = slope / max_float(height, 1e-3f);
    return min_float(max_float(hollow, view->hollow_least), view->hollow_most);
}

TERRANE_INLINE void write_land(const struct segment_lanes *restrict lanes,
                               const struct candidate_view *restrict view, float *restrict row,
                               size_t stride)
{
    const struct end_lanes *restrict a = &lanes->ends[0], *restrict b = &lanes->ends[1];
    TERRANE_INDEPENDENT_NO_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const float change = b->bed[i] - a->bed[i];
        const float slope = side_slope(a->bed[i], a->relief[i], a->target[i], &view->sides);
        const float end_slope = side_slope(b->bed[i], b->relief[i], b->target[i], &view->sides);
        const float above = 0.5f * ((a->target[i] - a->bed[i]) + (b->target[i] - b->bed[i]));
        row[ROW_BED * stride + i] = a->bed[i];
        row[ROW_BED_CHANGE * stride + i] = change;
        row[ROW_SLOPE * stride + i] = slope;
        row[ROW_SLOPE_CHANGE * stride + i] = end_slope - slope;
        row[ROW_HOLLOW * stride + i] = side_hollow(0.5f * (slope + end_slope), above,
                                                   0.5f * (a->relief[i] + b->relief[i]), view);
        row[ROW_CROSS * stride + i] =
            SHAPE_FLOOR_CROSS * __builtin_fabsf(change) / (lanes->length[i] + 1.0f);
    }
}

TERRANE_INLINE void write_river(const struct segment_lanes *restrict lanes,
                                const struct candidate_view *restrict view, float *restrict row,
                                size_t stride)
{
    const struct end_lanes *restrict a = &lanes->ends[0], *restrict b = &lanes->ends[1];
    const float top = (float)view->levels;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const float flow = 0.5f * (a->flow[i] + b->flow[i]);
        const float relief = 0.5f * (a->relief[i] + b->relief[i]);
        const float half = channel_half_width(flow);
        const float river = min_float(half, SHAPE_RIVER_WIDTHS * view->sides.width);
        /* A channel narrower than two samples is not cut: it would be a row of pits. Nor is one
         * under water. */
        const float shown = clamp_unit(half / (view->pixel + 1e-3f) - 1.0f);
        const bool wet = min_float(a->bed[i], b->bed[i]) < row[ROW_LAKE * stride + i];
        row[ROW_FLOOR * stride + i] =
            2.0f * floor_width(flow, relief, SHAPE_FLOOR_WIDTHS * view->sides.width);
        row[ROW_FLAT * stride + i] = max_float(view->flat, river * river);
        row[ROW_DEPTH * stride + i] = wet ? 0.0f : channel_depth(flow) * shown;
        row[ROW_CHANNEL * stride + i] = 2.0f / (half * half);
        row[ROW_FLOW * stride + i] = a->flow[i];
        row[ROW_FLOW_CHANGE * stride + i] = b->flow[i] - a->flow[i];
        row[ROW_ORDER * stride + i] = top - row[ROW_ORDER * stride + i];
    }
}

TERRANE_CLONES
static void write_run(const struct segment_lanes *lanes, const struct candidate_view *view,
                      float *row, size_t stride)
{
    write_land(lanes, view, row, stride);
    write_river(lanes, view, row, stride);
}

void candidates_make(const struct drainage_network *network, unsigned level,
                     const struct list_builder *list, const struct leaf_view *view,
                     struct envelope_cull *cull)
{
    const struct shape_sides sides = drainage_sides(network, level, (double)view->pixel);
    const struct side_view view_sides = side_view_of(network, level, &sides);
    const struct candidate_view candidates = {
        .sides = view_sides,
        .hollow_least = 1.0f / (sides.hollow_widths * view_sides.width),
        .hollow_most = 1.0f / (sides.hollow_widths_least * view_sides.width),
        .pixel = view->pixel,
        .flat = view->flat,
        .levels = network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1,
    };
    struct segment_lanes lanes;
    cull->count = list->count;
    cull->stride = ((size_t)list->count + LANES - 1) / LANES * LANES;
    for (uint32_t from = 0; from < list->count; from += LANES) {
        read_arcs(list, from, cull->rows + from, cull->stride, &lanes);
        write_run(&lanes, &candidates, cull->rows + from, cull->stride);
    }
    envelope_cull_pad(cull);
}
