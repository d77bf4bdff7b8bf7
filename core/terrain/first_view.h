/* Where a map of a world begins whose file has a rule for it: `view` with "where".
 *
 * The place that the rule should be near is checked first. Then a spiral of FIRST_VIEW_PLACES
 * places, each farther away and turned against the one before, is sampled at the level of detail of
 * a map that is four zooms farther out, some at once. The first place where the condition holds
 * there and at full detail is the centre. If there is none after FIRST_VIEW_CHECKS checks, it is
 * the first such place on land, that is above the sea, and else the place that it should be near.
 *
 * The result is a function of the world and the rule alone: the same on every machine. */
#ifndef TERRANE_TERRAIN_FIRST_VIEW_H
#define TERRANE_TERRAIN_FIRST_VIEW_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

enum {
    FIRST_VIEW_PLACES = 256, /* of the spiral */
    FIRST_VIEW_ONCE = 16,    /* of them, that are sampled in one call */
    FIRST_VIEW_CHECKS = 7,   /* of them, that are checked at full detail */
};

/* The number-th place of the spiral, from 0 on, of a view at that zoom. */
struct place first_view_candidate(struct place near, int zoom, unsigned number);
/* False for places of the spiral that are left out: near a place of the central square, ±2²⁴ m,
 * those outside of it; always those beyond ±2⁴⁰ m. */
bool first_view_allows(struct place near, struct place place);

/* The centre of the world's view; without a rule its place at once. Errors are those of the
 * sampler, and want of memory. */
bool first_view_find(struct sampler *sampler, const struct world *world, struct place *centre,
                     struct error *error);

/* The nanoseconds (core/price/sampling.h) that finding it takes at most: 0 without a rule. The seed
 * makes no difference. */
double first_view_time(const struct world *world);

#endif
