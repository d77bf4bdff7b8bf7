/* Lakes that rivers flow through. Internal to this folder.
 *
 * Some pieces of a stream are dug out below the level of the lower end of the last one, which is
 * the lake's outlet. So the water stands at that level: in the stream, and in all streams that end
 * in it, as far as their beds are lower. Under water beds rise by a slope of their own, gentle
 * enough for a lake that is so wide as the place of its middle line is deep. */
#ifndef TERRANE_DRAINAGE_LAKES_H
#define TERRANE_DRAINAGE_LAKES_H

#include "core/drainage/draft.h"

/* True if streams of a level may have lakes: those of several pieces. */
bool level_has_lakes(const struct drainage_network *network, unsigned level);

/* Digs a lake into a finished stream of n pieces, if a hash of its node is below `share`. */
void lake_dig(struct segment *segments, unsigned n, const struct stream_draft *draft, float share);

/* The slope of the ground under water where the relief is `relief` metres. */
float lake_slope(float relief);

float lake_side(const struct segment *segment, int end, float side, float width);

/* How much the bed of a stream that ends under water may rise, at most, if otherwise it may rise by
 * `most` metres; large if it ends elsewhere. */
float lake_rise(const struct stream_draft *draft, float most);

#endif
