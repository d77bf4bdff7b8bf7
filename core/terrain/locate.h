/* The nearest places where a condition holds.
 *
 * The search samples a square grid centred on the place, with samples a step apart, from the middle
 * outwards, until no remaining sample can be nearer. Where the condition holds there, as far as it
 * does not name the slope, it is checked again as a whole at full detail, the nearest place first,
 * and the first places that pass are the results. So no nearer sample passes both; the search may
 * miss what lies between samples, and what is too fine for their level of detail. */
#ifndef TERRANE_TERRAIN_LOCATE_H
#define TERRANE_TERRAIN_LOCATE_H

#include "core/language/condition.h"
#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

enum {
    LOCATE_STEPS = 256,       /* of a radius, at most */
    LOCATE_BLOCK = 32,        /* a side of the squares that are sampled at once */
    LOCATE_CHECKS_ONCE = 256, /* places that are checked in one call of the sampler, at most */
    LOCATE_PLACES_MAX = 100,  /* results */
};
#define LOCATE_RADIUS_MAX ((int64_t)1 << (24 + PLACE_BITS))

struct locate_search {
    struct place place;
    int64_t radius;                    /* 2⁻¹⁶ m: 1 m … LOCATE_RADIUS_MAX */
    int64_t min_distance;              /* 2⁻¹⁶ m: nearer places are no results */
    int64_t apart;                     /* 2⁻¹⁶ m: the least distance between two results */
    unsigned limit;                    /* results, 1 … LOCATE_PLACES_MAX */
    unsigned steps;                    /* of the radius, at most; 0 is LOCATE_STEPS */
    const struct condition *condition; /* of the world */
    bool full_detail;     /* of the grid's samples, whose level of detail else is the step */
    uint64_t octaves_max; /* the limit of samples × octaves of the layers */
    /* The limits of what is checked at full detail: places, and nanoseconds that they take in all,
     * by the estimate of locate_check_time(); 0 for any time. */
    size_t checks_max;
    double checks_time_max;
};

struct located_place {
    struct place place;
    float height;    /* of the ground at full detail, metres */
    double distance; /* metres */
    double bearing;  /* degrees clockwise from north, 0 where distance is 0 */
};

struct located {
    /* The results, the nearest first; equally near ones from north to south, then from west to
     * east. Each is the first one that is far enough from those before it. */
    struct located_place places[LOCATE_PLACES_MAX];
    unsigned count;
    int64_t step;     /* 2⁻¹⁶ m: a part of the radius (see `steps`), 1 m at least */
    double spacing;   /* metres: the level of detail of the grid, 0 is full detail */
    uint64_t samples; /* of the grid, that were looked at */
    bool complete;    /* the results are final; false if one of the limits ended the search */
};

/* False with ERROR_VALUE, without a path, if no place of the search can be far enough. */
bool locate_check_min_distance(const struct locate_search *search, struct error *error);

/* The step of a search, and the level of detail of its grid; the rest is empty. */
struct located locate_begin(const struct locate_search *search);
/* The place so many steps east and south of the search's. */
struct place locate_place(const struct locate_search *search, int64_t step, int32_t east,
                          int32_t south);
/* Adds this place to what was found, with distance and bearing. */
void locate_add_place(const struct locate_search *search, int32_t east, int32_t south,
                      struct located *located);

/* Errors are those of the sampler, and want of memory. */
bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error);

#endif
