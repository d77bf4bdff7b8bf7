/* Places of a search are checked many at a time, because a call of the sampler for one costs almost
 * as much as for some. If the slope is needed, the ground around those is sampled that pass the
 * rest of the condition. */
#include "core/terrain/locate_check.h"

#include <string.h>

#include "core/price/sampling.h"
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
    const struct sampling_price middle =
        price_sampling(world_program(world), layers, count, sampling);
    const double middles = calls * middle.call + places * (middle.sample + middle.place);
    if (!needs->slope)
        return middles;
    sampling.extent = 2.0;
    const struct sampling_price around = price_sampling(world_program(world), &height, 1, sampling);
    return middles + calls * around.call + SURFACE_PLACES * places * (around.sample + around.place);
}

/* Rows of one check, a value for each candidate. */
struct check_rows {
    float samples[CONDITION_LAYERS_MAX][LOCATE_CHECKS_ONCE]; /* of the layers that it needs */
    float slopes[LOCATE_CHECKS_ONCE];
    float holds[LOCATE_CHECKS_ONCE]; /* 0 where the condition, or its first part, does not hold */
};

/* Writes the slopes at the candidates where rows->holds is not 0. */
static bool find_slopes(struct sampler *sampler, const struct world *world,
                        const struct locate_candidates *candidates, struct check_rows *rows,
                        struct error *error)
{
    struct place places[LOCATE_CHECKS_ONCE * SURFACE_PLACES];
    float heights[LOCATE_CHECKS_ONCE * SURFACE_PLACES];
    struct sample_points points = {.places = places};
    for (size_t i = 0; i < candidates->count; i++) {
        if (rows->holds[i] == 0.0f)
            continue;
        surface_places(candidates->places[i], 0, places + points.count);
        points.count += SURFACE_PLACES;
    }
    if (!surface_heights(sampler, world, &points, heights, error))
        return false;
    for (size_t i = 0, next = 0; i < candidates->count; i++) {
        rows->slopes[i] = 0.0f;
        if (rows->holds[i] == 0.0f)
            continue;
        rows->slopes[i] = surface_of_heights(heights + next, 0.0f, 0).slope;
        next += SURFACE_PLACES;
    }
    return true;
}

bool locate_check(struct sampler *sampler, const struct world *world,
                  const struct condition *condition, struct locate_candidates *candidates,
                  struct error *error)
{
    struct check_rows rows;
    float *outputs[CONDITION_LAYERS_MAX];
    const struct condition_needs *needs = condition_needs(condition);
    struct condition_rows values = {.slopes = rows.slopes};
    for (unsigned i = 0; i < needs->layer_count; i++)
        values.layers[i] = outputs[i] = rows.samples[i];
    const struct sample_points points = {.places = candidates->places, .count = candidates->count};
    const struct sample_request request = {needs->layers, outputs, needs->layer_count};
    if (needs->layer_count > 0 &&
        !sampler_points(sampler, world_program(world), &points, &request, error))
        return false;
    condition_run(condition, CONDITION_FIRST, &values, candidates->count, rows.holds);
    if (needs->slope) {
        if (!find_slopes(sampler, world, candidates, &rows, error))
            return false;
        condition_run(condition, CONDITION_WHOLE, &values, candidates->count, rows.holds);
    }
    for (size_t i = 0; i < candidates->count; i++)
        candidates->passes[i] = rows.holds[i] != 0.0f;
    return true;
}
