/* The ground at a place: height, slope, aspect and water level. */
#ifndef TERRANE_TERRAIN_SURFACE_H
#define TERRANE_TERRAIN_SURFACE_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

struct surface {
    float height; /* metres */
    float slope;  /* degrees from level, 0 … 90 */
    float aspect; /* degrees clockwise from north, the direction in which the ground falls; 0 where
                     level */
    float water;  /* height of the water level in metres, also where it is below the ground */
};

/* The index of the layer "water_level", in metres; -1 if the world has none, and its water level is
 * 0. */
int surface_water_layer(const struct world *world);

/* The heights of the ground in metres at the points. Errors are those of sampler_points(). */
bool surface_heights(struct sampler *sampler, const struct world *world,
                     const struct sample_points *points, float *heights, struct error *error);

/* The places that a surface is computed from: the place itself, then its neighbours in the west,
 * east, north and south, max(spacing, 1) metres away. */
enum { SURFACE_PLACES = 5 };
void surface_places(struct place place, double spacing, struct place places[SURFACE_PLACES]);

/* The surface by central differences, from the heights of surface_places() and the water level at
 * the place. */
struct surface surface_of_heights(const float heights[SURFACE_PLACES], float water, double spacing);

#endif
