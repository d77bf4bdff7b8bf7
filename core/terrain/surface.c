/* Slope and aspect from four neighbours, by central differences along the axes. */
#include "core/terrain/surface.h"

#include <math.h>

#include "core/terrain/angle.h"

int surface_water_layer(const struct world *world)
{
    return world_find_layer(world, "water_level");
}

bool surface_heights(struct sampler *sampler, const struct world *world,
                     const struct sample_points *points, float *heights, struct error *error)
{
    const unsigned layer = world_height_layer(world);
    const struct sample_request request = {&layer, &heights, 1};
    return sampler_points(sampler, world_program(world), points, &request, error);
}

/* Metres to the neighbours. */
static double reach_of(double spacing)
{
    return spacing > 1 ? spacing : 1;
}

void surface_places(struct place place, double spacing, struct place places[SURFACE_PLACES])
{
    const int64_t offset = (int64_t)(reach_of(spacing) * (double)PLACE_METRE);
    places[0] = place;
    places[1] = (struct place){place.x - offset, place.y};
    places[2] = (struct place){place.x + offset, place.y};
    places[3] = (struct place){place.x, place.y - offset};
    places[4] = (struct place){place.x, place.y + offset};
}

struct surface surface_of_heights(const float heights[SURFACE_PLACES], float water, double spacing)
{
    const double distance = 2 * reach_of(spacing);
    const double east = ((double)heights[2] - (double)heights[1]) / distance;
    const double south = ((double)heights[4] - (double)heights[3]) / distance;
    const float aspect = (float)angle_bearing(-east, south);
    return (struct surface){
        .height = heights[0],
        .slope = (float)angle_of_tangent(sqrt(east * east + south * south)),
        .aspect = aspect < 360 ? aspect : 0,
        .water = water,
    };
}
