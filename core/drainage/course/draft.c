/* See draft.h. */
#include "core/drainage/course/draft.h"

enum { STREAM_LEVEL = 0x100 }; /* hashes of streams, apart from those of nodes */

void draft_begin(struct stream_draft *draft, const struct drainage_network *network,
                 const struct drainage_node *node, const struct stream_slot *slot)
{
    const struct place place = node_place(network, node->level, node->x, node->y);
    *draft = (struct stream_draft){
        .slot = *slot,
        .node = *node,
        .distance = 1e30f,
        .hash = node_hash(network, node->level + STREAM_LEVEL, node->x, node->y),
        .ends = {place, place},
    };
}

void draft_end(struct stream_draft *draft, struct place end)
{
    const float dx = units_to_metres(end.x - draft->ends[0].x);
    const float dy = units_to_metres(end.y - draft->ends[0].y);
    draft->ends[1] = end;
    draft->length = __builtin_sqrtf(dx * dx + dy * dy);
}
