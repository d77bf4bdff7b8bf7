/* The way of the water from a place to the sea or to a lake, along the streams of the world's
 * drainage network. */
#ifndef TERRANE_TERRAIN_TRACE_H
#define TERRANE_TERRAIN_TRACE_H

#include "core/terrain/course.h"
#include "core/worldfile/world.h"

enum {
    TRACE_STREAMS_MAX = 1024,
    TRACE_LENGTH_MAX = 1 << 22, /* metres after which no further stream is followed */
    TRACE_PIECES_MAX = 4096,    /* that lines are divided into, besides the pieces of streams */
    TRACE_APART = 256,          /* metres between vertices, or more in a line that is longer than
                                   TRACE_PIECES_MAX of them */
};

/* A stream that the water follows, for a while. */
struct trace_stream {
    uint64_t id;
    unsigned order;
    size_t first; /* of its vertices */
};

enum trace_end {
    TRACE_NOWHERE, /* the world has no network, or the way is longer than is followed */
    TRACE_SEA,
    TRACE_LAKE
};

struct trace {
    struct place place; /* set by the caller: where the water comes from; */
    bool coarse;        /* only the points of streams, without vertices between them */
    /* Filled in. The first vertex is the place itself, with the ground as its bed; beds never
     * rise. */
    struct course line;
    struct trace_stream streams[TRACE_STREAMS_MAX];
    unsigned stream_count;
    enum trace_end end;
    float water;   /* the level of the water that it ends in, metres */
    double length; /* metres along the line */
    bool complete; /* it was followed to its end */
};
void trace_free(struct trace *trace);

/* Follows the water. A place in the sea or in a lake is its own end. Errors are those of
 * sampler_points(). */
bool trace_follow(struct sampler *sampler, const struct world *world, struct trace *trace,
                  struct error *error);

#endif
