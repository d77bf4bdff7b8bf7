/* Lakes. Internal to core/drainage.
 *
 * A lake with an outlet lies on some pieces of a stream: their bed is dug out, most in the middle,
 * as by a glacier, and the water has the level of the bed where the last of them ends: there it
 * flows out. A lake without an outlet lies where a stream of level 0 ends on land.
 *
 *      '-._                                    bed of the stream
 *          '-.______________ water ______      level
 *              '.                     _.-'-._
 *                '.________________.-'       '-._
 *          |     first    |     last      |
 *
 * Nothing else is changed: streams that end under water rise from there to the heights that they
 * would have without the lake, so the first part of their valleys is flooded. Where the target is
 * lower than the water, they rise to the water: else this would cover all low land that drains to
 * the reach. The shore is the line on which the land is as high as the water: with an arm in each
 * valley, and capes and islands between them, the finer the closer one looks. The land that drains
 * to a reach is nowhere lower than its outlet as long as no bed is dug out. Digging lets its
 * valleys take some of the land beside them, and only where this is lower than the outlet the water
 * ends at a ridge that is lower than the water.
 */
#ifndef TERRANE_DRAINAGE_COURSE_LAKES_H
#define TERRANE_DRAINAGE_COURSE_LAKES_H

#include "core/drainage/course/draft.h"
#include "core/drainage/network/fields.h"

/* Digs the lakes of a finished stream: one on a reach that is flat enough, if a hash of the stream
 * is below the field's share at its node; and the one that a stream of level 0 leads to. */
void lakes_dig(const struct drainage_network *network, const struct stream_draft *draft,
               const struct field_lattice *fields);

#endif
