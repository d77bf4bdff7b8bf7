/* The shape of the land beside streams, by level and relief: what the courses of streams and the
 * land between them have in common. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_NETWORK_SLOPES_H
#define TERRANE_DRAINAGE_NETWORK_SLOPES_H

#include "core/base/lanes.h"
#include "core/drainage/network/nodes.h"
#include "core/drainage/network/shape.h"

/* The share of the relief that streams of a level cut: a power of SHAPE_RELIEF_SHARE, of which
 * level 1 has the first, 1; level 0 counts as 1. */
float relief_share(unsigned level);
/* How far beds of a level are below the target height, where the relief is `relief` metres: what
 * finer streams will cut. */
float bed_depth(unsigned level, float relief);
/* The slope of the land beside streams of a level, where the relief is `relief` metres: it rises as
 * steeply as the relief that they cut over the width of a cell, but not as cliffs. `share` is that
 * over that width, for a relief of 1. */
static inline float slope_share(const struct drainage_network *network, unsigned level)
{
    return relief_share(level) * (float)((uint32_t)1 << level) /
           (float)((uint32_t)1 << network->spacing_log2);
}
static inline float slope_of_relief(float relief, float share)
{
    const float s = relief * share;
    return s / (1.0f + SHAPE_SLOPE_SOFTNESS * s);
}
static inline float slope_beside(const struct drainage_network *network, unsigned level,
                                 float relief)
{
    return slope_of_relief(relief, slope_share(network, level));
}

/* How sides of valleys rise in a view. */
struct side_view {
    float width;       /* of its cells, metres */
    float slope_share; /* of the next finer level */
    float target;      /* the distance in which sides rise to their target, metres */
    float least, most; /* as of sides */
};
static inline struct side_view side_view_of(const struct drainage_network *network, unsigned level,
                                            const struct shape_sides *sides)
{
    const float width = cell_width(network, level);
    return (struct side_view){.width = width,
                              .slope_share = slope_share(network, level + 1),
                              .target = sides->target_widths * width,
                              .least = sides->least,
                              .most = sides->most};
}
/* The slope with which the side of a valley begins, on land: towards the target height, within
 * limits that the relief sets. */
TERRANE_INLINE float side_slope(float bed, float relief, float target, const struct side_view *view)
{
    const float slope = slope_of_relief(relief, view->slope_share);
    const float wanted = (target - bed) / view->target;
    const float most = max_float(view->most * slope, SHAPE_SIDE_FREE);
    return max_float(min_float(wanted, most), view->least * slope);
}

#endif
