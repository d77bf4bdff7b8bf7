/* Drafts: streams in the making, of which only the ends are known. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_DRAFT_H
#define TERRANE_DRAINAGE_COURSE_DRAFT_H

#include "core/drainage/network/segment.h"

/* Where a stream is written when it is finished. */
struct stream_slot {
    struct segment *segments;
    unsigned count;           /* of segments: those of the line, then those of a delta's arms */
    unsigned pieces;          /* of the line */
    struct segment_rows rows; /* those of the segments are from number `row` on, */
    size_t row;
    struct place origin; /* from this place */
};

struct stream_draft {
    struct stream_slot slot;
    struct drainage_node node;
    uint64_t hash;
    struct place ends[2];
    float bed[2], relief[2], target[2], flow[2]; /* at the ends */
    float lake;                                  /* as of segments */
    float length;                                /* metres from end to end, straight */
    float land;     /* at the node in views without the level, metres */
    float lift;     /* of the target at the node, towards that, metres */
    float distance; /* of the node from the streams that it may end on, metres; or large */
    unsigned end_level, end_piece; /* where it ends, as of segments */
    unsigned end_x, end_y;
    unsigned end_along;
    float apart; /* of the node from the stream that it ends on, metres: half if that is not the
                    nearest one; of level 0 the length */
    float room;  /* how far aside its parts swing at the node at the most, metres */
    float heading[2]; /* the direction of the stream that it joins, there: of length 1, or 0 */
};

/* Begins the draft of the stream from a node, with its hash and its first end. */
void draft_begin(struct stream_draft *draft, const struct drainage_network *network,
                 const struct drainage_node *node, const struct stream_slot *slot);
/* Sets the place where a stream ends. */
void draft_end(struct stream_draft *draft, struct place end);

#endif
