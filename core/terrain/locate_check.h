/* The conditions of a search, tested at full detail. */
#ifndef TERRANE_TERRAIN_LOCATE_CHECK_H
#define TERRANE_TERRAIN_LOCATE_CHECK_H

#include "core/terrain/locate.h"

/* True if the search has conditions of slope or water, which need the ground around a place. */
bool locate_needs_ground(const struct locate_search *search);

/* Candidates in the order of the search, and what is found among them. */
struct locate_candidates {
    const struct place *places;
    size_t count; /* 1 … LOCATE_CHECKS_ONCE */
    /* Filled in: */
    size_t first; /* the first place that satisfies the conditions; `count` if there is none */
    float value;  /* of the search's layer there */
};

/* The nanoseconds (core/world/inspect.h) that it takes to check so many places in so many calls, if
 * they lie `extent` metres across: the nearer they are to each other, the more they share. */
double locate_check_time(const struct world *world, const struct locate_search *search,
                         double places, double calls, double extent);

/* Samples all candidates at full detail in one call; fills in first and value. Errors are those of
 * sampler_points(). */
bool locate_check(struct sampler *sampler, const struct world *world,
                  const struct locate_search *search, struct locate_candidates *candidates,
                  struct error *error);

#endif
