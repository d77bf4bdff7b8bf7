/* The nearest place where a layer has a value within given limits.
 *
 * The search samples a square grid centred on the place, with samples a step apart, from the middle
 * outwards, until no remaining sample can be nearer. What satisfies the conditions there is checked
 * again at full detail, the nearest first, and the first place that passes is the result. So the
 * result has no nearer sample that passes both; the search may miss what lies between samples, and
 * what is too fine for their level of detail. */
#ifndef TERRANE_TERRAIN_LOCATE_H
#define TERRANE_TERRAIN_LOCATE_H

#include "core/world/sampler.h"

enum {
    LOCATE_STEPS = 256,       /* of a radius */
    LOCATE_BLOCK = 32,        /* a side of the squares that are sampled at once */
    LOCATE_CHECKS_ONCE = 256, /* places that are checked in one call of the sampler, at most */
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
    bool full_detail;  /* of the grid's samples, whose level of detail else is the step */
    uint64_t cost_max; /* the limit of samples × cost of the layer */
    /* The limits of what is checked at full detail: places, and nanoseconds that they take in all,
     * by the estimate of locate_check_time(); 0 for any time. */
    size_t checks_max;
    double checks_time_max;
};

struct located {
    bool found;
    struct place place; /* the nearest; of equally near ones the northernmost, then westernmost */
    float value;        /* of the layer there, at full detail */
    double distance;    /* metres */
    double bearing;     /* degrees clockwise from north, 0 where distance is 0 */
    int64_t step;       /* 2⁻¹⁶ m: a LOCATE_STEPS-th of the radius, 1 m at least */
    double spacing;     /* metres: the level of detail of the grid, 0 is full detail */
    uint64_t samples;   /* of the grid, that were sampled */
    bool complete;      /* the result is final; false if one of the limits ended the search */
};

/* The step of a search, and the level of detail of its grid; the rest is empty. */
struct located locate_begin(const struct locate_search *search);
/* Sets what was found: the place so many steps east and south of the search's. */
void locate_set_place(const struct locate_search *search, int32_t east, int32_t south,
                      struct located *located);

/* Errors are those of the sampler, and want of memory. */
bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error);

#endif
