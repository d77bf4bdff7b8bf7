/* Lakes. Internal to this folder.
 *
 * A lake with an outlet lies on some pieces of a stream: their bed is dug out below the level that
 * it has where the last of them ends, and there the water flows out. A lake without one lies where
 * a stream of level 0 ends on land.
 *
 *      '-._                                    bed of the stream
 *          '-.______________ water ______      level
 *              '.                     _.-'-._
 *                '.________________.-'       '-._
 *          |     first    |     last      |
 *
 * All streams that end under water are in the lake as far as their beds are lower than its level;
 * these rise by a slope of their own there. So the shore is about as far from the lake's line as
 * the lake is deep, over that slope, and it is the same line at each level of detail that has the
 * lake's stream, but for what finer streams add to it: bays. Where the valley next to a lake is
 * deeper than the lake's level, the ridge between them may be, too: then the shore is that ridge.
 */
#ifndef TERRANE_DRAINAGE_LAKES_H
#define TERRANE_DRAINAGE_LAKES_H

#include "core/base/lanes.h"
#include "core/drainage/draft.h"

/* True if streams of a level may have lakes: long ones, of several pieces. */
bool level_has_lakes(const struct drainage_network *network, unsigned level);

/* Digs a lake into a finished stream of n pieces, if a hash of its node is below `share`, and there
 * is a reach that is flat enough. */
void lake_dig(struct segment *segments, unsigned n, const struct stream_draft *draft, float share);
/* Digs the lake that a finished stream of level 0 leads to, whose cells are `width` metres wide. */
void lake_dig_sink(struct segment *segments, unsigned n, const struct stream_draft *draft,
                   float width);

/* How far the bed of a stream that ends under water may rise, in metres, if on land it may rise by
 * a slope of `most`; large if it ends elsewhere. */
float lake_rise(const struct stream_draft *draft, float most);
/* The slope of the ground under water. */
TERRANE_INLINE float lake_slope(float relief)
{
    return 0.012f + 2.5e-5f * relief;
}
/* The slope of the land beside a place of a stream whose bed is `depth` metres below the level of
 * its lake, if that is more than 0, in a view whose cells are `width` metres wide; on land the
 * slope would be `side`. It is gentle under water, so that what lies between the lake's streams is
 * under water, too. Near the shore it turns into that on land: land that rose so gently farther
 * than it reaches would end in a cliff. */
TERRANE_INLINE float lake_side(float depth, float relief, float side, float width)
{
    const float shore_widths = 0.5f; /* shores are seen from there, in widths of a view's cell */
    const float slope = lake_slope(relief);
    const float from_shore = depth / (shore_widths * slope * width);
    const float wet = slope + (side - slope) * (1.0f - clamp_unit(from_shore));
    return depth > 0.0f && side >= slope ? wet : side;
}

#endif
