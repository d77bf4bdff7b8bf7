/* Places of a search are checked many at a time, because a call of the sampler for one costs almost
 * as much as for some. If the slope is needed, the ground around those is sampled that pass the
 * rest of the condition. */
#include "core/terrain/locate_check.h"

#include <string.h>

#include "core/price/inspect.h"
#include "core/terrain/surface.h"

double locate_check_time(const struct world *world, const struct condition_needs *needs,
                         double places, double calls, double extent)
{
    const unsigned height = world_height_layer(world);
    unsigned layers[CONDITION_LAYERS_MAX + 1], count = needs->layer_count;
    struct sampling sampling = {.all_extent = extent, .all_places = places};
    memcpy(layers, needs->layers, count * sizeof *layers);
    if (needs->slope) /* whose nodes are new at the first height of a place alone */
        layers[count++] = height;
    const struct sampling_work middle = inspect_work(world_program(world), layers, count, sampling);
    const double middles = calls * middle.call + places * (middle.sample + middle.place);
    if (!needs->slope)
        return middles;
    sampling.extent = 2.0;
    const struct sampling_work around = inspect_work(world_program(world), &height, 1, sampling);
    return middles + calls * around.call + SURFACE_PLACES * places * (around.sample + around.place);
}

/* Writes the slopes at the candidates where `holds` is not 0. */
static bool find_slopes(struct sampler *sampler, const struct world *world,
                        const struct locate_candidates *candidates, const float *holds,
                        float *slopes, struct error *error)
{
    struct place places[LOCATE_CHECKS_ONCE * SURFACE_PLACES];
    float heights[LOCATE_CHECKS_ONCE * SURFACE_PLACES];
    size_t count = 0;
    for (size_t i = 0; i < candidates->count; i++)
        if (holds[i] != 0.0f)
            surface_places(candidates->places[i], 0, places + SURFACE_PLACES * count++);
    if (!surface_heights(sampler, world, places, SURFACE_PLACES * count, heights, error))
        return false;
    count = 0;
    for (size_t i = 0; i < candidates->count; i++)
        slopes[i] = holds[i] != 0.0f
                        ? surface_of_heights(heights + SURFACE_PLACES * count++, 0.0f, 0).slope
                        : 0.0f;
    return true;
}

/* Samples the layers that the condition needs. */
static bool sample_layers(struct sampler *sampler, const struct world *world,
                          const struct condition_needs *needs,
                          const struct locate_candidates *candidates,
                          float samples[][LOCATE_CHECKS_ONCE], struct error *error)
{
    float *outputs[CONDITION_LAYERS_MAX];
    for (unsigned i = 0; i < needs->layer_count; i++)
        outputs[i] = samples[i];
    const struct sample_points points = {.places = candidates->places, .count = candidates->count};
    const struct sample_request request = {needs->layers, outputs, needs->layer_count};
    return needs->layer_count == 0 ||
           sampler_points(sampler, world_program(world), &points, &request, error);
}

bool locate_check(struct sampler *sampler, const struct world *world,
                  const struct condition *condition, struct locate_candidates *candidates,
                  struct error *error)
{
    float samples[CONDITION_LAYERS_MAX][LOCATE_CHECKS_ONCE], slopes[LOCATE_CHECKS_ONCE];
    float holds[LOCATE_CHECKS_ONCE];
    const struct condition_needs *needs = condition_needs(condition);
    struct condition_rows rows = {.slopes = slopes};
    for (unsigned i = 0; i < needs->layer_count; i++)
        rows.layers[i] = samples[i];
    if (!sample_layers(sampler, world, needs, candidates, samples, error))
        return false;
    condition_run(condition, CONDITION_FIRST, &rows, candidates->count, holds);
    if (needs->slope) {
        if (!find_slopes(sampler, world, candidates, holds, slopes, error))
            return false;
        condition_run(condition, CONDITION_WHOLE, &rows, candidates->count, holds);
    }
    for (size_t i = 0; i < candidates->count; i++)
        candidates->passes[i] = holds[i] != 0.0f;
    return true;
}
