/* Courses: the way of streams from their nodes to where they end, and their beds. Internal to
 * core/drainage.
 *
 * Streams of a level are made together: courses_begin_level(), courses_add() for each node, then
 * courses_make(), which writes the segments of each to its slot. Streams of level 0 lead from node
 * to node (trunks.c), all others to streams of coarser levels (branches.c). What they are is
 * decided by the network and their node alone; what is read besides, through a course_source, are
 * the streams that are coarser, and samples of the fields. */
#ifndef TERRANE_DRAINAGE_COURSE_COURSES_H
#define TERRANE_DRAINAGE_COURSE_COURSES_H

#include "core/drainage/course/bends.h"
#include "core/drainage/course/deltas.h"
#include "core/drainage/course/source.h"
#include "core/drainage/course/trunks.h"

/* Scratch memory of one thread; and the deltas that streams of a request look at. All zero to begin
 * with. */
struct courses {
    struct stream_draft *drafts;
    size_t draft_count, draft_capacity;
    struct place *joints; /* of the drafts: of each its ends, too, as the first and the last */
    size_t joint_capacity;
    struct segment_points points; /* of visible segments */
    size_t square_capacity, along_capacity;
    struct bend_cells bends;
    struct trunk_scratch trunks;
    struct delta_scratch mouths;
    struct delta_list deltas;
};

void courses_free(struct courses *courses);
size_t courses_bytes(const struct courses *courses);
/* Begins a load: the streams that follow are of this network, and no delta is known. */
void courses_begin(struct courses *courses, const struct drainage_network *network);
/* Begins a level, with room for up to `most` streams. False when memory is out. */
bool courses_begin_level(struct courses *courses, size_t most);
/* Adds the stream from a node, all of one level. */
void courses_add(struct courses *courses, const struct drainage_network *network,
                 const struct drainage_node *node, const struct stream_slot *slot);
/* Makes the streams that were added, one or more. False when memory or work is out: then none of
 * them counts as made. Streams of finer levels take deltas to be where courses->deltas has them:
 * all that are near must be listed there by then (delta_list_add()). */
bool courses_make(struct courses *courses, const struct drainage_network *network,
                  const struct course_source *source);

#endif
