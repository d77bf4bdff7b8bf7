/* Samples one grid over the smallest rectangle that holds all places, and interpolates. A sample of
 * a grid costs a fraction of what one at a single place costs, so the places need not fill the
 * rectangle for this to pay. */
#include "core/terrain/steepness.h"

#include <stdlib.h>

/* The lattice points around all places: one more than the cells on each axis. */
static struct sample_grid covering_grid(const struct steepness_request *request)
{
    const int64_t step = request->step;
    struct place low = request->places[0], high = low;
    for (size_t i = 1; i < request->count; i++) {
        const struct place place = request->places[i];
        low.x = place.x < low.x ? place.x : low.x;
        low.y = place.y < low.y ? place.y : low.y;
        high.x = place.x > high.x ? place.x : high.x;
        high.y = place.y > high.y ? place.y : high.y;
    }
    const int64_t column = place_floor_divide(low.x, step), row = place_floor_divide(low.y, step);
    return (struct sample_grid){
        .x = column * step,
        .y = row * step,
        .step = step,
        .columns = (uint32_t)(place_floor_divide(high.x, step) - column) + 2,
        .rows = (uint32_t)(place_floor_divide(high.y, step) - row) + 2,
        .spacing = place_metres(step),
    };
}

/* The gradient of the bilinear patch of a place: its derivatives along both axes, in metres a
 * metre. */
static float slope_in(const struct sample_grid *grid, const float *heights, struct place place)
{
    const int64_t column = (place.x - grid->x) / grid->step, row = (place.y - grid->y) / grid->step;
    const float *north = heights + (size_t)row * grid->columns + (size_t)column;
    const float *south = north + grid->columns;
    const double u = (double)(place.x - grid->x - column * grid->step) / (double)grid->step;
    const double v = (double)(place.y - grid->y - row * grid->step) / (double)grid->step;
    const double across = 1.0 / grid->spacing;
    const double h00 = (double)north[0], h10 = (double)north[1];
    const double h01 = (double)south[0], h11 = (double)south[1];
    const double east = ((h10 - h00) * (1.0 - v) + (h11 - h01) * v) * across;
    const double down = ((h01 - h00) * (1.0 - u) + (h11 - h10) * u) * across;
    return (float)__builtin_sqrt(east * east + down * down);
}

bool steepness_at(struct sampler *sampler, const struct world *world,
                  const struct steepness_request *request, float *out, struct error *error)
{
    if (request->count == 0)
        return true;
    const struct sample_grid grid = covering_grid(request);
    float *heights = calloc((size_t)grid.columns * grid.rows, sizeof *heights);
    if (!heights)
        return error_memory(error);
    const unsigned layer = world_height_layer(world);
    const struct sample_request sample = {&layer, &heights, 1};
    bool done = sampler_grid(sampler, world_program(world), &grid, &sample, error);
    for (size_t i = 0; i < request->count && done; i++)
        out[i] = slope_in(&grid, heights, request->places[i]);
    free(heights);
    return done;
}
