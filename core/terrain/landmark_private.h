/* The search for landmarks: internal to landmark.c and landmark_water.c. */
#ifndef TERRANE_TERRAIN_LANDMARK_PRIVATE_H
#define TERRANE_TERRAIN_LANDMARK_PRIVATE_H

#include <stdlib.h>

#include "core/terrain/landmark.h"
#include "core/worldfile/world.h"

/* The layers, in the order of landmark_layers(). */
enum { HEIGHT, BED, FLOW, DISTANCE, WATER = FLOW };

/* A search, and the samples of its grid, row by row from the north-western corner. */
struct survey {
    struct sampler *sampler;
    const struct world *world;
    const struct locate_search *search;
    enum landmark_kind kind;
    struct landmarks *landmarks;
    int32_t side;   /* samples */
    uint32_t count; /* of samples in all */
    float *rows[LANDMARK_LAYERS_MAX];
    float *marks[2]; /* of all samples: prominences of peaks and passes; or the first, what is a
                        river or lake */
};

/* Where a sample is, in steps east and south of the place; the square of its distance in steps;
 * true if it is within the radius. */
static inline int32_t survey_east(const struct survey *survey, uint32_t sample)
{
    return (int32_t)sample % survey->side - survey->side / 2;
}

static inline int32_t survey_south(const struct survey *survey, uint32_t sample)
{
    return (int32_t)sample / survey->side - survey->side / 2;
}

static inline uint64_t survey_square(const struct survey *survey, uint32_t sample)
{
    const int64_t east = survey_east(survey, sample), south = survey_south(survey, sample);
    return (uint64_t)(east * east + south * south);
}

static inline bool survey_is_within(const struct survey *survey, uint32_t sample)
{
    const double radius = place_metres(survey->search->radius);
    const double step = place_metres(survey->landmarks->located.step);
    return (double)survey_square(survey, sample) * step * step <= radius * radius;
}

/* True if all samples up to `steps` away on each axis are in the grid. */
static inline bool survey_is_inside(const struct survey *survey, uint32_t sample, int32_t steps)
{
    const int32_t reach = survey->side / 2 - steps;
    return abs(survey_east(survey, sample)) <= reach && abs(survey_south(survey, sample)) <= reach;
}

/* landmark_water.c: finds the nearest sources, mouths or lakes on the sampled grid. False when
 * memory is out, or with an error of the sampler. */
bool landmark_find_water(struct survey *survey, struct error *error);

#endif
