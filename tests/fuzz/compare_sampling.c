#include "tests/fuzz/compare_sampling.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/sampling/sampler.h"
#include "tests/fuzz/fuzz.h"

enum { PLACES = 16, COLUMNS = 20, ROWS = 5, GRID = COLUMNS * ROWS };

static struct sampler *shared_sampler(void)
{
    static struct sampler *sampler;
    if (!sampler)
        sampler = sampler_new();
    fuzz_expect(sampler != NULL);
    return sampler;
}

/* Near the origin, somewhere, or at the edge. */
static int64_t coordinate(uint64_t random)
{
    int64_t far = (int64_t)(random % (2 * (uint64_t)PLACE_LIMIT + 1)) - PLACE_LIMIT;
    switch (random >> 62) {
    case 0:
        return far >> 40;
    case 1:
        return random & 1 ? PLACE_LIMIT : -PLACE_LIMIT;
    default:
        return far >> (random >> 56 & 31);
    }
}

static void expect_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fuzz_expect(__builtin_isfinite(values[i]));
}

static void sample_places(const struct world *world, unsigned layer,
                          const struct sample_points *points, float *values)
{
    struct error error = {0};
    const struct sample_request request = {&layer, &values, 1};
    bool done = sampler_points(shared_sampler(), world_program(world), points, &request, &error);
    fuzz_expect(done);
    expect_finite(values, points->count);
}

static void sample_scattered(const struct world *world, unsigned layer, uint64_t salt)
{
    struct place places[PLACES];
    float values[PLACES];
    for (unsigned i = 0; i < PLACES; i++)
        places[i] = (struct place){coordinate(hash_mix(salt + 2 * i)),
                                   coordinate(hash_mix(salt + 2 * i + 1))};
    const struct sample_points points = {places, PLACES, 0.0, coordinate(hash_mix(~salt)),
                                         coordinate(hash_mix(~salt - 1))};
    sample_places(world, layer, &points, values);
}

static void sample_grid(const struct world *world, unsigned layer, uint64_t salt)
{
    struct place places[GRID];
    float by_grid[GRID], by_place[GRID], *output = by_grid;
    struct sample_grid grid = {.step = (int64_t)1 << (salt & 31), .columns = COLUMNS, .rows = ROWS};
    struct error error = {0};
    const struct sample_request request = {&layer, &output, 1};
    grid.spacing = salt & 64 ? 0.0 : place_metres(grid.step);
    grid.x = coordinate(hash_mix(salt)) / 2;
    grid.y = coordinate(hash_mix(salt + 1)) / 2;
    grid.z = coordinate(hash_mix(salt + 2));
    grid.t = coordinate(hash_mix(salt + 3));
    for (unsigned i = 0; i < GRID; i++)
        places[i] =
            (struct place){grid.x + (i % COLUMNS) * grid.step, grid.y + (i / COLUMNS) * grid.step};
    bool done = sampler_grid(shared_sampler(), world_program(world), &grid, &request, &error);
    fuzz_expect(done);
    const struct sample_points points = {places, GRID, grid.spacing, grid.z, grid.t};
    sample_places(world, layer, &points, by_place);
    fuzz_expect(memcmp(by_grid, by_place, sizeof by_grid) == 0);
}

void sampling_check(const struct world *world, uint64_t salt)
{
    unsigned count = world_layer_count(world);
    for (unsigned layer = 0; layer < count && layer < 8; layer++) {
        sample_scattered(world, layer, salt + layer);
        sample_grid(world, layer, salt + layer);
    }
    /* What a cache keeps is found by no address that leak checkers could see. */
    sampler_set_cache(shared_sampler(), NULL);
}
