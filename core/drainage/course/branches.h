/* Levels from 1 on: which stream each stream joins, and the bed at its node. Internal to
 * core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_BRANCHES_H
#define TERRANE_DRAINAGE_COURSE_BRANCHES_H

#include "core/drainage/course/draft.h"
#include "core/drainage/network/arc.h"

/* The cell that the cell of a stream's node is a quarter of. */
struct drainage_node branch_parent(const struct stream_draft *draft);
/* Finds where a stream ends, among the segments that are visible from its parent's cell, with what
 * it has there and its flows. `points` is scratch memory for all of them. */
void branch_route(const struct drainage_network *network, struct arc_list visible,
                  struct segment_points points, struct stream_draft *draft);
/* Sets the bed at the node of a stream, where the target height and the relief are these. */
void branch_set_bed(const struct drainage_network *network, float target, float relief,
                    struct stream_draft *draft);

#endif
