/* The streams of a network as lines, and the way of the water along them.
 *
 * All is in full detail. Lines are in the network's own plane, where the world's displacement has
 * moved the land; what they are of, identities included, depends on the network and the cell alone.
 * Each call may use all of `drainage`, which is one thread's, as drainage_sample() does. */
#ifndef TERRANE_DRAINAGE_WALK_H
#define TERRANE_DRAINAGE_WALK_H

#include "core/drainage/drainage.h"

/* The node that a stream begins at: its level and its cell there, 2^drainage_cell_log2() metres
 * wide. */
struct drainage_node {
    unsigned level;
    int64_t x, y;
};

/* A point of a stream's line: on a piece of it. */
struct drainage_position {
    struct drainage_node node;
    unsigned piece; /* from 0; those of a delta's arms come after those of the line */
    struct place place;
    float bed; /* metres; of one that lies under the water of a lake, that of the water */
};

enum { DRAINAGE_POINTS_MAX = 12 };
struct drainage_point {
    struct place place;
    float bed;  /* likewise; at the next point not higher */
    float flow; /* m² of land upstream */
};

enum drainage_end {
    DRAINAGE_JOINS, /* another stream, at `next` */
    DRAINAGE_SINKS, /* the deepest place of a closed basin: in a lake, or in the sea */
    DRAINAGE_AT_SEA /* its bed is at 0 m there, or begins below */
};

/* A stream, or the rest of one, from upstream to downstream. */
struct drainage_stream {
    struct drainage_node node;
    uint64_t id;    /* a hash of the node; of an arm of its delta, another one */
    unsigned order; /* as of samples */
    unsigned count; /* of points: at least 1 */
    struct drainage_point points[DRAINAGE_POINTS_MAX];
    float lake; /* metres: the level of the lake that it ends in; −10⁶ if it ends in none */
    enum drainage_end end;
    struct drainage_position next; /* only of one that joins another */
};

/* The identity of the stream from a node that a piece belongs to, in the network with that key: of
 * the line, or of an arm of its delta. */
uint64_t drainage_stream_id(uint64_t key, const struct drainage_node *node, unsigned piece);

/* Finds the stream whose land a place is on, and the point of its line that is nearest. False when
 * memory is out. */
bool drainage_find(struct drainage *drainage, const struct drainage_network *network,
                   struct place place, struct drainage_position *position);

/* Writes a stream from a position on, to where it ends. So a walk down is: drainage_find(), then
 * drainage_follow() from each `next`, until one joins none. Beds never rise on the way; but the
 * land may be that of a deeper stream, which crosses this one or flows beside it. False when memory
 * is out. */
bool drainage_follow(struct drainage *drainage, const struct drainage_network *network,
                     const struct drainage_position *position, struct drainage_stream *stream);

/* Gives the whole stream of each node in a rect of cells of a level, inclusive, and the arms of its
 * delta, until `take` says false; 32 × 32 cells at a time, row by row. False if it did, or when
 * memory is out. */
bool drainage_streams(struct drainage *drainage, const struct drainage_network *network,
                      unsigned level, const int64_t low[2], const int64_t high[2],
                      bool (*take)(void *context, const struct drainage_stream *stream),
                      void *context);

#endif
