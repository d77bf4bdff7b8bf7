/* Leaves: which segments can be the lowest, or nearly so, anywhere in 4 × 4 cells, and in each.
 *
 * A segment is left out if the least that it can give in a cell is above the most that another one
 * gives, by more than ridges are rounded over. So it would never have been seen, and a sample is
 * the same as if all had been looked at. */
#include "core/drainage/leaf.h"

#include "core/base/lanes.h"
#include "core/drainage/drainage_private.h"
#include "core/drainage/lakes.h"

static const float HALF_DIAGONAL = 0.7072f; /* of a cell; rounded up */
static const float RADIUS_WIDTHS = 1.6f;    /* of a segment's land, in widths of the cell */
static const double FLAT_SAMPLES = 1.7;     /* squared */
static const float FLAT_WIDTHS = 0.8f;   /* half a river's, at most: land must end at the radius */
static const float HOLLOW_WIDTHS = 0.5f; /* sides are half as steep there as sides of one slope */
static const float SLOPE_WIDTHS = 0.225f, SLOPE_LEAST = 1.4f, SLOPE_MOST = 4.0f;
/* Sides may have this slope even in plains, as beds may rise by up to half of it (branches.c): else
 * the land beside a valley would end above its sides, in scales. */
static const float SLOPE_FREE = 0.16f;
static const float ROUNDING_WIDTHS = 0.11f;
static const float CROSS_SHARE = 0.4f; /* of the stream's own fall */

static struct kept_key leaf_key(const struct drainage *drainage, unsigned level, double metres,
                                int64_t x, int64_t y)
{
    return (struct kept_key){drainage->network->identity, x, y, level, metres};
}

struct leaf *leaf_find(struct drainage *drainage, unsigned level, double metres, int64_t x,
                       int64_t y)
{
    const struct kept_key key = leaf_key(drainage, level, metres, x, y);
    return (struct leaf *)kept_find(&drainage->leaves, &key);
}

/* The depth of a river, metres: see channel_half_width(). */
static float channel_depth(float flow)
{
    return 0.011f * __builtin_sqrtf(__builtin_sqrtf(flow));
}

static float smoothstep(float low, float high, float v)
{
    const float t = clamp_unit((v - low) / (high - low));
    return t * t * (3.0f - 2.0f * t);
}

/* Half the width of a valley's floor, metres: (flow in m²)^(5/16), narrower in ranges. */
static float floor_width(const struct segment *segment, float most)
{
    const float flow = 0.5f * (segment->flow[0] + segment->flow[1]);
    const float fourth = __builtin_sqrtf(__builtin_sqrtf(flow));
    const float sixteenth = __builtin_sqrtf(__builtin_sqrtf(fourth));
    const float relief = 0.5f * (segment->relief[0] + segment->relief[1]);
    const float width =
        0.3f * fourth * sixteenth * (1.0f - 0.8f * smoothstep(200.0f, 1500.0f, relief));
    return min_float(width, most);
}

/* The slope of the land beside a segment at one of its ends, where its sides begin: towards the
 * target height half a cell away, within limits that the relief sets. */
static float side_slope(const struct segment *segment, const struct drainage_network *network,
                        unsigned level, int end)
{
    const float slope = slope_beside(network, level + 1, segment->relief[end]);
    const float wanted =
        (segment->target[end] - segment->bed[end]) / (SLOPE_WIDTHS * cell_width(network, level));
    const float most = max_float(SLOPE_MOST * slope, SLOPE_FREE);
    const float side = max_float(min_float(wanted, most), SLOPE_LEAST * slope);
    return lake_side(segment, end, side, cell_width(network, level));
}

static struct candidate make_candidate(const struct segment *segment,
                                       const struct drainage_network *network, unsigned level,
                                       struct place middle, const struct leaf_view *view)
{
    const float width = cell_width(network, level);
    const float slope[2] = {side_slope(segment, network, level, 0),
                            side_slope(segment, network, level, 1)};
    const float flow = 0.5f * (segment->flow[0] + segment->flow[1]);
    const float half = channel_half_width(flow), river = min_float(half, FLAT_WIDTHS * width);
    /* A channel narrower than two samples is not cut: it would be a row of pits. Nor is one
     * under water. */
    const float shown = clamp_unit(half / (view->pixel + 1e-3f) - 1.0f);
    const bool wet = min_float(segment->bed[0], segment->bed[1]) < segment->lake;
    const float change = segment->bed[1] - segment->bed[0];
    return (struct candidate){
        .x = units_to_metres(segment->ends[0].x - middle.x),
        .y = units_to_metres(segment->ends[0].y - middle.y),
        .ux = segment->ux,
        .uy = segment->uy,
        .inverse = segment->inverse,
        .bed = segment->bed[0],
        .bed_change = change,
        .slope = slope[0],
        .slope_change = slope[1] - slope[0],
        .floor = 2.0f * floor_width(segment, 0.4f * width),
        .flat = max_float(view->flat, river * river),
        .cross = CROSS_SHARE * __builtin_fabsf(change) / (segment->length + 1.0f),
        .depth = wet ? 0.0f : channel_depth(flow) * shown,
        .channel = 2.0f / (half * half),
        .lake = segment->lake,
        .flow = segment->flow[0],
        .flow_change = segment->flow[1] - segment->flow[0],
        .order = (float)(network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1 - segment->level),
    };
}

/* Lists the segments whose land may reach the leaf. */
static bool list_segments(struct drainage *drainage, unsigned level, int64_t x, int64_t y)
{
    struct list_builder *list = &drainage->list;
    const struct cell_rect cells = leaf_cells((struct cell_rect){{x, y}, {x, y}});
    const float width = cell_width(drainage->network, level);
    const unsigned shift = cell_shift(drainage->network, level) + LEAF_LOG2;
    struct segment_list near = {.count = 0};
    if (level >= LEAF_LOG2) /* made first, in the same list */
        near = cell_list(drainage, LIST_NEAR, level - LEAF_LOG2, x, y);
    list_begin(list, shift, x, y, (RADIUS_WIDTHS + (float)LEAF_SIDE * HALF_DIAGONAL) * width);
    list_add_list(list, near, 0.0f, 0.0f);
    for (unsigned up = LEAF_LOG2; up-- > 0;)
        if (level >= up) {
            const struct cell_rect around = rect_grow(rect_ancestors(cells, up), leaf_margin(up));
            list_add_streams(list, drainage, level - up, &around);
        }
    return !list->failed;
}

/* Finds in which cells of the leaf each candidate matters: a bit for each cell. */
static void cull_cells(struct leaf_draft *draft, struct envelope_cull *cull,
                       const struct leaf_view *view, float width)
{
    cull->count = draft->count;
    for (uint32_t i = 0; i < draft->count; i++) {
        cull->numbers[i] = i;
        draft->cells[i] = 0;
    }
    envelope_cull_begin(cull, draft->candidates);
    for (unsigned cell = 0; cell < LEAF_CELLS; cell++) {
        const unsigned column = cell % LEAF_SIDE, row = cell / LEAF_SIDE;
        const struct envelope_box box = {((float)column - 1.5f) * width,
                                         ((float)row - 1.5f) * width, 0.5001f * width,
                                         0.5001f * width};
        const uint32_t kept = envelope_cull(cull, view, box);
        for (uint32_t i = 0; i < kept; i++)
            draft->cells[cull->kept[i]] |= (uint16_t)(1u << cell);
    }
}

/* Keeps the candidates that matter anywhere, and their sets. */
static struct leaf *keep_leaf(struct drainage *drainage, const struct kept_key *key,
                              const struct leaf_view *view)
{
    const struct leaf_draft *draft = &drainage->leaf_draft;
    uint32_t count = 0;
    for (uint32_t i = 0; i < draft->count; i++)
        count += draft->cells[i] != 0;
    const uint32_t words = (count + 31) / 32;
    struct leaf *leaf = (struct leaf *)kept_add(&drainage->leaves, key,
                                                sizeof *leaf + count * sizeof *leaf->candidates +
                                                    words * LEAF_CELLS * sizeof(uint32_t));
    if (!leaf)
        return NULL;
    leaf->view = *view;
    leaf->count = count;
    leaf->words = words;
    for (uint32_t i = 0, to = 0; i < draft->count; i++) {
        if (draft->cells[i] == 0)
            continue;
        leaf->candidates[to] = draft->candidates[i];
        for (unsigned bits = draft->cells[i]; bits != 0; bits &= bits - 1)
            leaf_set(leaf, (unsigned)__builtin_ctz(bits))[to / 32] |= 1u << to % 32;
        to++;
    }
    return leaf;
}

struct leaf *leaf_make(struct drainage *drainage, unsigned level, double metres, int64_t x,
                       int64_t y)
{
    const struct drainage_network *network = drainage->network;
    const float width = cell_width(network, level), radius = RADIUS_WIDTHS * width;
    const struct leaf_view view = {.pixel = (float)metres,
                                   .flat = (float)(FLAT_SAMPLES * metres * metres),
                                   .rounding = ROUNDING_WIDTHS * width,
                                   .hollow = 1.0f / (HOLLOW_WIDTHS * width),
                                   .inverse_radius = 1.0f / (radius * radius)};
    const struct kept_key key = leaf_key(drainage, level, metres, x, y);
    struct list_builder *list = &drainage->list;
    struct leaf_draft *draft = &drainage->leaf_draft;
    if (!list_segments(drainage, level, x, y) ||
        !reserve_items(&draft->candidates, &draft->candidate_capacity, list->count,
                       sizeof *draft->candidates) ||
        !reserve_items(&draft->cells, &draft->cell_capacity, list->count, sizeof *draft->cells) ||
        !envelope_cull_reserve(&drainage->cull, list->count))
        return NULL;
    draft->count = list->count;
    for (uint32_t i = 0; i < list->count; i++)
        draft->candidates[i] =
            make_candidate(list->segments[i], network, level, list->middle, &view);
    cull_cells(draft, &drainage->cull, &view, width);
    return keep_leaf(drainage, &key, &view);
}
