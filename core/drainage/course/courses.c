/* See courses.h. The order is the same for all levels: where streams end, which joints they run
 * through, which fields are there, how high their beds are; then what changes finished streams:
 * lakes, and on level 0 deltas. */
#include "core/drainage/course/courses.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/course/branches.h"
#include "core/drainage/course/curves.h"
#include "core/drainage/course/lakes.h"
#include "core/drainage/course/profile.h"
#include "core/drainage/network/scratch.h"

/* The work of steps, in nanoseconds (core/base/work_meter.h): measured, roughly. */
enum {
    NODE_WORK = 400,    /* to make the stream of a node, */
    SEGMENT_WORK = 100, /* and each of its segments, without the fields */
};

void courses_free(struct courses *courses)
{
    free(courses->drafts);
    free(courses->joints);
    free(courses->points.squares);
    free(courses->points.along);
    trunk_scratch_free(&courses->trunks);
    delta_scratch_free(&courses->mouths);
    free(courses->deltas.deltas);
}

size_t courses_bytes(const struct courses *courses)
{
    return courses->draft_capacity * sizeof *courses->drafts +
           courses->joint_capacity * sizeof *courses->joints +
           (courses->square_capacity + courses->along_capacity) * sizeof(float) +
           trunk_scratch_bytes(&courses->trunks) + delta_scratch_bytes(&courses->mouths) +
           courses->deltas.capacity * sizeof *courses->deltas.deltas;
}

void courses_begin(struct courses *courses, const struct drainage_network *network)
{
    bends_begin(&courses->bends, network);
    courses->deltas.count = 0;
}

bool courses_begin_level(struct courses *courses, size_t most)
{
    courses->draft_count = 0;
    return reserve_items(&courses->drafts, &courses->draft_capacity, most, sizeof *courses->drafts);
}

void courses_add(struct courses *courses, const struct drainage_network *network,
                 const struct drainage_node *node, const struct stream_slot *slot)
{
    draft_begin(&courses->drafts[courses->draft_count++], network, node, slot);
}

/* The pieces of each of the streams that are made. */
static unsigned pieces_of(const struct courses *courses)
{
    return courses->drafts->slot.pieces;
}

static bool add_work(const struct courses *courses, const struct drainage_network *network,
                     size_t streams)
{
    const uint64_t work = NODE_WORK + (uint64_t)pieces_of(courses) * SEGMENT_WORK;
    return network_add_work(network, streams * work);
}

/* Makes room for the nearest points on so many segments. */
static bool reserve_points(struct courses *courses, size_t count)
{
    struct segment_points *points = &courses->points;
    return reserve_items(&points->squares, &courses->square_capacity, count, sizeof(float)) &&
           reserve_items(&points->along, &courses->along_capacity, count, sizeof(float));
}

/* The target at a place of the land. */
static float target_at(const struct course_ground *ground, struct place place)
{
    const struct field_lattice *fields = ground->fields;
    return max_float(field_at(fields, fields->values.target, place),
                     deltas_height(ground->deltas, place));
}

/* Takes the target at the nodes of streams, by which they choose the ones that they join. */
static bool take_targets(struct courses *courses, const struct course_source *source)
{
    struct place *nodes = courses->joints;
    for (size_t i = 0; i < courses->draft_count; i++)
        nodes[i] = courses->drafts[i].ends[0];
    const struct field_part part = {courses->drafts->node.level, false, nodes,
                                    courses->draft_count};
    const struct course_ground ground = {source->sample_fields(source->context, &part),
                                         &courses->deltas};
    for (size_t i = 0; i < courses->draft_count && ground.fields; i++)
        courses->drafts[i].target[0] = target_at(&ground, nodes[i]);
    return ground.fields;
}

/* Finds where streams of finer levels end. */
static bool route_branches(struct courses *courses, const struct drainage_network *network,
                           const struct course_source *source)
{
    if (!take_targets(courses, source))
        return false;
    for (size_t i = 0; i < courses->draft_count; i++) {
        struct stream_draft *draft = &courses->drafts[i];
        const struct drainage_node parent = branch_parent(draft);
        if (!add_work(courses, network, 1))
            return false;
        const struct arc_list visible = source->list_visible(source->context, &parent);
        if (visible.count == 0 || !reserve_points(courses, visible.rows.count))
            return false; /* memory is out */
        branch_route(network, visible, courses->points, draft);
    }
    return true;
}

/* The n - 1 joints of a draft. */
static struct place *joints_of(const struct courses *courses, size_t draft, unsigned n)
{
    return courses->joints + draft * (n + 1) + 1;
}

/* Makes room for the joints and ends of all streams. */
static bool reserve_joints(struct courses *courses)
{
    return reserve_items(&courses->joints, &courses->joint_capacity,
                         courses->draft_count * (pieces_of(courses) + 1), sizeof *courses->joints);
}

/* Places the joints of streams whose ends are known. */
static void place_joints(struct courses *courses, const struct drainage_network *network)
{
    const unsigned n = pieces_of(courses);
    for (size_t i = 0; i < courses->draft_count; i++) {
        struct stream_draft *draft = &courses->drafts[i];
        struct place *joints = joints_of(courses, i, n);
        joints[-1] = draft->ends[0];
        bends_place_joints(&courses->bends, network, draft, joints);
        joints[n - 1] = draft->ends[1];
        draft->room = bends_room(&courses->bends, network, draft);
    }
}

/* Samples fields around all ends and joints. */
static const struct field_lattice *sample_land(const struct courses *courses,
                                               const struct course_source *source)
{
    const struct field_part part = {courses->drafts->node.level, false, courses->joints,
                                    courses->draft_count * (pieces_of(courses) + 1)};
    return source->sample_fields(source->context, &part);
}

/* Takes the ground at the ends of a stream; of one of a finer level, its bed at the node. */
static void take_ground(const struct drainage_network *network, const struct course_ground *ground,
                        struct stream_draft *draft)
{
    if (draft->node.level == 0)
        trunk_take_fields(ground->fields, draft);
    else
        branch_set_bed(network, target_at(ground, draft->ends[0]),
                       field_at(ground->fields, ground->fields->values.relief, draft->ends[0]),
                       draft);
}

/* Begins a stream without arms: segments without length. */
static void clear_arms(const struct stream_slot *slot)
{
    memset(slot->segments + slot->pieces, 0, (slot->count - slot->pieces) * sizeof *slot->segments);
}

/* Writes the rows of finished streams, for comparing; none of arms that are missing. */
static void write_rows(const struct courses *courses)
{
    for (size_t i = 0; i < courses->draft_count; i++) {
        const struct stream_slot *slot = &courses->drafts[i].slot;
        for (unsigned k = 0; k < slot->count; k++) {
            const struct arc arc = arc_of(&slot->segments[k]);
            const bool none = k >= slot->pieces && slot->segments[k].length == 0.0f;
            arc_write(slot->rows, slot->row + k, none ? NULL : &arc, slot->origin);
        }
    }
}

bool courses_make(struct courses *courses, const struct drainage_network *network,
                  const struct course_source *source)
{
    const unsigned level = courses->drafts->node.level, n = pieces_of(courses);
    const bool routed = reserve_joints(courses) &&
                        (level > 0 ? route_branches(courses, network, source)
                                   : add_work(courses, network, courses->draft_count) &&
                                         trunks_route(&courses->trunks, network, courses->drafts,
                                                      courses->draft_count, source));
    if (!routed)
        return false;
    place_joints(courses, network);
    const struct course_ground ground = {sample_land(courses, source), &courses->deltas};
    if (!ground.fields)
        return false;
    for (size_t i = 0; i < courses->draft_count; i++)
        take_ground(network, &ground, &courses->drafts[i]);
    for (size_t i = 0; i < courses->draft_count; i++) {
        clear_arms(&courses->drafts[i].slot);
        profile_write(&courses->drafts[i], joints_of(courses, i, n), &ground);
        lakes_dig(network, &courses->drafts[i], ground.fields);
    }
    if (delta_segments(network, level) > 0 &&
        !deltas_build(&courses->mouths, network, courses->drafts, courses->draft_count, source))
        return false;
    for (size_t i = 0; i < courses->draft_count; i++)
        curves_set(&courses->drafts[i]);
    write_rows(courses);
    return true;
}
