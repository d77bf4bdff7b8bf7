/* How finished streams curve between their joints. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_CURVES_H
#define TERRANE_DRAINAGE_COURSE_CURVES_H

#include "core/drainage/course/draft.h"

/* Sets how the segments of a finished stream curve: from `lean` to `reach`. Those of deltas are
 * straight. */
void curves_set(const struct stream_draft *draft);

#endif
