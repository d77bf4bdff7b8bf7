/* Compares the ground with the straight line between two eyes at samples of at most a metre, from
 * the near end on, in batches; the first sample above the line ends the search. Curvature of the
 * earth and refraction do not exist: a world is a plane. */
#include "core/terrain/sight.h"

#include <math.h>

#include "core/terrain/profile.h"
#include "core/terrain/surface.h"

static bool sample_ends(struct sampler *sampler, const struct world *world, struct sight *sight,
                        struct error *error)
{
    const struct place places[2] = {sight->from.place, sight->to.place};
    float ground[2];
    if (!surface_heights(sampler, world, places, 2, ground, error))
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
    sight->complete = true;
    sight->blocked = place;
    sight->blocked_distance = distance;
    sight->blocked_ground = ground;
    sight->blocked_line = line;
}

bool sight_trace(struct sampler *sampler, const struct world *world, struct sight *sight,
                 struct error *error)
{
    const struct profile_line line = {{sight->from.place, sight->to.place}, 2};
    struct place places[SIGHT_BATCH];
    float ground[SIGHT_BATCH];
    if (!sample_ends(sampler, world, sight, error))
        return false;
    sight->distance = profile_length(&line);
    double intervals = ceil(sight->distance);
    sight->complete = intervals <= SIGHT_SAMPLES_MAX;
    uint32_t count = sight->complete ? (uint32_t)intervals : SIGHT_SAMPLES_MAX;
    sight->step = count ? sight->distance / count : 0;
    sight->clear = true;
    for (uint32_t first = 1; first < count && sight->clear; first += SIGHT_BATCH) {
        const uint32_t batch_count = count - first < SIGHT_BATCH ? count - first : SIGHT_BATCH;
        for (uint32_t i = 0; i < batch_count; i++)
            places[i] = profile_place(&line, sight->distance * (first + i) / count);
        if (!surface_heights(sampler, world, places, batch_count, ground, error))
            return false;
        for (uint32_t i = 0; i < batch_count && sight->clear; i++)
            check_blocked(sight, places[i], sight->distance * (first + i) / count, ground[i]);
    }
    return true;
}
