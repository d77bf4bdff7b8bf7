/* The streams of a network as lines, and the way of the water along them.
 *
 * All is in full detail. A stream has points where its pieces meet, where it begins and ends, and
 * at shores alone; drainage_curve_vertices() gives the course between them, as exactly as is asked
 * for. A place that was found on a stream lies on the course that land has, which is exact to two
 * metres at the best (drainage_exactness()). Lines are in the network's own plane, where the
 * world's displacement has moved the land; what they are of, identities included, depends on the
 * network and the cell alone. Each call may use all of `drainage`, which is one thread's, as
 * drainage_sample() does. */
#ifndef TERRANE_DRAINAGE_WALK_H
#define TERRANE_DRAINAGE_WALK_H

#include "core/drainage/drainage.h"
#include "core/drainage/store/stream.h"

/* Finds the stream whose land a place is on, and the point of its course that is nearest, of the
 * piece from which the land is the lowest. False when memory is out. */
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
