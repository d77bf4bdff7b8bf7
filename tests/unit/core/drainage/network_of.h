/* Networks for tests: their fields are plain functions of the place, and samples are taken at
 * places instead of in cells. */
#ifndef TERRANE_TESTS_DRAINAGE_NETWORK_OF_H
#define TERRANE_TESTS_DRAINAGE_NETWORK_OF_H

#include <assert.h>
#include <math.h>

#include "core/drainage/drainage.h"

enum { KEPT = 8 << 20, PLACES_MAX = 4096 };

/* Fields' values at a place in metres; waves shorter than `shortest` are left out. */
struct ground {
    double potential, target, relief;
    double lakes; /* seen only by networks that have lakes */
};
typedef struct ground ground_at(double x, double y, double shortest);

static bool sample_ground(void *context, const struct place *places, size_t count, double spacing,
                          const struct drainage_fields *fields)
{
    ground_at *const *at = context;
    for (size_t i = 0; i < count; i++) {
        const struct ground ground =
            (*at)(place_metres(places[i].x), place_metres(places[i].y), 2.0 * spacing);
        if (fields->potential)
            fields->potential[i] = (float)ground.potential;
        if (fields->target)
            fields->target[i] = (float)ground.target;
        if (fields->relief)
            fields->relief[i] = (float)ground.relief;
        if (fields->lakes)
            fields->lakes[i] = (float)ground.lakes;
    }
    return true;
}

/* An octave of hills: two waves that cross, −1 … 1. */
static inline double hills(double x, double y, double length)
{
    const double turn = 2.0 * 3.14159265358979323846 / length;
    return 0.5 * (sin(turn * (x * 0.8 + y * 0.6)) + sin(turn * (y * 0.9 - x * 0.4) + 1.0));
}

/* Land and sea, plains and ranges, rough at every scale down to 600 m. */
static inline struct ground rough_ground(double x, double y, double shortest)
{
    const double wide = hills(x, y, 1.6e6) + 0.4 * hills(x, y, 7.0e5);
    const double ranges = fmax(0.0, hills(y, x, 5.0e5) + 0.2);
    struct ground ground = {.potential = 600.0 * wide, .relief = 60.0 + 1500.0 * ranges * ranges};
    ground.target = 700.0 * wide + 150.0 + ranges * ranges * 1200.0;
    for (double length = 3.0e5; length >= 600.0 && length >= shortest; length *= 0.45)
        ground.target += ground.relief * 1.6e-3 * pow(length, 0.45) * hills(x, y, length);
    return ground;
}
static ground_at *const rough = rough_ground;

/* The same with lakes on three streams of four, where they find a reach that is flat enough. */
static inline struct ground lake_ground(double x, double y, double shortest)
{
    struct ground ground = rough_ground(x, y, shortest);
    ground.lakes = 0.75;
    return ground;
}
static ground_at *const lakes = lake_ground;

/* A plain that falls to the east by 5 in 10,000, and a cone with a slope of 1 in 400 around 0, 0.
 */
static inline struct ground plane_ground(double x, double y, double shortest)
{
    (void)y, (void)shortest;
    return (struct ground){2000.0 - 5e-4 * x, 2200.0 - 5e-4 * x, 300.0, 0.0};
}
static inline struct ground cone_ground(double x, double y, double shortest)
{
    (void)shortest;
    const double height = 3000.0 - hypot(x, y) / 400.0;
    return (struct ground){height, height, 800.0, 0.0};
}
static ground_at *const plane = plane_ground, *const cone = cone_ground;

/* Low hills and a shelf around them, with deltas. */
static inline struct ground shelf_ground(double x, double y, double shortest)
{
    const double wide = hills(x, y, 1.3e6) + 0.3 * hills(x, y, 5.0e5);
    struct ground ground = {.potential = 150.0 * wide, .target = 160.0 * wide, .relief = 40.0};
    for (double length = 9.0e4; length >= 600.0 && length >= shortest; length *= 0.45)
        ground.target += 2e-4 * length * hills(x, y, length);
    return ground;
}
static ground_at *const deltas = shelf_ground;

static inline struct drainage_network network_of(ground_at *const *at)
{
    return (struct drainage_network){.identity = {1, (uint64_t)(uintptr_t)at},
                                     .key = 0x5EED,
                                     .spacing_log2 = 17,
                                     .lakes = (*at)(0.0, 0.0, 1e9).lakes > 0.0,
                                     .deltas = at == &deltas ? 1.0f : 0.0f,
                                     .sample = sample_ground,
                                     .context = (void *)(uintptr_t)at};
}

/* Scratch memory with a cache of its own; null when memory is out. */
static inline struct drainage *drainage_with(size_t bytes)
{
    struct drainage_cache *cache = drainage_cache_new(bytes);
    struct drainage *drainage = cache ? drainage_new(cache) : NULL;
    drainage_cache_release(cache);
    return drainage;
}

/* Samples places, as many as PLACES_MAX, `metres` apart for the level of detail. */
static inline bool sample_places(struct drainage *drainage, const struct drainage_network *network,
                                 double metres, size_t count, const struct place *places,
                                 float *const outputs[DRAINAGE_OUTPUTS])
{
    static int64_t cells[2][PLACES_MAX];
    static float t[2][PLACES_MAX];
    const unsigned level = drainage_level(network->spacing_log2, metres);
    const unsigned shift = PLACE_BITS + drainage_cell_log2(network->spacing_log2, level);
    const int64_t width = (int64_t)1 << shift;
    assert(count <= PLACES_MAX);
    for (size_t i = 0; i < count; i++) {
        const int64_t at[2] = {places[i].x, places[i].y};
        for (int axis = 0; axis < 2; axis++) {
            cells[axis][i] = place_floor_divide(at[axis], width);
            t[axis][i] = (float)((double)(at[axis] - cells[axis][i] * width) / (double)width);
        }
    }
    const struct drainage_samples samples = {{cells[0], cells[1]}, {t[0], t[1]}, 0.0};
    return drainage_sample(drainage, network, metres, count, &samples, outputs);
}

#endif
