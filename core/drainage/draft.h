/* Streams in the making. Internal to this folder. */
#ifndef TERRANE_DRAINAGE_DRAFT_H
#define TERRANE_DRAINAGE_DRAFT_H

#include "core/drainage/window.h"

/* A stream of which only the ends are known. */
struct stream_draft {
    struct stream_block *block;
    unsigned node;
    uint64_t hash;
    struct place ends[2];
    float bed[2], relief[2], target[2], flow[2]; /* at the ends */
    float lake;                                  /* as of segments */
    float length;                                /* metres from end to end, straight */
    float distance; /* of the node from the streams that it may end on, metres; or large */
    unsigned end_level, end_piece; /* where it ends, as of segments */
    unsigned end_x, end_y;
    size_t joint; /* its first inner one, in drainage->joints */
};

/* Adds blocks of a level that are missing, and a draft for each stream that is, with its hash and
 * first end. Returns the number of drafts; 0 when memory is out. */
size_t drafts_begin(struct drainage *drainage, unsigned level);
/* Sets the place where a stream ends. */
void draft_end(struct stream_draft *draft, struct place end);
/* Places the joints of the streams, whose ends are known, and samples fields around them. False
 * when memory is out. */
bool drafts_place(struct drainage *drainage, unsigned level, size_t count);
/* Lays a segment from one place to another. */
void segment_place(struct segment *segment, const struct place ends[2]);
/* The north-west corner of a block. */
struct place block_corner(const struct drainage_network *network, const struct stream_block *block);
/* Writes the segments of the streams, all else of which is known: beds follow the target, fall all
 * the way, and stay below the sea once they have reached it. */
void drafts_finish(struct drainage *drainage, unsigned level, size_t count);

#endif
