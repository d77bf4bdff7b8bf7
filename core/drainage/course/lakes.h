/* Lakes. Internal to core/drainage.
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
#ifndef TERRANE_DRAINAGE_COURSE_LAKES_H
#define TERRANE_DRAINAGE_COURSE_LAKES_H

#include "core/drainage/course/draft.h"
#include "core/drainage/network/fields.h"

/* Digs the lakes of a finished stream: one on a reach that is flat enough, if a hash of the stream
 * is below the field's share at its node; and the one that a stream of level 0 leads to. */
void lakes_dig(const struct drainage_network *network, const struct stream_draft *draft,
               const struct field_lattice *fields);

/* How far the bed of a stream that ends under water may rise, in metres, if on land it may rise by
 * a slope of `most`; large if it ends elsewhere. */
float lake_rise(const struct stream_draft *draft, float most);

#endif
