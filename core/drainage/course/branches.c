/* Levels from 1 on: streams from each node to a stream of the levels above.
 *
 * A node joins the visible segment on whose land it lies, a way downstream of its nearest point, so
 * that streams meet at acute angles; but where its way would cross another stream, it joins that
 * one. Its bed rises from there by a slope between limits, towards a height below the target by
 * what the next level will cut: so neighbouring valleys agree on the height of the ridge between
 * them though they come from different rivers. In part it rises towards the land that views without
 * its level have at the node, so that zooms agree, too. From a lake it rises to the water at least.
 * Whose land a node lies on is decided by the steepest slope that beds have: where a node joined a
 * stream that was too far for its bed to rise to the others around, its way would cross theirs, in
 * a trench, and cliffs would stand between them. */
#include "core/drainage/course/branches.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

struct junction {
    const struct segment *segment; /* that it is on, */
    unsigned share;                /* at this number of END_SHARES */
    struct place place;
    float bed, relief, target, lake;
};

/* What changes evenly along a segment, at a number of END_SHARES. */
static float at_share(const float ends[2], unsigned share)
{
    return share == END_SHARES ? ends[1]
                               : ends[0] + (ends[1] - ends[0]) * ((float)share / (float)END_SHARES);
}

/* The point `metres` downstream of a point on a segment, or the end of its stream: to about so many
 * metres. */
static struct junction walk_down(const struct segment *segment, float along, float metres,
                                 float exact)
{
    while (metres > (1.0f - along) * segment->length && !segment->last) {
        metres -= (1.0f - along) * segment->length;
        segment++;
        along = 0.0f;
    }
    if (segment->length > 0.0f)
        along += metres / segment->length;
    const bool inside = along < 1.0f && segment->length > 0.0f;
    const unsigned share = inside ? arc_end_share(segment, along, exact) : END_SHARES;
    return (struct junction){
        .segment = segment,
        .share = share,
        .place = arc_place(segment, share),
        .bed = at_share(segment->bed, share),
        .relief = at_share(segment->relief, share),
        .target = at_share(segment->target, share),
        .lake = segment->lake,
    };
}

/* Names the segment that a stream ends on, from the cell of its node's parent. */
static void name_junction(const struct drainage_network *network,
                          const struct drainage_node *parent, const struct segment *segment,
                          struct stream_draft *draft)
{
    const unsigned shift = cell_shift(network, segment->level);
    const unsigned up = parent->level - segment->level;
    const struct place node = (segment - segment->piece)->ends[0];
    draft->end_level = segment->level;
    draft->end_piece = segment->piece;
    draft->end_x = (unsigned)((node.x >> shift) - (parent->x >> up) + END_OFFSET);
    draft->end_y = (unsigned)((node.y >> shift) - (parent->y >> up) + END_OFFSET);
}

/* How far downstream of a segment's nearest point, at `along`, a stream from a place joins it, in
 * metres. Ways that have the same angle to a line do not cross, if all join the nearest one: so
 * behind the end of the segment the way is what the angle leaves of it, not a share of the distance
 * from there. Where a stream begins, ways from behind would all lead to its beginning: there their
 * angle is the smaller the nearer they end to it, within `fan` metres. */
static float way_down(const struct segment *segment, struct place place, float distance,
                      float along, float fan)
{
    if (along >= 1.0f || (along > 0.0f && segment->piece > 0) || segment->length == 0.0f)
        return SHAPE_JOIN_LEAN * distance;
    const float x = units_to_metres(place.x - segment->ends[0].x);
    const float y = units_to_metres(place.y - segment->ends[0].y);
    const float ahead = (x * segment->ux + y * segment->uy) / segment->length;
    const float aside = __builtin_fabsf(x * segment->uy - y * segment->ux) / segment->length;
    float end = ahead + SHAPE_JOIN_LEAN * aside; /* from the segment's beginning */
    fan = segment->piece > 0 ? 0.0f : min_float(fan, segment->length);
    if (end < fan) { /* end = ahead + (SHAPE_JOIN_LEAN + fan / end - 1) * aside */
        const float half = 0.5f * (end - aside);
        end = half + __builtin_sqrtf(half * half + aside * fan);
    }
    return max_float(end - along * segment->length, 0.0f);
}

/* The steepest slope of streams of a level. */
static float steepest(const struct drainage_network *network, unsigned level, float relief)
{
    return SHAPE_RISE_MOST * slope_beside(network, level, relief + SHAPE_RISE_RELIEF_FREE);
}

/* True if two arcs are of the same stream. */
static bool same_stream(const struct arc *a, const struct arc *b)
{
    return a->segment - a->segment->piece == b->segment - b->segment->piece;
}

/* The bed of a stream at a share of an arc of it. */
static float bed_on(const struct arc *arc, float along)
{
    const float *bed = arc->segment->bed;
    return bed[0] + (bed[1] - bed[0]) * arc_share(arc, along);
}

/* The number of the nearest arc of a stream, from the lowest of them on upstream, as far as beds
 * are not above the node's target. Where a bed falls more than the slope rises that decides what is
 * lowest, that is an arc far downstream: the way to it would lead along the stream, and land that
 * drains to the way would leave the stream hanging above it. */
static uint32_t nearest_upstream(struct arc_list list, uint32_t lowest, float target,
                                 struct segment_points points)
{
    const float most = max_float(bed_on(list.arcs[lowest], points.along[lowest]), target);
    uint32_t nearest = lowest;
    for (uint32_t i = lowest; i > 0; i--) { /* arcs of a stream stand side by side */
        const struct arc *arc = list.arcs[i - 1];
        if (!same_stream(arc, list.arcs[lowest]) || bed_on(arc, points.along[i - 1]) > most)
            break;
        nearest = points.squares[i - 1] < points.squares[nearest] ? i - 1 : nearest;
    }
    return nearest;
}

/* The number of the stream on whose land a node is that has a target: of the nearest and those
 * within SHAPE_JOIN_WIDTHS, the one from whose bed a slope rises to the least height. If the
 * nearest one were joined instead, streams on a plateau would reach to the rim of the valley beside
 * it, with a cliff between them and those that reach up from there. Where low land lies beside
 * higher land, and a stream of that were joined, the low land would be a plateau as high as its
 * bed: so beds above the target count as higher than they are, the more the farther they are, as
 * what is beside a stream is its valley. */
static uint32_t find_lowest(const struct drainage_network *network,
                            const struct stream_draft *draft, struct arc_list list,
                            uint32_t nearest, struct segment_points points)
{
    const unsigned level = draft->node.level;
    const float relief = list.arcs[nearest]->segment->relief[0], target = draft->target[0];
    const float limit = SHAPE_JOIN_WIDTHS * cell_width(network, level);
    const struct segment_rise rise = {steepest(network, level, relief), target, SHAPE_JOIN_ABOVE,
                                      limit};
    if (points.squares[nearest] > limit * limit)
        return nearest;
    return nearest_upstream(list, segment_lowest(list.rows, &rise, points), target, points);
}

/* The first crossing of the way to a junction, on which the stream then ends; else the junction. */
static struct junction end_before_crossing(struct arc_list list, struct segment_way way,
                                           const struct stream_draft *draft,
                                           struct junction junction)
{
    float along;
    way.dx = units_to_metres(junction.place.x - draft->ends[0].x);
    way.dy = units_to_metres(junction.place.y - draft->ends[0].y);
    const uint32_t crossed = segment_crossing(list.rows, &way, &along);
    if (crossed >= list.count)
        return junction;
    const struct arc *arc = list.arcs[crossed];
    return walk_down(arc->segment, arc_share(arc, along), 0.0f, 0.0f);
}

/* The height of the land beside a segment, at a distance from the point at `along`, in views whose
 * finest streams are of the level above: what they show where a stream of the level begins. */
static float coarser_land(const struct drainage_network *network, unsigned level,
                          const struct segment *segment, float along, float distance)
{
    const double metres = (double)cell_width(network, level - 1) / SHAPE_CELL_SAMPLES;
    const struct shape_sides sides = drainage_sides(network, level - 1, metres);
    const struct side_view view = side_view_of(network, level - 1, &sides);
    const float d = min_float(distance, view.width), widths = d / view.width;
    const float up = side_slope(segment->bed[0], segment->relief[0], segment->target[0], &view);
    const float down = side_slope(segment->bed[1], segment->relief[1], segment->target[1], &view);
    const float bed = segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
    const float reach = widths / SHAPE_LAND_WIDTHS;
    return bed + (up + (down - up) * along) * d /
                     ((1.0f + widths / sides.hollow_widths) * (1.0f - reach * reach));
}

/* Where a stream of a level ends, in view of those of a list. */
static struct junction find_junction(const struct drainage_network *network, unsigned level,
                                     struct arc_list list, struct segment_points points,
                                     struct stream_draft *draft)
{
    const struct place place = draft->ends[0];
    const float width = cell_width(network, level), fan = SHAPE_JOIN_FAN_WIDTHS * width;
    const struct segment_way from = {units_to_metres(place.x - list.middle.x),
                                     units_to_metres(place.y - list.middle.y), 0.0f, 0.0f};
    const uint32_t nearest = segment_nearest(list.rows, from.x, from.y, points);
    const uint32_t lowest = find_lowest(network, draft, list, nearest, points);
    const struct arc *arc = list.arcs[lowest];
    const struct segment *segment = arc->segment;
    const float distance = __builtin_sqrtf(points.squares[lowest]);
    const float along = arc_share(arc, points.along[lowest]);
    const float room = max_float(SHAPE_JOIN_LENGTH_WIDTHS * width - distance, 0.0f);
    const float way = min_float(way_down(segment, place, distance, along, fan), room);
    if (level >= SHAPE_LAND_LEVEL)
        draft->land = coarser_land(network, level, segment, along, distance);
    draft->apart = lowest == nearest ? distance : 0.5f * distance;
    draft->distance = lowest == nearest ? distance : 0.0f; /* others may come nearer to the way */
    return end_before_crossing(list, from, draft,
                               walk_down(segment, along, way, SHAPE_JOIN_EXACT_WIDTHS * width));
}

struct drainage_node branch_parent(const struct stream_draft *draft)
{
    const struct drainage_node *node = &draft->node;
    return (struct drainage_node){node->level - 1, node->x >> 1, node->y >> 1};
}

void branch_route(const struct drainage_network *network, struct arc_list list,
                  struct segment_points points, struct stream_draft *draft)
{
    const unsigned level = draft->node.level;
    const struct drainage_node parent = branch_parent(draft);
    const struct junction junction = find_junction(network, level, list, points, draft);
    const float width = cell_width(network, level);
    draft_end(draft, junction.place);
    name_junction(network, &parent, junction.segment, draft);
    draft->end_along = junction.share;
    arc_heading(junction.segment, junction.share, draft->heading);
    draft->bed[1] = junction.bed;
    draft->relief[1] = junction.relief;
    draft->target[1] = junction.target;
    draft->lake = junction.lake;
    draft->flow[0] = SHAPE_BRANCH_FLOW * width * width;
    draft->flow[1] = width * width;
}

void branch_set_bed(const struct drainage_network *network, float target, float relief,
                    struct stream_draft *draft)
{
    const unsigned level = draft->node.level;
    const float length = draft->length;
    if (level >= SHAPE_LAND_LEVEL && target >= SHAPE_SEA_FROM)
        draft->lift = SHAPE_LAND_SHARE * (draft->land - target);
    const float wanted = target + draft->lift - bed_depth(level, relief) - draft->bed[1];
    const float mean = 0.5f * (relief + draft->relief[1]);
    const float most = steepest(network, level, mean);
    const float least =
        (SHAPE_RISE_LEAST * slope_beside(network, level, mean) + SHAPE_FALL_LEAST) * length;
    float rise =
        wanted * (SHAPE_RISE_SHARE + SHAPE_RISE_SHARE_RANGE * hash_fraction(draft->hash, 0));
    const float dug = max_float(draft->lake - draft->bed[1], 0.0f); /* out of the bed at its end */
    rise = max_float(min_float(max_float(rise, dug + least), most * length), least);
    if (target < SHAPE_SEA_FROM) {
        rise = wanted;
        draft->lake = NO_LAKE;
    }
    draft->relief[0] = relief;
    draft->target[0] = target;
    draft->bed[0] = draft->bed[1] + rise;
}
