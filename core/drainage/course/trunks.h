/* Level 0: which node each stream leads to. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_TRUNKS_H
#define TERRANE_DRAINAGE_COURSE_TRUNKS_H

#include "core/drainage/course/draft.h"
#include "core/drainage/course/source.h"

/* Scratch memory: the nodes around those whose streams are made. */
struct trunk_scratch {
    struct trunk_node *nodes;
    struct place *places; /* of the nodes */
    size_t capacity, place_capacity;
};

/* Finds where the streams of level 0 end, with their beds and flows there and at their nodes. False
 * when memory or work is out. */
bool trunks_route(struct trunk_scratch *scratch, const struct drainage_network *network,
                  struct stream_draft *drafts, size_t count, const struct course_source *source);
/* Takes the fields at both ends of a stream. */
void trunk_take_fields(const struct field_lattice *fields, struct stream_draft *draft);
void trunk_scratch_free(struct trunk_scratch *scratch);
size_t trunk_scratch_bytes(const struct trunk_scratch *scratch);

#endif
