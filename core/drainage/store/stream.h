/* Streams as lines, for walks along them. Lines are in the network's own plane. */
#ifndef TERRANE_DRAINAGE_STORE_STREAM_H
#define TERRANE_DRAINAGE_STORE_STREAM_H

#include "core/drainage/network/network.h"

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

#endif
