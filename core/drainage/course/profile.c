/* See profile.h. */
#include "core/drainage/course/profile.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

/* The bed of a stream as it is followed downstream. */
struct bed_walk {
    float bed; /* so far */
    bool at_sea;
    float step; /* from joint to joint, a share of the stream */
};

/* The least fall of a stream's pieces, metres a metre: no more than the stream has as a whole. */
static float least_fall(const struct stream_draft *draft)
{
    const float change = draft->bed[0] - draft->bed[1];
    return change >= SHAPE_FALL_LEAST * draft->length ? SHAPE_FALL_LEAST
           : change > 0.0f                            ? change / draft->length
                                                      : 0.0f;
}

/* The bed at an inner joint: below the target by what streams of the level cut, but not below the
 * lake that the stream leads to; not above a line that is hollow as profiles of rivers are, and
 * falling on to the last end. */
static float joint_bed(const struct stream_draft *draft, float t, float target, float depth,
                       struct bed_walk *walk)
{
    const float rest = 1.0f - t, step = draft->length * walk->step;
    const float hollow = draft->bed[1] + (draft->bed[0] - draft->bed[1]) * rest *
                                             (SHAPE_PROFILE_EVEN + SHAPE_PROFILE_HOLLOW * rest);
    const float fall = least_fall(draft);
    const float upper = walk->bed - fall * step;
    const float lower = draft->bed[1] + fall * draft->length * rest;
    const float ground = max_float(target - depth, draft->lake);
    float bed = min_float(min_float(ground, hollow), upper);
    bed = min_float(max_float(bed, lower), walk->bed);
    walk->at_sea = walk->at_sea || target < SHAPE_SEA_FROM;
    if (walk->at_sea)
        bed = min_float(min_float(target - depth, SHAPE_SEA_BED), walk->bed);
    walk->bed = bed;
    return bed;
}

/* What a stream has at a joint, besides its bed. */
struct joint {
    float bed, relief, flow, target;
};

/* The inner joint at a share of a stream. */
static struct joint joint_at(const struct stream_draft *draft, float t, struct place place,
                             const struct course_ground *ground, struct bed_walk *walk)
{
    const struct field_lattice *fields = ground->fields;
    const float here = field_at(fields, fields->values.relief, place);
    const float along = draft->relief[0] + (draft->relief[1] - draft->relief[0]) * t;
    const float delta = deltas_height(ground->deltas, place);
    const float target = max_float(field_at(fields, fields->values.target, place), delta);
    const float lift = target >= SHAPE_SEA_FROM ? draft->lift * (1.0f - t) : 0.0f;
    const float depth = bed_depth(draft->node.level, here) - lift;
    struct joint joint = {.bed = joint_bed(draft, t, target, depth, walk),
                          .relief = 0.5f * (here + along),
                          .target = target};
    if (delta >= SHAPE_SEA_FROM && draft->bed[0] < 0.0f && draft->bed[1] > 0.0f)
        joint.bed = draft->bed[1] * t;
    return joint;
}

/* Names a piece of a stream, and where the stream ends. */
static void name_piece(const struct stream_draft *draft, unsigned piece, bool last,
                       struct segment *segment)
{
    segment->level = (uint8_t)draft->node.level;
    segment->piece = piece & 63;
    segment->last = last;
    segment->delta = 0;
    segment->end_level = draft->end_level & 15;
    segment->end_x = draft->end_x & 7;
    segment->end_y = draft->end_y & 7;
    segment->end_piece = draft->end_piece & 63;
    segment->end_along = (uint16_t)draft->end_along;
}

void profile_write(const struct stream_draft *draft, const struct place *joints,
                   const struct course_ground *ground)
{
    const struct stream_slot *slot = &draft->slot;
    const unsigned n = slot->pieces;
    struct place from = draft->ends[0];
    struct joint above = {draft->bed[0], draft->relief[0], draft->flow[0], draft->target[0]};
    struct bed_walk walk = {above.bed, false, 1.0f / (float)n};
    for (unsigned i = 1; i <= n; i++) {
        const float t = (float)i / (float)n;
        const struct place to = i == n ? draft->ends[1] : joints[i - 1];
        struct segment *segment = &slot->segments[i - 1];
        struct joint below = {draft->bed[1], draft->relief[1], 0.0f, draft->target[1]};
        if (i < n)
            below = joint_at(draft, t, to, ground, &walk);
        below.flow = draft->flow[0] + (draft->flow[1] - draft->flow[0]) * t;
        segment_place(segment, (const struct place[2]){from, to});
        name_piece(draft, i - 1, i == n, segment);
        for (int end = 0; end < 2; end++) {
            const struct joint *joint = end == 0 ? &above : &below;
            segment->bed[end] = joint->bed;
            segment->relief[end] = joint->relief;
            segment->flow[end] = joint->flow;
            segment->target[end] = joint->target;
        }
        segment->lake = walk.at_sea ? NO_LAKE : draft->lake;
        from = to;
        above = below;
    }
}
