/* The profile of a stream: its bed from joint to joint. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_PROFILE_H
#define TERRANE_DRAINAGE_COURSE_PROFILE_H

#include "core/drainage/course/deltas.h"
#include "core/drainage/course/draft.h"
#include "core/drainage/network/fields.h"

/* The ground that streams of a level are laid into. */
struct course_ground {
    const struct field_lattice *fields; /* around all ends and joints */
    const struct delta_list *deltas;
};

/* Writes the segments of a stream, all else of which is known, to its slot: beds follow the target,
 * fall all the way, and stay below the sea once they have reached it. */
void profile_write(const struct stream_draft *draft, const struct place *joints,
                   const struct course_ground *ground);

#endif
