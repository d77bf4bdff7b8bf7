/* Compares the ground with the straight line between two eyes at samples of at most a metre, from
 * the near end on, in batches; the first sample above the line ends the search. A long line has as
 * many samples farther apart, and a very long one at the level of detail of their distance.
 * Curvature of the earth and refraction do not exist: a world is a plane. */
#include "core/terrain/sight.h"

#include <math.h>

#include "core/terrain/profile.h"
#include "core/terrain/surface.h"

static bool sample_ends(struct sampler *sampler, const struct world *world, struct sight *sight,
                        struct error *error)
{
    const struct place places[2] = {sight->from.place, sight->to.place};
    const struct sample_points points = {.places = places, .count = 2};
    float ground[2];
    if (!surface_heights(sampler, world, &points, ground, error))
        return false;
    sight->from.ground = ground[0];
    sight->to.ground = ground[1];
    sight->from.height = (double)ground[0] + sight->from.above;
    sight->to.height = (double)ground[1] + sight->to.above;
    return true;
}

/* Ends the search if the ground at a place is above the line of sight. */
static void check_blocked(struct sight *sight, struct place place, double distance, float ground)
{
    double part = distance / sight->distance;
    double line = sight->from.height + (sight->to.height - sight->from.height) * part;
    if ((double)ground <= line)
        return;
    sight->clear = false;
    sight->complete = sight->spacing <= 0.0;
    sight->blocked = place;
    sight->blocked_distance = distance;
    sight->blocked_ground = ground;
    sight->blocked_line = line;
}

static struct profile_line line_of(const struct sight *sight)
{
    return (struct profile_line){{sight->from.place, sight->to.place}, 2};
}

uint32_t sight_plan(struct sight *sight)
{
    const struct profile_line line = line_of(sight);
    sight->distance = profile_length(&line);
    const double intervals = ceil(sight->distance);
    const uint32_t count =
        intervals <= SIGHT_SAMPLES_MAX ? (uint32_t)intervals : (uint32_t)SIGHT_SAMPLES_MAX;
    sight->step = count ? sight->distance / count : 0;
    sight->spacing = sight->step > SIGHT_FULL_STEP ? sight->step : 0;
    return count;
}

bool sight_trace(struct sampler *sampler, const struct world *world, struct sight *sight,
                 struct error *error)
{
    const struct profile_line line = line_of(sight);
    const unsigned layer = world_height_layer(world);
    struct place places[SIGHT_BATCH];
    float ground[SIGHT_BATCH], *output = ground;
    if (!sample_ends(sampler, world, sight, error))
        return false;
    const uint32_t count = sight_plan(sight);
    sight->complete = sight->step <= 1;
    sight->clear = true;
    for (uint32_t first = 1; first < count && sight->clear; first += SIGHT_BATCH) {
        const uint32_t batch_count = count - first < SIGHT_BATCH ? count - first : SIGHT_BATCH;
        const struct sample_points points = {
            .places = places, .count = batch_count, .spacing = sight->spacing};
        for (uint32_t i = 0; i < batch_count; i++)
            places[i] = profile_place(&line, sight->distance * (first + i) / count);
        if (!sampler_points(sampler, world_program(world), &points,
                            &(struct sample_request){&layer, &output, 1}, error))
            return false;
        for (uint32_t i = 0; i < batch_count && sight->clear; i++)
            check_blocked(sight, places[i], sight->distance * (first + i) / count, ground[i]);
    }
    return true;
}
