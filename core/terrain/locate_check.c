/* Places of a search are checked many at a time, because a call of the sampler for one costs almost
 * as much as for some. Each stands with its neighbours if the slope is needed. */
#include "core/terrain/locate_check.h"

#include "core/terrain/surface.h"
#include "core/world/inspect.h"

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

/* The layers at a place: that of the search, then height and water level if the ground matters. */
enum { CHECK_LAYERS_MAX = 3 };

static unsigned find_layers(const struct world *world, const struct locate_search *search,
                            unsigned layers[CHECK_LAYERS_MAX])
{
    const int water = surface_water_layer(world);
    layers[0] = search->layer;
    layers[1] = world_height_layer(world);
    layers[2] = (unsigned)water;
    return !locate_needs_ground(search) ? 1 : water < 0 ? 2 : 3;
}

double locate_check_time(const struct world *world, const struct locate_search *search,
                         double places, double calls, double extent)
{
    unsigned layers[CHECK_LAYERS_MAX];
    const unsigned count = find_layers(world, search, layers);
    struct sampling sampling = {.all_extent = extent, .all_places = places};
    const struct sampling_work middle = inspect_work(world, layers, count, sampling);
    const double middles = calls * middle.call + places * (middle.sample + middle.place);
    if (!locate_needs_ground(search))
        return middles;
    sampling.extent = 2.0;
    const struct sampling_work beside = inspect_work(world, layers, count, sampling);
    return middles + (SURFACE_PLACES - 1) * places * (beside.sample + beside.place);
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
    unsigned layers[CHECK_LAYERS_MAX];
    const struct sample_request request = {layers, outputs, find_layers(world, search, layers)};
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
