/* Line of sight: whether one place can be seen from another, along a straight line over a plane. */
#ifndef TERRANE_TERRAIN_SIGHT_H
#define TERRANE_TERRAIN_SIGHT_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

enum {
    SIGHT_SAMPLES_MAX = 8192,
    SIGHT_BATCH = 256, /* places sampled at once */
    /* Metres between samples up to which they have full detail: beyond, each would need land of its
     * own. With SIGHT_SAMPLES_MAX, lines of 131 km. */
    SIGHT_FULL_STEP = 16,
};

struct sight_end {
    struct place place;
    double above;  /* metres above the ground */
    float ground;  /* filled in: metres */
    double height; /* filled in: metres, ground + above */
};

struct sight {
    struct sight_end from, to;
    double distance; /* metres between the two places on the map */
    double step;     /* metres between the samples of the ground */
    double spacing;  /* their level of detail: 0 up to SIGHT_FULL_STEP, beyond the step */
    bool clear;      /* no sample is above the line */
    /* The result is certain: the step is at most a metre, or the line is blocked at full detail. */
    bool complete;
    /* Unless clear: the first sample above the line, seen from `from` */
    struct place blocked;
    double blocked_distance; /* metres on the map */
    float blocked_ground;
    double blocked_line; /* the line's height there */
};

/* From the places of both ends: fills in distance, step and spacing, and returns the number of
 * steps.
 */
uint32_t sight_plan(struct sight *sight);

/* Reads place and `above` of both ends, and fills in the rest. The ground between is sampled at
 * equal distances of at most a metre, or at SIGHT_SAMPLES_MAX places if that would be more; that of
 * both ends at full detail. */
bool sight_trace(struct sampler *sampler, const struct world *world, struct sight *sight,
                 struct error *error);

#endif
