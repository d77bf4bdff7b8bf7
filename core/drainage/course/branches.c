/* Levels from 1 on: streams from each node to a stream of the levels above.
 *
 * A node joins the visible segment on whose land it lies, a way downstream of its nearest point, so
 * that streams meet at acute angles; but where its way would cross another stream, it joins that
 * one. Its bed rises from there towards the target, less what the next level will cut, by a slope
 * between limits: so neighbouring valleys agree on the height of the ridge between them though they
 * come from different rivers. Whose land a node lies on is decided by the same slope, the steepest
 * that beds have: where a node joined a stream that was too far for its bed to rise to the others
 * around, its way would cross theirs, in a trench, and cliffs would stand between them. */
#include "core/drainage/course/branches.h"

#include "core/base/lanes.h"
#include "core/drainage/course/crossing.h"
#include "core/drainage/course/lakes.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

struct junction {
    const struct segment *segment; /* that it is on */
    struct place place;
    float bed, relief, target, lake;
};

/* The point `metres` downstream of a point on a segment, or the end of its stream. */
static struct junction walk_down(const struct segment *segment, float along, float metres)
{
    while (metres > (1.0f - along) * segment->length && !segment->last) {
        metres -= (1.0f - along) * segment->length;
        segment++;
        along = 0.0f;
    }
    if (segment->length > 0.0f)
        along += metres / segment->length;
    struct junction junction = {
        segment,      segment->ends[1], segment->bed[1], segment->relief[1], segment->target[1],
        segment->lake};
    if (along < 1.0f && segment->length > 0.0f) {
        junction.place =
            (struct place){segment->ends[0].x + place_from_metres((double)(along * segment->ux)),
                           segment->ends[0].y + place_from_metres((double)(along * segment->uy))};
        junction.bed = segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
        junction.relief = segment->relief[0] + (segment->relief[1] - segment->relief[0]) * along;
        junction.target = segment->target[0] + (segment->target[1] - segment->target[0]) * along;
    }
    return junction;
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

/* The height at a place that a slope from a segment's bed rises to; far up if the segment is more
 * than `limit` metres away. */
static float land_height(const struct segment *segment, struct place place, float slope,
                         float limit)
{
    float along;
    const float square = segment_distance(segment, place, &along);
    const float bed = segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
    return square <= limit * limit ? bed + slope * __builtin_sqrtf(square) : 1e30f;
}

/* The stream on whose land a place is, which is at (x, y) of the list: of the nearest and those at
 * most `limit` metres away, the one from whose bed a slope rises to the least height. If the
 * nearest one were joined instead, streams on a plateau would reach to the rim of the valley beside
 * it, with a cliff between them and those that reach up from there. */
static const struct segment *find_lowest(struct segment_list list, float x, float y, float limit,
                                         const struct segment *nearest, struct place place,
                                         float slope)
{
    const struct segment_box box = {x - limit, x + limit, y - limit, y + limit};
    const struct segment *lowest = nearest;
    float least = land_height(nearest, place, slope, 1e15f), squares[LANES];
    for (uint32_t run = 0; run < list.count; run += LANES) {
        uint32_t bits = segments_in_box(list.rows, run, &box);
        if (bits != 0)
            segment_run_squares(list.rows, run, x, y, squares);
        for (; bits != 0; bits &= bits - 1) {
            const unsigned i = (unsigned)__builtin_ctz(bits);
            const struct segment *segment = list.segments[run + i];
            /* The least that it may be, with room for rounding. */
            const float rise = slope * (0.999f * __builtin_sqrtf(squares[i]) - 1.0f) - 0.01f;
            const float bed = min_float(segment->bed[0], segment->bed[1]);
            if (segment->bed[1] >= least || bed + rise > least)
                continue;
            const float height = land_height(segment, place, slope, limit);
            lowest = height <= least ? segment : lowest;
            least = min_float(height, least);
        }
    }
    return lowest;
}

/* Where a stream of a level ends, in view of those of a list. */
static struct junction find_junction(const struct drainage_network *network, unsigned level,
                                     struct segment_list list, struct stream_draft *draft)
{
    const struct place place = draft->ends[0];
    const float width = cell_width(network, level);
    const float x = units_to_metres(place.x - list.middle.x);
    const float y = units_to_metres(place.y - list.middle.y);
    const struct segment *nearest = list.segments[segment_nearest(list.rows, x, y)];
    const float slope = steepest(network, level, nearest->relief[0]);
    const struct segment *lowest =
        find_lowest(list, x, y, SHAPE_JOIN_WIDTHS * width, nearest, place, slope);
    float along;
    const float distance = __builtin_sqrtf(segment_distance(lowest, place, &along));
    const float room = max_float(SHAPE_JOIN_LENGTH_WIDTHS * width - distance, 0.0f);
    const float way =
        min_float(way_down(lowest, place, distance, along, SHAPE_JOIN_FAN_WIDTHS * width), room);
    const struct junction junction = walk_down(lowest, along, way);
    const struct crossing crossing = first_crossing(list, place, junction.place);
    draft->distance = lowest == nearest ? distance : 0.0f; /* others may come nearer to the way */
    return crossing.segment ? walk_down(crossing.segment, crossing.along, 0.0f) : junction;
}

struct drainage_node branch_parent(const struct stream_draft *draft)
{
    const struct drainage_node *node = &draft->node;
    return (struct drainage_node){node->level - 1, node->x >> 1, node->y >> 1};
}

void branch_route(const struct drainage_network *network, struct segment_list list,
                  struct stream_draft *draft)
{
    const unsigned level = draft->node.level;
    const struct drainage_node parent = branch_parent(draft);
    const struct junction junction = find_junction(network, level, list, draft);
    const float width = cell_width(network, level);
    draft_end(draft, junction.place);
    name_junction(network, &parent, junction.segment, draft);
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
    const float wanted = target - bed_depth(level, relief) - draft->bed[1];
    const float mean = 0.5f * (relief + draft->relief[1]);
    const float most = steepest(network, level, mean);
    const float least =
        (SHAPE_RISE_LEAST * slope_beside(network, level, mean) + SHAPE_FALL_LEAST) * length;
    float rise =
        wanted * (SHAPE_RISE_SHARE + SHAPE_RISE_SHARE_RANGE * hash_fraction(draft->hash, 0));
    rise = max_float(min_float(rise, most * length), least);
    rise = min_float(rise, lake_rise(draft, most));
    if (target < SHAPE_SEA_FROM) {
        rise = wanted;
        draft->lake = NO_LAKE;
    }
    draft->relief[0] = relief;
    draft->target[0] = target;
    draft->bed[0] = draft->bed[1] + rise;
}
