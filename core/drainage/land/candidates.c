/* Candidates of a leaf are made from segments in runs of 16, field by field: few of them matter in
 * a leaf, and what culling reads of them are these rows. */
#include "core/drainage/land/candidates.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

/* What is the same for all candidates of a leaf. */
struct candidate_view {
    float width;       /* of the leaf's cells, metres */
    float slope_share; /* of the next finer level */
    float target;      /* the distance in which sides rise to their target, metres */
    float least, most; /* as of sides */
    float pixel, flat; /* as of the leaf's view */
    unsigned levels;   /* of the network, and 1 */
};

/* What only the ends of segments have, or what candidates have in another form. */
struct end_lanes {
    float bed[LANES], relief[LANES], target[LANES], flow[LANES];
};
struct segment_lanes {
    struct end_lanes ends[2];
    float length[LANES];
};

/* Reads LANES segments: those after the last repeat it. What candidates have in the same form goes
 * to their rows, from number `from` on. */
static void read_segments(const struct list_builder *list, uint32_t from, float *row, size_t stride,
                          struct segment_lanes *lanes)
{
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t number = from + i < list->count ? from + i : list->count - 1;
        const struct segment *segment = list->segments[number];
        row[ROW_X * stride + i] = units_to_metres(segment->ends[0].x - list->middle.x);
        row[ROW_Y * stride + i] = units_to_metres(segment->ends[0].y - list->middle.y);
        row[ROW_UX * stride + i] = segment->ux;
        row[ROW_UY * stride + i] = segment->uy;
        row[ROW_INVERSE * stride + i] = segment->inverse;
        row[ROW_LAKE * stride + i] = segment->lake;
        row[ROW_ORDER * stride + i] = (float)segment->level;
        lanes->length[i] = segment->length;
        for (int end = 0; end < 2; end++) {
            lanes->ends[end].bed[i] = segment->bed[end];
            lanes->ends[end].relief[i] = segment->relief[end];
            lanes->ends[end].target[i] = segment->target[end];
            lanes->ends[end].flow[i] = segment->flow[end];
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

/* The slope of the land beside a place of a stream whose bed is `depth` metres below the level of
 * its lake, if that is more than 0, in a view whose cells are `width` metres wide; on land the
 * slope would be `side`. It is gentle under water, so that what lies between the lake's streams is
 * under water, too. Near the shore it turns into that on land: land that rose so gently farther
 * than it reaches would end in a cliff. */
TERRANE_INLINE float lake_side(float depth, float relief, float side, float width)
{
    const float slope = lake_slope(relief);
    const float from_shore = depth / (SHAPE_LAKE_SHORE_WIDTHS * slope * width);
    const float wet = slope + (side - slope) * (1.0f - clamp_unit(from_shore));
    return depth > 0.0f && side >= slope ? wet : side;
}

/* The slope of the land beside an end of a segment, where its sides begin: towards the target
 * height half a cell away, within limits that the relief sets. */
TERRANE_INLINE float side_slope(float bed, float relief, float target, float lake,
                                const struct candidate_view *view)
{
    const float slope = slope_of_relief(relief, view->slope_share);
    const float wanted = (target - bed) / view->target;
    const float most = max_float(view->most * slope, SHAPE_SIDE_FREE);
    const float side = max_float(min_float(wanted, most), view->least * slope);
    return lake_side(lake - bed, relief, side, view->width);
}

TERRANE_INLINE void write_land(const struct segment_lanes *restrict lanes,
                               const struct candidate_view *restrict view, float *restrict row,
                               size_t stride)
{
    const struct end_lanes *restrict a = &lanes->ends[0], *restrict b = &lanes->ends[1];
    TERRANE_INDEPENDENT_NO_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const float lake = row[ROW_LAKE * stride + i], change = b->bed[i] - a->bed[i];
        const float slope = side_slope(a->bed[i], a->relief[i], a->target[i], lake, view);
        const float end_slope = side_slope(b->bed[i], b->relief[i], b->target[i], lake, view);
        row[ROW_BED * stride + i] = a->bed[i];
        row[ROW_BED_CHANGE * stride + i] = change;
        row[ROW_SLOPE * stride + i] = slope;
        row[ROW_SLOPE_CHANGE * stride + i] = end_slope - slope;
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
        const float river = min_float(half, SHAPE_RIVER_WIDTHS * view->width);
        /* A channel narrower than two samples is not cut: it would be a row of pits. Nor is one
         * under water. */
        const float shown = clamp_unit(half / (view->pixel + 1e-3f) - 1.0f);
        const bool wet = min_float(a->bed[i], b->bed[i]) < row[ROW_LAKE * stride + i];
        row[ROW_FLOOR * stride + i] =
            2.0f * floor_width(flow, relief, SHAPE_FLOOR_WIDTHS * view->width);
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
    const float width = cell_width(network, level);
    const struct candidate_view candidates = {
        .width = width,
        .slope_share = slope_share(network, level + 1),
        .target = sides.target_widths * width,
        .least = sides.least,
        .most = sides.most,
        .pixel = view->pixel,
        .flat = view->flat,
        .levels = network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1,
    };
    struct segment_lanes lanes;
    cull->count = list->count;
    cull->stride = ((size_t)list->count + LANES - 1) / LANES * LANES;
    for (uint32_t from = 0; from < list->count; from += LANES) {
        read_segments(list, from, cull->rows + from, cull->stride, &lanes);
        write_run(&lanes, &candidates, cull->rows + from, cull->stride);
    }
}
