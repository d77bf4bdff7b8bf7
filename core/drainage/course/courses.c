/* See courses.h. The order is the same for all levels: where streams end, which joints they run
 * through, which fields are there, how high their beds are; then what changes finished streams:
 * lakes, and on level 0 deltas. */
#include "core/drainage/course/courses.h"

#include <stdlib.h>

#include "core/base/lanes.h"
#include "core/drainage/course/branches.h"
#include "core/drainage/course/lakes.h"
#include "core/drainage/course/profile.h"
#include "core/drainage/network/scratch.h"

/* The work of steps, in nanoseconds (core/base/work_meter.h): measured, roughly. */
enum {
    NODE_WORK = 600,    /* to make the stream of a node, */
    SEGMENT_WORK = 140, /* and each of its segments, without the fields */
};

void courses_free(struct courses *courses)
{
    free(courses->drafts);
    free(courses->joints);
    free(courses->trunks.nodes);
    free(courses->deltas.deltas);
}

size_t courses_bytes(const struct courses *courses)
{
    return courses->draft_capacity * sizeof *courses->drafts +
           courses->joint_capacity * sizeof *courses->joints +
           trunk_scratch_bytes(&courses->trunks) +
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

/* Finds where streams of finer levels end. */
static bool route_branches(const struct courses *courses, const struct drainage_network *network,
                           const struct course_source *source)
{
    for (size_t i = 0; i < courses->draft_count; i++) {
        struct stream_draft *draft = &courses->drafts[i];
        const struct drainage_node parent = branch_parent(draft);
        if (!add_work(courses, network, 1))
            return false;
        const struct segment_list visible = source->list_visible(source->context, &parent);
        if (visible.count == 0) /* memory is out */
            return false;
        branch_route(network, visible, draft);
    }
    return true;
}

/* The joints of a draft, of which each has n - 1. */
static struct place *joints_of(const struct courses *courses, size_t draft, unsigned n)
{
    return courses->joints + draft * (n - 1);
}

/* Places the joints of streams whose ends are known. */
static bool place_joints(struct courses *courses, const struct drainage_network *network)
{
    const unsigned n = pieces_of(courses);
    if (!reserve_items(&courses->joints, &courses->joint_capacity, courses->draft_count * (n - 1),
                       sizeof *courses->joints))
        return false;
    for (size_t i = 0; i < courses->draft_count; i++)
        bends_place_joints(&courses->bends, network, &courses->drafts[i], joints_of(courses, i, n));
    return true;
}

/* Samples fields around all ends and joints. */
static const struct field_lattice *sample_land(const struct courses *courses,
                                               const struct course_source *source)
{
    const unsigned level = courses->drafts->node.level, n = pieces_of(courses);
    const size_t joints = courses->draft_count * (n - 1);
    const struct place *first = courses->drafts->ends;
    struct field_part part = {level, false, {*first, *first}};
    for (size_t i = 0; i < courses->draft_count; i++)
        for (int end = 0; end < 2; end++)
            bounds_add(&part.bounds, courses->drafts[i].ends[end]);
    for (size_t i = 0; i < joints; i++)
        bounds_add(&part.bounds, courses->joints[i]);
    return source->sample_fields(source->context, &part);
}

/* Takes the ground at the ends of a stream; of one of a finer level, its bed at the node. */
static void take_ground(const struct drainage_network *network, const struct course_ground *ground,
                        struct stream_draft *draft)
{
    const struct field_lattice *fields = ground->fields;
    const struct place node = draft->ends[0];
    if (draft->node.level == 0) {
        trunk_take_fields(fields, draft);
        return;
    }
    const float target = max_float(field_at(fields, fields->values.target, node),
                                   deltas_height(ground->deltas, node));
    branch_set_bed(network, target, field_at(fields, fields->values.relief, node), draft);
}

static bool build_deltas(const struct courses *courses, const struct drainage_network *network,
                         const struct course_source *source)
{
    if (delta_segments(network, courses->drafts->node.level) == 0)
        return true;
    for (size_t i = 0; i < courses->draft_count; i++)
        if (!delta_build(network, &courses->drafts[i], source))
            return false;
    return true;
}

bool courses_make(struct courses *courses, const struct drainage_network *network,
                  const struct course_source *source)
{
    const unsigned level = courses->drafts->node.level, n = pieces_of(courses);
    const bool routed = level > 0 ? route_branches(courses, network, source)
                                  : add_work(courses, network, courses->draft_count) &&
                                        trunks_route(&courses->trunks, network, courses->drafts,
                                                     courses->draft_count, source);
    if (!routed || !place_joints(courses, network))
        return false;
    const struct course_ground ground = {sample_land(courses, source), &courses->deltas};
    if (!ground.fields)
        return false;
    for (size_t i = 0; i < courses->draft_count; i++)
        take_ground(network, &ground, &courses->drafts[i]);
    for (size_t i = 0; i < courses->draft_count; i++) {
        profile_write(&courses->drafts[i], joints_of(courses, i, n), &ground);
        lakes_dig(network, &courses->drafts[i], ground.fields);
    }
    return build_deltas(courses, network, source);
}
