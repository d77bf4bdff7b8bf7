#include "core/terrain/sight.h"

#include <math.h>

#include "core/terrain/profile.h"

enum { BATCH = 256 };

/* A batch of places, and what the ground is there. */
struct batch {
    struct place places[BATCH];
    float ground[BATCH];
    uint32_t count;
};

static bool sample_batch(struct sampler *sampler, const struct world *world, struct batch *batch,
                         struct error *error)
{
    unsigned layer = world_height_layer(world);
    float *output = batch->ground;
    struct sample_points points = {.places = batch->places, .count = batch->count};
    struct sample_request request = {&layer, &output, 1};
    return sampler_points(sampler, world, &points, &request, error);
}

static bool sample_ends(struct sampler *sampler, const struct world *world, struct sight *sight,
                        struct error *error)
{
    struct batch ends = {.places = {sight->from.place, sight->to.place}, .count = 2};
    if (!sample_batch(sampler, world, &ends, error))
        return false;
    sight->from.ground = ends.ground[0];
    sight->to.ground = ends.ground[1];
    sight->from.height = (double)ends.ground[0] + sight->from.above;
    sight->to.height = (double)ends.ground[1] + sight->to.above;
    return true;
}

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
    struct batch batch;
    if (!sample_ends(sampler, world, sight, error))
        return false;
    sight->distance = profile_length(&line);
    double intervals = ceil(sight->distance);
    sight->complete = intervals <= SIGHT_SAMPLES_MAX;
    uint32_t count = sight->complete ? (uint32_t)intervals : SIGHT_SAMPLES_MAX;
    sight->step = count ? sight->distance / count : 0;
    sight->clear = true;
    for (uint32_t first = 1; first < count && sight->clear; first += BATCH) {
        batch.count = count - first < BATCH ? count - first : BATCH;
        for (uint32_t i = 0; i < batch.count; i++)
            batch.places[i] = profile_place(&line, sight->distance * (first + i) / count);
        if (!sample_batch(sampler, world, &batch, error))
            return false;
        for (uint32_t i = 0; i < batch.count && sight->clear; i++)
            check_blocked(sight, batch.places[i], sight->distance * (first + i) / count,
                          batch.ground[i]);
    }
    return true;
}
