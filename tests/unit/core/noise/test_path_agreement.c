/* The three ways to sample a noise (rows of a grid, a displaced grid, a list of places) agree bit
 * for bit: for every noise, fractal, interpolation and level of detail, near the origin and at the
 * edge of the world, and where lattice keys change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/noise/evaluation_path.h"
#include "tests/unit/core/noise/sampling_paths.h"

static const double spacings[] = {0.0, 0.1, 1.0, 37.5, 4000.0};
enum { SPACINGS = sizeof spacings / sizeof *spacings };

static void every_noise_agrees(void **unused)
{
    (void)unused;
    static const int64_t centres[] = {0, PLACE_LIMIT, -PLACE_LIMIT};
    for (unsigned kind = 0; kind < 2 * 5 * 5; kind++)
        for (unsigned spacing = 0; spacing < SPACINGS; spacing++) {
            double wavelength = random_bits(&state) % 2 ? 1024.0 : 777.7;
            prepare(kind % 2, kind / 2 % 5, kind / 10, wavelength);
            place_block(centres[random_bits(&state) % 3], centres[random_bits(&state) % 3],
                        spacings[spacing]);
            assert_all_agree_with_gradients();
        }
}

static void wavelength_extremes_agree(void **unused)
{
    (void)unused;
    static const double wavelengths[] = {NOISE_WAVELENGTH_MIN, 0.3, 3.0, 100000.0,
                                         NOISE_WAVELENGTH_MAX};
    for (unsigned i = 0; i < 5; i++)
        for (unsigned basis = NOISE_VALUE; basis <= NOISE_PERLIN; basis++) {
            prepare(basis, NOISE_QUINTIC, NOISE_SINGLE, wavelengths[i]);
            place_block(random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT),
                        random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT), 0.0);
            assert_all_agree_with_gradients();
        }
}

/* A lattice that lies across the grid in every direction, with cells from less than a sample to
 * more than a row. */
static void turned_lattices_agree(void **unused)
{
    (void)unused;
    static const double directions[][2] = {
        {0.8, 0.6},   {0.6, 0.8},   {0.0, 1.0},  {-0.6, 0.8}, {-0.8, 0.6}, {-1.0, 0.0},
        {-0.8, -0.6}, {-0.6, -0.8}, {0.0, -1.0}, {0.6, -0.8}, {0.8, -0.6}, {0.9999995, 0.001}};
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        for (unsigned kind = 0; kind < 2 * 5 * 5; kind++) {
            const double spacing = kind % 3 ? 2.0 : 0.0;
            prepare(kind % 2, kind / 2 % 5, kind / 10,
                    0.75 * exp2(fabs(random_unit(&state)) * 14.0));
            struct noise_settings settings = scene.noise.settings;
            settings.domain.cosine = directions[i][0];
            settings.domain.sine = directions[i][1];
            settings.rotate_octaves = kind % 4 == 1;
            noise_prepare(&scene.noise, &settings);
            for (int displaced = 0; displaced < 2; displaced++)
                assert_int_equal(evaluation_path_of(&scene.noise, displaced), PATH_TURNED_ROWS);
            place_block(kind % 5 ? 0 : PLACE_LIMIT, kind % 7 ? 0 : -PLACE_LIMIT, spacing);
            assert_all_agree();
        }
}

static void assert_all_equal(const float *samples, float value)
{
    for (size_t i = 0; i < scene_count(); i++)
        assert_memory_equal(&samples[i], &value, sizeof value);
}

/* A noise without a visible octave has its value at every place, moved or not, in all ways to
 * sample it. */
static void faded_noises_are_uniform(void **unused)
{
    (void)unused;
    static float samples[SAMPLES];
    const double spacing = 4000.0, wavelength = 2.0 * spacing;
    for (unsigned kind = 0; kind < NOISE_BASES * 5 * 2 * 2; kind++) {
        const enum noise_fractal fractal = kind / NOISE_BASES % 5;
        struct noise_settings settings = {
            .basis = kind % NOISE_BASES,
            .interpolation = NOISE_QUINTIC,
            .fractal = fractal,
            .octaves = fractal == NOISE_SINGLE ? 1 : 7,
            .wavelength = wavelength,
            .lacunarity = 2.0,
            .persistence = 0.5,
            .feedback = 1.5f,
            .rotate_octaves = kind / (5 * NOISE_BASES) % 2,
            .key = random_bits(&state),
        };
        if (settings.basis < NOISE_SIMPLEX && kind / (10 * NOISE_BASES) && fractal != NOISE_SINGLE)
            settings.damping = 1.0f;
        place_block(0, 0, spacing);
        noise_prepare(&scene.noise, &settings);
        assert_true(noise_is_faded(&scene.noise, spacing));
        assert_false(noise_is_faded(&scene.noise, 0.99 * spacing));
        const float value = noise_faded_value(&scene.noise, spacing, &scratch);
        displace_randomly(3.0 * wavelength);
        for (int displaced = 0; displaced < 2; displaced++) {
            sample_grid(displaced, samples);
            assert_all_equal(samples, value);
            sample_points(displaced, samples);
            assert_all_equal(samples, value);
        }
    }
}

int test_path_agreement(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_noise_agrees),
        cmocka_unit_test(wavelength_extremes_agree),
        cmocka_unit_test(turned_lattices_agree),
        cmocka_unit_test(faded_noises_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
