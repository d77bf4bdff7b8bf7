/* Streams as lines, for walks along them. Lines are in the network's own plane. */
#ifndef TERRANE_DRAINAGE_STORE_STREAM_H
#define TERRANE_DRAINAGE_STORE_STREAM_H

#include "core/drainage/network/network.h"

/* A point of a stream's line: on a piece of it. */
struct drainage_position {
    struct drainage_node node;
    unsigned piece; /* from 0; those of a delta's arms come after those of the line */
    float along;    /* the share of the piece that is upstream: 0 … 1 */
    struct place place;
    float bed; /* metres; of one that lies under the water of a lake, that of the water */
};

enum { DRAINAGE_POINTS_MAX = 36 }; /* the ends of 32 pieces, and shores */
/* How a stream curves from a point to the next one: a part of the course of a piece
 * (network/arc.h), from a share of it to another one, against its direction if that is less. */
struct drainage_curve {
    struct place ends[2];
    float lean[2], room[2], winding, half_wave;
    float shares[2];
};
struct drainage_point {
    struct place place;
    float bed;                   /* likewise; at the next point not higher */
    float flow;                  /* m² of land upstream */
    struct drainage_curve curve; /* not of the last one */
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

/* Takes the place of a stream at a share of its way from a point to the next one, where its bed and
 * its flow are between theirs by that share. False ends the giving. */
struct vertex_taker {
    bool (*take)(void *context, struct place place, float share);
    void *context;
};
/* How far from the straight line between the ends of its piece, in metres, a course is anywhere at
 * the most. */
double drainage_curve_reach(const struct drainage_curve *curve);
/* How a course is laid out as a line, in metres: nearly as exactly as `exact`, but without vertices
 * within its parts that are not longer than `least`. Land has the line for drainage_exactness(),
 * which is two metres at the least, and 0. */
struct curve_detail {
    double exact, least;
};
/* Gives the vertices of a line between a point of a stream and the next one, in order. All lie on
 * the course. False if `take` said so. */
bool drainage_curve_vertices(const struct drainage_curve *curve, struct curve_detail detail,
                             const struct vertex_taker *taker);

/* The identity of the stream from a node in the network with that key: of the line (arm 0), or of
 * an arm of its delta, from 1. */
uint64_t drainage_stream_id(uint64_t key, const struct drainage_node *node, unsigned arm);
/* The arm that a piece belongs to, in full detail, or 0. */
unsigned drainage_stream_arm(unsigned spacing_log2, const struct drainage_node *node,
                             unsigned piece);

#endif
