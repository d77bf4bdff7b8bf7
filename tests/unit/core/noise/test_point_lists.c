/* A sample does not depend on those it is taken with: lists of any length and order of places have
 * the samples of single places and of grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/noise/sampling_paths.h"

/* A sample does not depend on the samples it is taken with: lists of any length, rows one by one.
 */
static void batching_changes_no_sample(void **unused)
{
    (void)unused;
    static float all[SAMPLES], one[NOISE_ROW_MAX];
    prepare(NOISE_PERLIN, NOISE_QUINTIC, NOISE_RIDGED, 300.0);
    place_block(-PLACE_LIMIT, 0, 1.0);
    sample_grid(false, all);
    struct scene whole = scene;
    for (int row = ROWS - 1; row >= 0; row--) {
        size_t size = noise_grid_size(&scene.noise, &scene.block, false);
        void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        struct noise_grid *grid = noise_grid_begin(&scene.noise, &scene.block, false, memory);
        noise_grid_rows(grid, whole.y + row * whole.block.step, 1, &scratch, one);
        free(memory);
        assert_memory_equal(one, all + row * (int)whole.block.columns,
                            whole.block.columns * sizeof *one);
    }
    for (size_t i = 0; i < scene_count(); i += 7) {
        struct place place = {whole.block.x + (int64_t)(i % whole.block.columns) * whole.block.step,
                              whole.y + (int64_t)(i / whole.block.columns) * whole.block.step};
        const struct noise_point_list list = {&place, 1, whole.block.uniforms, NULL, NULL};
        noise_points(&scene.noise, &list, &scratch, one);
        assert_memory_equal(one, all + i, sizeof *one);
    }
}

/* Groups of a list are padded with its last place, never with memory beyond it. */
static void point_lists_of_any_length(void **unused)
{
    (void)unused;
    static float all[SAMPLES], some[SAMPLES];
    prepare(NOISE_VALUE, NOISE_COSINE, NOISE_FBM, 50.0);
    place_block(0, 0, 0.0);
    displace_randomly(300.0);
    sample_grid(true, all);
    static const size_t counts[] = {1, 15, 16, 17, NOISE_ROW_MAX - 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t count = counts[i] < scene.block.columns ? counts[i] : scene.block.columns;
        struct place *places = malloc(count * sizeof *places);
        float *dx = malloc(count * sizeof *dx), *dy = malloc(count * sizeof *dy);
        assert_true(places && dx && dy);
        for (size_t k = 0; k < count; k++)
            places[k] = (struct place){scene.block.x + (int64_t)k * scene.block.step, scene.y};
        memcpy(dx, scene.dx, count * sizeof *dx);
        memcpy(dy, scene.dy, count * sizeof *dy);
        const struct noise_point_list list = {places, count, {0}, dx, dy};
        noise_points(&scene.noise, &list, &scratch, some);
        assert_memory_equal(some, all, count * sizeof *some);
        free(places);
        free(dx);
        free(dy);
    }
}

/* A list whose places are less than a cell apart, on both sides of lattice lines, and one that
 * spans cells: each place has the sample that it has alone. Cells are 2ⁿ metres or no round number.
 */
static void lists_across_lattice_lines(void **unused)
{
    (void)unused;
    enum { COUNT = 90 };
    static const double wavelengths[] = {1024.0, 1000.0, 65536.0, 7.0, 8.0, 1e7};
    struct place places[COUNT];
    float all[COUNT], one;
    for (unsigned kind = 0; kind < NOISE_BASES * 6; kind++) {
        const double wavelength = wavelengths[kind % 6];
        prepare(kind / 6, NOISE_QUINTIC, NOISE_SINGLE, wavelength);
        for (int round = 0; round < 20; round++) {
            const double reach = wavelength * (round % 4 == 3 ? 5.0 : 0.9);
            const int64_t x = (int64_t)(random_bits(&state) >> 20), y = -x / 3;
            for (size_t i = 0; i < COUNT; i++)
                places[i] = (struct place){x + place_from_metres(random_unit(&state) * reach),
                                           y + place_from_metres(random_unit(&state) * reach)};
            noise_points(&scene.noise, &(struct noise_point_list){.places = places, .count = COUNT},
                         &scratch, all);
            for (size_t i = 0; i < COUNT; i++) {
                noise_points(&scene.noise,
                             &(struct noise_point_list){.places = &places[i], .count = 1}, &scratch,
                             &one);
                assert_memory_equal(&one, &all[i], sizeof one);
            }
        }
    }
}

/* Squares of 4 × 4 places all over the world, as the nodes around places are, on lattices along the
 * axes, turned by 90° and by any angle; and lists in which one place breaks a square. */
static void squares_of_places(void **unused)
{
    (void)unused;
    enum { COUNT = NOISE_ROW_MAX + 32 };
    static const double turns[][2] = {{0, 0}, {0, 1}, {-1, 0}, {0.6, 0.8}};
    static struct place places[COUNT];
    static float all[COUNT];
    float one;
    for (int kind = 0; kind < 16; kind++) {
        prepare(NOISE_PERLIN, NOISE_QUINTIC, NOISE_FBM, 1e6 / (kind + 1));
        struct noise_settings settings = scene.noise.settings;
        settings.domain.cosine = turns[kind % 4][0];
        settings.domain.sine = turns[kind % 4][1];
        noise_prepare(&scene.noise, &settings);
        for (size_t i = 0; i < COUNT; i += 16) {
            const int64_t x = (int64_t)random_bits(&state) >> 12, y = -x / 3 + kind;
            const int64_t step = (int64_t)1 << (i % 23);
            for (int k = 0; k < 16; k++)
                places[i + (size_t)k] = (struct place){x + k % 4 * step, y + k / 4 * step};
        }
        if (kind >= 8)
            places[random_bits(&state) % COUNT].y += 12345;
        if (kind >= 12)
            places[random_bits(&state) % COUNT].x -= 12345;
        noise_points(&scene.noise, &(struct noise_point_list){.places = places, .count = COUNT},
                     &scratch, all);
        for (size_t i = 0; i < COUNT; i++) {
            noise_points(&scene.noise, &(struct noise_point_list){.places = &places[i], .count = 1},
                         &scratch, &one);
            assert_memory_equal(&one, &all[i], sizeof one);
        }
    }
}

int test_point_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batching_changes_no_sample),
        cmocka_unit_test(point_lists_of_any_length),
        cmocka_unit_test(lists_across_lattice_lines),
        cmocka_unit_test(squares_of_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
