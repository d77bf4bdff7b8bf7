/* The condition of a search, tested at full detail. */
#ifndef TERRANE_TERRAIN_LOCATE_CHECK_H
#define TERRANE_TERRAIN_LOCATE_CHECK_H

#include "core/terrain/locate.h"
#include "core/worldfile/world.h"

/* Candidates of a search. */
struct locate_candidates {
    struct place places[LOCATE_CHECKS_ONCE];
    size_t count;                    /* 1 … LOCATE_CHECKS_ONCE */
    bool passes[LOCATE_CHECKS_ONCE]; /* filled in: the condition holds */
};

/* The nanoseconds (core/price/sampling.h) that it takes to check so many places in so many calls,
 * if they lie `extent` metres across: the nearer they are to each other, the more they share. */
double locate_check_time(const struct world *world, const struct condition_needs *needs,
                         double places, double calls, double extent);

/* Samples all candidates at full detail and fills in `passes`. Errors are those of
 * sampler_points(). */
bool locate_check(struct sampler *sampler, const struct world *world,
                  const struct condition *condition, struct locate_candidates *candidates,
                  struct error *error);

#endif
