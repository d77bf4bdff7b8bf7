/* How courses bend between their ends. Internal to this folder. */
#ifndef TERRANE_DRAINAGE_BENDS_H
#define TERRANE_DRAINAGE_BENDS_H

#include "core/drainage/draft.h"

/* The inner joint number i of n of a stream of a level. */
struct place joint_place(const struct drainage_network *network, unsigned level,
                         const struct stream_draft *draft, unsigned i, unsigned n);

#endif
