/* Slope and aspect from four neighbours, by central differences along the axes. */
#include "core/terrain/surface.h"

#include <math.h>

#include "core/terrain/angle.h"

int surface_water_layer(const struct world *world)
{
    return world_find_layer(world, "water_level");
}

bool surface_heights(struct sampler *sampler, const struct world *world, const struct place *places,
                     size_t count, float *heights, struct error *error)
{
    const unsigned layer = world_height_layer(world);
    const struct sample_points points = {.places = places, .count = count};
    const struct sample_request request = {&layer, &heights, 1};
    return sampler_points(sampler, world, &points, &request, error);
}

bool surface_at(struct sampler *sampler, const struct world *world, struct place place,
                double spacing, int64_t z, int64_t t, struct surface *surface, struct error *error)
{
    double reach = spacing > 1 ? spacing : 1;
    int64_t offset = (int64_t)(reach * (double)PLACE_METRE);
    struct place places[5] = {
        place,
        {place.x - offset, place.y},
        {place.x + offset, place.y},
        {place.x, place.y - offset},
        {place.x, place.y + offset},
    };
    float heights[5], water[5] = {0};
    float *outputs[] = {heights, water};
    const int water_layer = surface_water_layer(world);
    unsigned layers[] = {world_height_layer(world), (unsigned)water_layer};
    struct sample_points points = {places, 5, spacing, z, t};
    struct sample_request request = {layers, outputs, water_layer < 0 ? 1 : 2};
    if (!sampler_points(sampler, world, &points, &request, error))
        return false;
    double east = ((double)heights[2] - (double)heights[1]) / (2 * reach);
    double south = ((double)heights[4] - (double)heights[3]) / (2 * reach);
    surface->height = heights[0];
    surface->water = water[0];
    surface->slope = (float)angle_of_tangent(sqrt(east * east + south * south));
    float aspect = (float)angle_bearing(-east, south);
    surface->aspect = aspect < 360 ? aspect : 0;
    return true;
}
