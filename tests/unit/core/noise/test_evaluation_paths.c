/* Every noise on every evaluation path: rows of a grid, displaced rows and lists of places have the
 * same bits, wherever the block is, and also where lattice keys change. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 5, COLUMNS = 48, COUNT = ROWS * COLUMNS };

static _Alignas(64) struct noise_scratch scratch;
static uint64_t state = 7;

/* One case: a noise, the place of its block, and the distance of samples. */
struct scene {
    struct noise noise;
    struct noise_block block;
    int64_t y;
};

static void sample_rows(const struct scene *scene, const float *dx, const float *dy, float *out)
{
    const bool moved = dx != NULL;
    size_t size = (noise_grid_size(&scene->noise, &scene->block, moved) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    struct noise_grid *grid = noise_grid_begin(&scene->noise, &scene->block, moved, memory);
    if (moved)
        noise_grid_displaced(grid, &(struct noise_displaced_rows){scene->y, ROWS, dx, dy}, &scratch,
                             out);
    else
        noise_grid_rows(grid, scene->y, ROWS, &scratch, out);
    free(memory);
}

static void sample_places(const struct scene *scene, const float *dx, const float *dy, float *out)
{
    struct place places[COUNT];
    for (int64_t i = 0; i < COUNT; i++)
        places[i] = (struct place){scene->block.x + i % COLUMNS * scene->block.step,
                                   scene->y + i / COLUMNS * scene->block.step};
    const struct noise_point_list list = {places, COUNT, scene->block.uniforms, dx, dy};
    noise_points(&scene->noise, &list, &scratch, out);
}

static void compare(const struct scene *scene, const float *rows, const float *points)
{
    const struct noise_settings *s = &scene->noise.settings;
    for (int i = 0; i < COUNT; i++)
        if (memcmp(&rows[i], &points[i], sizeof *rows) != 0)
            fail_msg("basis %d axes %d fractal %d feature %d interpolation %d result %d turned %d "
                     "damping "
                     "%g: sample %d at %lld, %lld: %.9g by row, %.9g as a point",
                     (int)s->basis, (int)s->axes, (int)s->fractal, (int)s->feature,
                     (int)s->interpolation, (int)s->result, s->domain.sine != 0.0,
                     (double)s->damping, i, (long long)scene->block.x, (long long)scene->y,
                     (double)rows[i], (double)points[i]);
}

static void check_scene(const struct scene *scene)
{
    float rows[COUNT], points[COUNT], dx[COUNT], dy[COUNT];
    sample_rows(scene, NULL, NULL, rows);
    sample_places(scene, NULL, NULL, points);
    compare(scene, rows, points);
    for (int i = 0; i < COUNT; i++) {
        dx[i] = (float)(int32_t)hash_mix(state++) * 0x1p-24f;
        dy[i] = (float)(int32_t)hash_mix(state++) * 0x1p-24f;
    }
    sample_rows(scene, dx, dy, rows);
    sample_places(scene, dx, dy, points);
    compare(scene, rows, points);
}

/* Near the origin, far out, at the edge of the world, and where an octave's cells reach another
 * high half (2³¹ cells of 16 m from its offset, which is less than a cell away from 2³¹). */
static const int64_t centres[] = {
    0,
    -3 * PLACE_METRE,
    123456789,
    PLACE_LIMIT - 4096 * PLACE_METRE,
    -PLACE_LIMIT,
    ((int64_t)1 << 31) * 16 * PLACE_METRE - 30 * PLACE_METRE,
    -((int64_t)1 << 31) * 16 * PLACE_METRE - 30 * PLACE_METRE,
};

static void check_everywhere(struct noise_settings *settings)
{
    for (size_t i = 0; i < sizeof centres / sizeof *centres; i++) {
        struct scene scene = {
            .block = {.x = centres[i],
                      .step = i % 2 ? 3 * PLACE_METRE : PLACE_METRE / 3,
                      .columns = COLUMNS,
                      .uniforms = {.z = 77777 * (int64_t)i, .t = -99999 * (int64_t)i}},
            .y = centres[(i + 3) % 7],
        };
        scene.block.uniforms.spacing = i % 3 == 0 ? 2.0 : 0.0;
        settings->key = hash_mix(i);
        noise_prepare(&scene.noise, settings);
        check_scene(&scene);
    }
}

static const struct noise_settings base_settings = {
    .wavelength = 16.0,
    .wavelength_z = 12.0,
    .wavelength_t = 9.0,
    .lacunarity = 2.0,
    .persistence = 0.5,
    .interpolation = NOISE_QUINTIC,
    .feedback = 1.5f,
    .octaves = 1,
};

static bool combination_exists(enum noise_basis basis, enum noise_axes axes)
{
    return basis != NOISE_PERLIN2002 || (axes != NOISE_X && axes != NOISE_XYZT);
}

static void single_noises_agree(void **unused)
{
    (void)unused;
    for (int basis = 0; basis < NOISE_BASES; basis++)
        for (int axes = NOISE_XY; axes <= NOISE_XYZT; axes++)
            for (int kind = 0; kind < 5; kind++) {
                struct noise_settings settings = base_settings;
                settings.basis = (enum noise_basis)basis;
                settings.axes = (enum noise_axes)axes;
                if (!combination_exists(settings.basis, settings.axes))
                    continue;
                /* The five interpolations, or the four features. */
                if (basis != NOISE_PERLIN2002)
                    settings.interpolation = (enum noise_interpolation)kind;
                settings.feature = (enum noise_feature)(kind % 4);
                check_everywhere(&settings);
            }
}

static void fractals_agree(void **unused)
{
    (void)unused;
    for (int basis = 0; basis < NOISE_PERLIN2002; basis++)
        for (int axes = NOISE_XY; axes <= NOISE_XYZT; axes++)
            for (int fractal = NOISE_FBM; fractal <= NOISE_RIDGED; fractal++) {
                struct noise_settings settings = base_settings;
                settings.basis = (enum noise_basis)basis;
                settings.axes = (enum noise_axes)axes;
                settings.fractal = (enum noise_fractal)fractal;
                settings.octaves = 3;
                for (int kind = 0; kind < 4; kind++) {
                    settings.rotate_octaves = kind & 1;
                    settings.damping = kind & 2 ? 0.5f : 0.0f;
                    check_everywhere(&settings);
                }
            }
}

static void domains_and_zero_distance(void **unused)
{
    (void)unused;
    for (int basis = 0; basis < NOISE_BASES; basis++)
        for (int axes = NOISE_XY; axes <= NOISE_XYZT; axes++)
            for (int fractal = NOISE_SINGLE; fractal <= NOISE_RIDGED; fractal++) {
                struct noise_settings settings = base_settings;
                settings.basis = (enum noise_basis)basis;
                settings.axes = (enum noise_axes)axes;
                settings.fractal = (enum noise_fractal)fractal;
                if (!combination_exists(settings.basis, settings.axes) ||
                    (basis == NOISE_PERLIN2002 && fractal != NOISE_SINGLE))
                    continue;
                settings.octaves = fractal == NOISE_SINGLE ? 1 : 2;
                settings.domain = (struct noise_domain){.shift_x = 12345, .shift_y = -54321};
                for (int kind = 0; kind < 4; kind++) {
                    settings.domain.cosine = kind & 1 ? 0.6 : 0.0;
                    settings.domain.sine = kind & 1 ? -0.8 : 0.0;
                    settings.result = kind & 2 ? NOISE_ZERO_DISTANCE : NOISE_SAMPLE;
                    check_everywhere(&settings);
                }
            }
}

/* A shift is the same as sampling elsewhere, to the last bit. */
static void shifts_are_exact(void **unused)
{
    (void)unused;
    struct scene scene = {
        .block = {.x = 5000, .step = PLACE_METRE, .columns = COLUMNS},
        .y = -700000,
    };
    float there[COUNT], shifted[COUNT];
    struct noise_settings settings = base_settings;
    settings.basis = NOISE_PERLIN;
    settings.domain.shift_x = 1234567;
    settings.domain.shift_y = -7654321;
    noise_prepare(&scene.noise, &settings);
    sample_rows(&scene, NULL, NULL, shifted);
    settings.domain = (struct noise_domain){0};
    noise_prepare(&scene.noise, &settings);
    scene.block.x += 1234567;
    scene.y += -7654321;
    sample_rows(&scene, NULL, NULL, there);
    compare(&scene, there, shifted);
}

/* Displacements too large for a float are clamped to 2²⁰ cells; no sample is NaN. */
static void far_displacements(void **unused)
{
    (void)unused;
    struct noise_settings settings = base_settings;
    struct scene scene = {.block = {.step = PLACE_METRE, .columns = COLUMNS}};
    float dx[COUNT], dy[COUNT], rows[COUNT], points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        dx[i] = i % 2 ? 3e38f : -3e38f;
        dy[i] = i % 3 ? 3e38f : -3e38f;
    }
    settings.wavelength = 0.01;
    settings.domain = (struct noise_domain){.cosine = 0.6, .sine = 0.8};
    for (int basis = 0; basis < NOISE_BASES; basis++) {
        settings.basis = (enum noise_basis)basis;
        noise_prepare(&scene.noise, &settings);
        sample_rows(&scene, dx, dy, rows);
        sample_places(&scene, dx, dy, points);
        compare(&scene, rows, points);
        for (int i = 0; i < COUNT; i++)
            assert_true(__builtin_fabsf(rows[i]) < 2.0f);
    }
}

/* A grid goes south and back north under displacements that stay close, drift away, jump and spread
 * wider than a window of lattice points. */
static void check_drifting_displacement(const struct noise_settings *settings)
{
    enum { BANDS = 60 };
    static const float spreads[] = {0.0f, 0.5f, 6.0f, 40.0f, 150.0f};
    struct scene scene = {.block = {.x = -99, .step = PLACE_METRE, .columns = COLUMNS}};
    float dx[COUNT], dy[COUNT], rows[COUNT], points[COUNT];
    noise_prepare(&scene.noise, settings);
    const size_t size = (noise_grid_size(&scene.noise, &scene.block, true) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    struct noise_grid *grid = noise_grid_begin(&scene.noise, &scene.block, true, memory);
    for (int band = 0; band < BANDS; band++) {
        const float spread = spreads[band / 3 % 5], drift = (float)(band * band);
        scene.y = (band % 10 == 9 ? -3 * band : band) * ROWS * PLACE_METRE;
        for (int i = 0; i < COUNT; i++) {
            dx[i] = drift + spread * (float)(int32_t)hash_mix(state++) * 0x1p-31f;
            dy[i] = spread * (float)(int32_t)hash_mix(state++) * 0x1p-31f - drift;
        }
        noise_grid_displaced(grid, &(struct noise_displaced_rows){scene.y, ROWS, dx, dy}, &scratch,
                             rows);
        sample_places(&scene, dx, dy, points);
        compare(&scene, rows, points);
    }
    free(memory);
}

static void drifting_displacements(void **unused)
{
    (void)unused;
    struct noise_settings settings = base_settings;
    settings.fractal = NOISE_FBM;
    settings.wavelength = 64.0;
    settings.octaves = 6;
    for (int basis = NOISE_VALUE; basis <= NOISE_PERLIN; basis++)
        for (int kind = 0; kind < 4; kind++) {
            settings.basis = (enum noise_basis)basis;
            settings.rotate_octaves = kind & 1;
            settings.damping = kind & 2 ? 0.5f : 0.0f;
            check_drifting_displacement(&settings);
        }
}

/* Octaves of less than a cell to many cells a row, under displacements that stretch a row by so
 * much of the distance of its samples, in four directions: chunks of samples lie in one cell, in
 * few and in many, and rows in a window of each size or in none. */
static void check_stretched_rows(struct scene *scene, float stretch)
{
    float dx[COUNT], dy[COUNT], rows[COUNT], points[COUNT];
    for (int direction = 0; direction < 4; direction++) {
        for (int i = 0; i < COUNT; i++) {
            const float along = (float)(i % COLUMNS) + 0.3f * (float)(i / COLUMNS);
            dx[i] = (direction & 1 ? stretch : -stretch) * along;
            dy[i] = (direction & 2 ? stretch : -stretch) * along * 0.7f - 3.25f;
        }
        sample_rows(scene, dx, dy, rows);
        sample_places(scene, dx, dy, points);
        compare(scene, rows, points);
    }
}

static void stretched_rows(void **unused)
{
    (void)unused;
    static const float stretches[] = {0.01f, 0.3f, 1.0f, 4.0f, 1000.0f, 50000.0f};
    struct noise_settings settings = base_settings;
    for (int basis = NOISE_VALUE; basis <= NOISE_PERLIN; basis++)
        for (double wavelength = 0.05; wavelength < 2000.0; wavelength *= 1.7)
            for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
                struct scene scene = {
                    .block = {.x = centres[i], .step = PLACE_METRE, .columns = COLUMNS},
                    .y = centres[(i + 2) % 5],
                };
                settings.basis = (enum noise_basis)basis;
                settings.wavelength = wavelength;
                settings.key = i;
                noise_prepare(&scene.noise, &settings);
                check_stretched_rows(&scene, stretches[i]);
            }
}

int test_evaluation_paths(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_noises_agree),
        cmocka_unit_test(fractals_agree),
        cmocka_unit_test(domains_and_zero_distance),
        cmocka_unit_test(shifts_are_exact),
        cmocka_unit_test(far_displacements),
        cmocka_unit_test(drifting_displacements),
        cmocka_unit_test(stretched_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
