/* The nearest place where a layer has a value within given limits.
 *
 * The search samples a square grid centred on the place, with samples a step apart, from the middle
 * outwards, until no remaining sample can be nearer. So it finds the nearest sample of the grid; it
 * may miss what lies between samples. */
#ifndef TERRANE_TERRAIN_LOCATE_H
#define TERRANE_TERRAIN_LOCATE_H

#include "core/world/sampler.h"

enum {
    LOCATE_STEPS = 256,        /* of a radius */
    LOCATE_BLOCK = 32,         /* a side of the squares that are sampled at once */
    LOCATE_SLOPES_MAX = 10000, /* places where slope or water are checked */
};
#define LOCATE_RADIUS_MAX ((int64_t)1 << (24 + PLACE_BITS))
#define LOCATE_ANY_SLOPE 90.0f

struct locate_search {
    struct place place;
    int64_t radius; /* 2⁻¹⁶ m: 1 m … LOCATE_RADIUS_MAX */
    unsigned layer;
    float low, high;   /* accepted samples of the layer, both ends included */
    float slope_high;  /* degrees: the steepest accepted ground; LOCATE_ANY_SLOPE for any */
    bool dry;          /* whether the ground must be above the water, see terrain/surface.h */
    uint64_t cost_max; /* the limit of samples × cost of the layer */
};

struct located {
    bool found;
    struct place place; /* the nearest; of equally near ones the northernmost, then westernmost */
    float value;        /* of the layer there */
    double distance;    /* metres */
    double bearing;     /* degrees clockwise from north, 0 where distance is 0 */
    int64_t step;       /* 2⁻¹⁶ m: a LOCATE_STEPS-th of the radius, 1 m at least */
    uint64_t samples;   /* that were sampled */
    bool
        complete; /* the result is final; false if cost_max or LOCATE_SLOPES_MAX ended the search */
};

/* Errors are those of the sampler. */
bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error);

#endif
