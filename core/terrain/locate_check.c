/* Places of a search are checked many at a time, because a call of the sampler for one costs almost
 * as much as for some. Each stands with its neighbours if the slope is needed. */
#include "core/terrain/locate_check.h"

#include "core/terrain/surface.h"

bool locate_needs_ground(const struct locate_search *search)
{
    return search->slope_high < LOCATE_ANY_SLOPE || search->dry;
}

/* `heights` are read, and `water` counts, only if the ground matters. */
static bool accepts(const struct locate_search *search, float value, const float *heights,
                    float water)
{
    if (value < search->low || value > search->high)
        return false;
    if (!locate_needs_ground(search))
        return true;
    const struct surface surface = surface_of_heights(heights, water, 0);
    return surface.slope <= search->slope_high && (!search->dry || surface.height > surface.water);
}

/* The samples of a call: LOCATE_CHECKS_ONCE candidates, each with its neighbours. */
enum { SAMPLES_MAX = LOCATE_CHECKS_ONCE * SURFACE_PLACES };

bool locate_check(struct sampler *sampler, const struct world *world,
                  const struct locate_search *search, struct locate_candidates *candidates,
                  struct error *error)
{
    struct place places[SAMPLES_MAX];
    float values[SAMPLES_MAX], heights[SAMPLES_MAX], water[SAMPLES_MAX] = {0};
    float *const outputs[] = {values, heights, water};
    const bool ground = locate_needs_ground(search);
    const int water_layer = surface_water_layer(world);
    const unsigned layers[] = {search->layer, world_height_layer(world), (unsigned)water_layer};
    const unsigned ground_layers = water_layer < 0 ? 2 : 3;
    const struct sample_request request = {layers, outputs, ground ? ground_layers : 1};
    const size_t each = ground ? SURFACE_PLACES : 1;
    for (size_t i = 0; i < candidates->count; i++)
        if (ground)
            surface_places(candidates->places[i], 0, places + i * each);
        else
            places[i] = candidates->places[i];
    const struct sample_points points = {.places = places, .count = candidates->count * each};
    if (!sampler_points(sampler, world, &points, &request, error))
        return false;
    size_t i = 0;
    while (i < candidates->count &&
           !accepts(search, values[i * each], heights + i * each, water[i * each]))
        i++;
    candidates->first = i;
    if (i < candidates->count)
        candidates->value = values[i * each];
    return true;
}
