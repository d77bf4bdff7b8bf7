/* The three ways to sample a noise: rows of a grid, a displaced grid, a list of places. Include
 * cmocka.h first. */
#ifndef TERRANE_TESTS_SAMPLING_PATHS_H
#define TERRANE_TESTS_SAMPLING_PATHS_H

#include <stdlib.h>
#include <string.h>

#include "core/noise/noise.h"
#include "tests/unit/core/random.h"

enum { ROWS = 5, SAMPLES = ROWS * NOISE_ROW_MAX };

/* One comparison: a grid and the displacement of its samples. */
struct scene {
    struct noise noise;
    struct noise_block block;
    int64_t y;
    float dx[SAMPLES], dy[SAMPLES];
};

static struct noise_scratch scratch;
static struct scene scene;
static uint64_t state = 1;

static inline size_t scene_count(void)
{
    return (size_t)ROWS * scene.block.columns;
}

static inline void sample_grid(bool displaced, float *out)
{
    size_t size = noise_grid_size(&scene.noise, &scene.block, displaced);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(memory);
    struct noise_grid *grid = noise_grid_begin(&scene.noise, &scene.block, displaced, memory);
    if (displaced)
        noise_grid_displaced(
            grid, &(struct noise_displaced_rows){scene.y, ROWS, scene.dx, scene.dy}, &scratch, out);
    else
        noise_grid_rows(grid, scene.y, ROWS, &scratch, out);
    free(memory);
}

static inline void sample_points(bool displaced, float *out)
{
    static struct place places[SAMPLES];
    for (size_t i = 0; i < scene_count(); i++)
        places[i] = (struct place){
            scene.block.x + (int64_t)(i % scene.block.columns) * scene.block.step,
            scene.y + (int64_t)(i / scene.block.columns) * scene.block.step,
        };
    const struct noise_point_list list = {places, scene_count(), scene.block.uniforms,
                                          displaced ? scene.dx : NULL, displaced ? scene.dy : NULL};
    noise_points(&scene.noise, &list, &scratch, out);
}

static inline void assert_same(const float *a, const float *b, const char *what)
{
    for (size_t i = 0; i < scene_count(); i++) {
        if (memcmp(&a[i], &b[i], sizeof a[i]) == 0)
            continue;
        const struct noise_settings *s = &scene.noise.settings;
        fail_msg("%s: basis %d interpolation %d fractal %d spacing %g x %lld y %lld step %lld "
                 "sample %zu: %.9g and %.9g",
                 what, s->basis, s->interpolation, s->fractal, scene.block.uniforms.spacing,
                 (long long)scene.block.x, (long long)scene.y, (long long)scene.block.step, i,
                 (double)a[i], (double)b[i]);
    }
}

static inline void displace_all(float dx, float dy)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        scene.dx[i] = dx;
        scene.dy[i] = dy;
    }
}

static inline void displace_randomly(double reach)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        scene.dx[i] = (float)(random_unit(&state) * reach);
        scene.dy[i] = (float)(random_unit(&state) * reach);
    }
}

/* A smooth displacement, as most warps are: neighbours have nearly the same. */
static inline void displace_smoothly(double reach)
{
    double start = random_unit(&state);
    for (size_t i = 0; i < SAMPLES; i++) {
        double along = start + (double)i / SAMPLES;
        scene.dx[i] = (float)((along * along - 0.5) * reach);
        scene.dy[i] = (float)((0.3 - along) * reach);
    }
}

static inline void assert_undisplaced_agree(void)
{
    static float rows[SAMPLES], other[SAMPLES];
    sample_grid(false, rows);
    sample_points(false, other);
    assert_same(rows, other, "rows and points");
    displace_all(0.0f, 0.0f);
    sample_grid(true, other);
    assert_same(rows, other, "rows and a grid moved by 0");
    sample_points(true, other);
    assert_same(rows, other, "rows and points moved by 0");
}

static inline void assert_displaced_agree(const char *what)
{
    static float grid[SAMPLES], points[SAMPLES];
    sample_grid(true, grid);
    sample_points(true, points);
    assert_same(grid, points, what);
}

static inline void assert_all_agree(void)
{
    assert_undisplaced_agree();
    double wavelength = scene.noise.settings.wavelength;
    displace_randomly(0.01 * wavelength);
    assert_displaced_agree("moved a little");
    displace_randomly(40.0 * wavelength);
    assert_displaced_agree("moved over cells");
    displace_smoothly(3.0 * wavelength);
    assert_displaced_agree("moved smoothly");
    displace_all(-12345.678f, 0.25f);
    assert_displaced_agree("moved alike");
    displace_randomly(3e9 * wavelength);
    assert_displaced_agree("moved beyond what a float can tell");
    displace_randomly(3e38);
    assert_displaced_agree("moved beyond everything");
}

static inline void prepare(enum noise_basis basis, enum noise_interpolation interpolation,
                           enum noise_fractal fractal, double wavelength)
{
    const struct noise_settings settings = {
        .basis = basis,
        .interpolation = interpolation,
        .fractal = fractal,
        .octaves = fractal == NOISE_SINGLE ? 1 : 7,
        .wavelength = wavelength,
        .lacunarity = 2.17,
        .persistence = 0.55,
        .feedback = 1.5f,
        .key = random_bits(&state),
    };
    noise_prepare(&scene.noise, &settings);
}

/* Compares the prepared noise, then its distance to a zero, then the noise damped. */
static inline void assert_all_agree_with_gradients(void)
{
    struct noise_settings settings = scene.noise.settings;
    assert_all_agree();
    settings.result = NOISE_ZERO_DISTANCE;
    noise_prepare(&scene.noise, &settings);
    assert_all_agree();
    settings.result = NOISE_SAMPLE;
    settings.damping = 0.7f;
    noise_prepare(&scene.noise, &settings);
    assert_all_agree();
    settings.damping = 0.0f;
    noise_prepare(&scene.noise, &settings);
}

/* A block about a place, its samples about `spacing` apart. */
static inline void place_block(int64_t centre_x, int64_t centre_y, double spacing)
{
    static const uint32_t widths[] = {16, 65, 1, NOISE_ROW_MAX};
    int64_t step = spacing > 0.0 ? (int64_t)(spacing * (double)PLACE_METRE)
                                 : random_whole(&state, 1, 4 * PLACE_METRE);
    scene.block.columns = widths[random_bits(&state) % 4];
    scene.block.step = step > 0 ? step : 1;
    scene.block.uniforms.spacing = spacing;
    scene.block.x = centre_x + random_whole(&state, -PLACE_METRE * 5000, PLACE_METRE * 5000);
    scene.y = centre_y + random_whole(&state, -PLACE_METRE * 5000, PLACE_METRE * 5000);
}

#endif
