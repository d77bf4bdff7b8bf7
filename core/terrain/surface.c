#include "core/terrain/surface.h"

#include <math.h>

#define DEGREES (180.0 / 3.14159265358979323846)

/* libm's arc tangent may differ between machines, so this one is of exact operations only: the
 * angle is halved three times by tan(a/2) = tan a / (1 + √(1 + tan² a)), and its Taylor series then
 * has an error below 1e-13. For tangent ≥ 0; radians. */
static double angle_of_tangent(double tangent)
{
    if (tangent > 1)
        return 3.14159265358979323846 / 2 - angle_of_tangent(1 / tangent);
    double x = tangent;
    for (int i = 0; i < 3; i++)
        x = x / (1 + sqrt(1 + x * x));
    double s = x * x;
    return 8 * x *
           (1 - s * (1.0 / 3 - s * (1.0 / 5 - s * (1.0 / 7 - s * (1.0 / 9 - s * (1.0 / 11))))));
}

/* Degrees clockwise from north of a direction, 0 … 360; 0 for none. */
static double bearing(double east, double north)
{
    double x = fabs(east), y = fabs(north);
    if (x == 0 && y == 0)
        return 0;
    double angle = y == 0 ? 90 : DEGREES * angle_of_tangent(x / y);
    if (north < 0)
        angle = 180 - angle;
    return east < 0 && angle > 0 ? 360 - angle : angle;
}

int surface_water_layer(const struct world *world)
{
    return world_find_layer(world, "water_level");
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
    surface->slope = (float)(DEGREES * angle_of_tangent(sqrt(east * east + south * south)));
    float aspect = (float)bearing(-east, south);
    surface->aspect = aspect < 360 ? aspect : 0;
    return true;
}
