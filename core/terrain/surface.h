/* The ground's shape at a place: slope and aspect from the heights beside it. */
#ifndef TERRANE_TERRAIN_SURFACE_H
#define TERRANE_TERRAIN_SURFACE_H

#include "core/world/sampler.h"

struct surface {
    float height; /* metres */
    float slope;  /* degrees from level, 0 … 90 */
    float aspect; /* degrees clockwise from north, the way the slope falls; 0 where level */
    float water;  /* height of the water's surface in metres, whether or not it is above ground */
};

/* The world's layer "water_level", metres: where water would stand. -1 if it has none; water stands
 * at 0 then. */
int surface_water_layer(const struct world *world);

/* The heights of the ground in metres at full detail, z = t = 0, at `count` places. Errors are
 * those of sampler_points(). */
bool surface_heights(struct sampler *sampler, const struct world *world, const struct place *places,
                     size_t count, float *heights, struct error *error);

/* Central differences over 2 × max(spacing, 1) metres, at the level of detail `spacing` (metres; 0
 * is full detail). Errors are those of sampler_points(). */
bool surface_at(struct sampler *sampler, const struct world *world, struct place place,
                double spacing, int64_t z, int64_t t, struct surface *surface, struct error *error);

#endif
