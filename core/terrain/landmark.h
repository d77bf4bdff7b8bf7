/* Landmarks around a place: peaks and passes, and sources, mouths and lakes of rivers.
 *
 * They are found on the grid of a search (locate.h), at its level of detail. A search gives as many
 * as it asks for: peaks and passes by their prominence, the greatest first, all others by their
 * distance, the nearest first.
 *
 * peak    a peak with its prominence (prominence.h)
 * pass    the key saddle of a peak, with the peak's prominence
 * source  a river sample whose bed is higher than that of all river samples around it
 * mouth   a river sample beside the sea whose bed is lower than that of all around it
 * lake    a lake, at its deepest sample: the samples around each other whose ground lies
 *         below the level of a lake
 *
 * A river sample is one on land, above 0 m, that is at most three quarters of a step away from a
 * stream that drains at least LANDMARK_SQUARES squares of the grid and 1 km². Around it are the
 * samples up to LANDMARK_REACH steps away on each axis: where streams meet, a river's samples may
 * be interrupted by one or two on the land of another stream.
 *
 * Sources, mouths and lakes need a world with a drainage network. A search finds those whose ground
 * is above 0 m, or below the lake's level, at full detail too. Among equals, the northernmost and
 * then westernmost one comes first. */
#ifndef TERRANE_TERRAIN_LANDMARK_H
#define TERRANE_TERRAIN_LANDMARK_H

#include "core/terrain/locate.h"
#include "core/worldfile/world.h"

/* The names of the kinds, in their order. */
#define LANDMARK_NAMES "peak pass source mouth lake"
enum landmark_kind { LANDMARK_PEAK, LANDMARK_PASS, LANDMARK_SOURCE, LANDMARK_MOUTH, LANDMARK_LAKE };

enum {
    LANDMARK_LAYERS_MAX = 4,
    LANDMARK_SQUARES = 1000,
    LANDMARK_REACH = 4,
    LANDMARK_FAILURES_MAX = 31, /* places that may fail at full detail in a search */
};

/* Further facts about a place that was found. */
struct landmark_facts {
    float prominence;  /* of a peak or pass, metres */
    float flow, width; /* of a source or mouth: m² upstream, metres */
    float level;       /* of a lake: metres */
    double area;       /* of a lake: m², as far as it lies in the grid */
};

struct landmarks {
    struct located located; /* in the order above; complete unless too many places have failed */
    struct landmark_facts facts[LOCATE_PLACES_MAX]; /* of each place */
};

/* True if a kind needs a world with a drainage network. */
bool landmark_needs_drainage(enum landmark_kind kind);
/* The layers that are sampled; returns how many. */
unsigned landmark_layers(const struct world *world, enum landmark_kind kind,
                         unsigned layers[LANDMARK_LAYERS_MAX]);
/* Samples along a side of the grid. */
uint32_t landmark_side(const struct locate_search *search);
/* Places that are looked at in full detail, at most. */
unsigned landmark_checks(const struct locate_search *search, enum landmark_kind kind);

struct landmark_search {
    const struct locate_search *circle; /* its place, radius, limit and detail */
    enum landmark_kind kind;
};
/* Errors are those of the sampler, and want of memory. */
bool landmark_find(struct sampler *sampler, const struct world *world,
                   const struct landmark_search *search, struct landmarks *landmarks,
                   struct error *error);

#endif
