/* The place nearest to another where a layer has a value that is looked for.
 *
 * The search looks at a square grid about the place, whose samples stand a step apart, and the
 * first one on the place itself: block after block from the middle outwards, until none that is
 * left can be nearer. So it is exhaustive at its step: what lies between samples it may miss. */
#ifndef TERRANE_TERRAIN_LOCATE_H
#define TERRANE_TERRAIN_LOCATE_H

#include "core/world/sampler.h"

enum {
    LOCATE_STEPS = 256,        /* of a radius */
    LOCATE_SLOPES_MAX = 10000, /* places looked at more closely, for slope or water */
};
#define LOCATE_RADIUS_MAX ((int64_t)1 << (24 + PLACE_BITS))
#define LOCATE_ANY_SLOPE 90.0f

struct locate_search {
    struct place place;
    int64_t radius;    /* 2⁻¹⁶ m: 1 m … LOCATE_RADIUS_MAX */
    unsigned layer;    /* whose sample must be … */
    float low, high;   /* in low … high, both included */
    float slope_high;  /* degrees the ground may slope at most there; LOCATE_ANY_SLOPE for any */
    bool dry;          /* whether the ground must be above the water, see terrain/surface.h */
    uint64_t cost_max; /* samples × the layer's cost that may be spent */
};

struct located {
    bool found;
    struct place place; /* the nearest; of equally near ones the northernmost, then westernmost */
    float value;        /* of the layer there */
    double distance;    /* metres */
    double bearing;     /* degrees clockwise from north, 0 where distance is 0 */
    int64_t step;       /* 2⁻¹⁶ m: a LOCATE_STEPS-th of the radius, 1 m at least */
    uint64_t samples;   /* looked at */
    bool complete;      /* nothing nearer, and if nothing was found nothing within the radius, is on
                           the grid; false where what may be spent ran out before that was known */
};

/* Errors are those of the sampler. */
bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error);

#endif
