/* See job_guard.h. The sampler asks between bands, and while it makes streams, whether the job may
 * go on: core/base/work_meter.h. */
#include "server/http/jobs/job_guard.h"

#include <string.h>

#include "core/base/extremes.h"
#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"
#include "server/base/clock.h"

#define MILLISECOND ((uint64_t)1000000) /* nanoseconds */
#define WORK_ALLOWANCE (100 * MILLISECOND)
#define WORK_MOST (500 * MILLISECOND)
#define TIME_LEAST (1000 * MILLISECOND)
enum {
    WORK_FACTOR = 4,
    TIME_FACTOR = 8,
    MEASUREMENTS = 2, /* the fastest counts */
};

/* Noises, displaced and not, and a network, in the proportions of a world with land. */
static const char measured_world[] =
    "{\"generator\":1,\"drainage\":{\"potential\":\"fbm(900000, 4)\",\"target\":\"900 * fbm(90000, "
    "6)\",\"relief\":\"100\"},\"layers\":{\"height\":\"drainage('height') + "
    "warp(fbm(1e6, 8), 1e5 * fbm(1e6, 4), 1e5 * fbm(1e6, 4, salt='y'))\"}}";

/* Nanoseconds for each nanosecond of work; 0 if there is no memory. */
static double measure(const struct world *world)
{
    enum { SIDE = 32 };
    static const struct sample_grid grid = {
        .step = 8192 * PLACE_METRE, .columns = SIDE, .rows = SIDE, .spacing = 8192};
    float samples[SIDE * SIDE], *const output = samples;
    const unsigned layer = world_height_layer(world);
    const struct sample_request request = {&layer, &output, 1};
    struct sampler *sampler = sampler_new();
    if (!sampler)
        return 0.0;
    const int64_t begun = clock_thread_nanoseconds();
    const bool done = sampler_grid(sampler, world_program(world), &grid, &request, NULL);
    const double took = (double)(clock_thread_nanoseconds() - begun);
    const double slowness = done ? took / (double)sampler_meter(sampler)->done : 0.0;
    sampler_free(sampler);
    return slowness;
}

double job_guard_measure_slowness(void)
{
    struct world *world = world_parse(measured_world, strlen(measured_world), "", NULL, NULL);
    double least = world ? measure(world) : 0.0;
    for (int i = 1; i < MEASUREMENTS && world; i++)
        least = double_min(measure(world), least);
    world_release(world);
    return double_max(least, 1.0);
}

uint64_t job_guard_work_limit(uint64_t expected)
{
    const uint64_t most = WORK_FACTOR * expected + WORK_ALLOWANCE;
    const uint64_t least = expected + expected / 4;
    return most < WORK_MOST ? most : least > WORK_MOST ? least : WORK_MOST;
}

int64_t job_guard_time_limit(uint64_t expected, double slowness)
{
    const double most = double_max(TIME_FACTOR * (double)expected, (double)TIME_LEAST) * slowness;
    return most < 0x1p62 ? (int64_t)most : (int64_t)1 << 62;
}

static enum work_verdict ask(void *context)
{
    const struct job_guard *guard = context;
    if (__atomic_load_n(guard->cancelled, __ATOMIC_RELAXED))
        return WORK_CANCELLED;
    return clock_thread_nanoseconds() - guard->begun < guard->most ? WORK_GO_ON : WORK_TOO_MUCH;
}

void job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t expected)
{
    guard->sampler = sampler;
    guard->begun = clock_thread_nanoseconds();
    guard->most = job_guard_time_limit(expected, guard->slowness);
    sampler_set_limit(sampler, &(struct work_limit){job_guard_work_limit(expected), ask, guard});
}

bool job_guard_stopped_by_time(const struct job_guard *guard)
{
    const struct work_meter *meter = sampler_meter(guard->sampler);
    return meter->verdict == WORK_TOO_MUCH && meter->done < meter->limit.most;
}

uint64_t job_guard_used(const struct job_guard *guard)
{
    return (uint64_t)((double)(clock_thread_nanoseconds() - guard->begun) / guard->slowness);
}

uint64_t job_guard_end(const struct job_guard *guard)
{
    const struct work_meter *meter = sampler_meter(guard->sampler);
    const uint64_t took = (uint64_t)(clock_thread_nanoseconds() - guard->begun);
    return meter->verdict != WORK_TOO_MUCH ? 0 : took > meter->done ? took : meter->done;
}
