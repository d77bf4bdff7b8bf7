/* Slopes and power of planes, cones and sines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/bench/land/shape.h"

enum { SIDE = 258, MARGIN = 1, WITHIN = SIDE - 2 * MARGIN, MIDDLE = SIDE / 2 };

static float heights[SIDE * SIDE], slopes[WITHIN * WITHIN];
static unsigned char under[SIDE * SIDE];
static const struct land_grid grid = {SIDE, MARGIN, heights, under};

static void slopes_of_a_plane_are_its_own(void **unused)
{
    (void)unused;
    enum { SPACING = 4 };
    /* 0.3 to the east and 0.4 to the south are 0.5. */
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = SPACING * (0.3f * (float)(i % SIDE) + 0.4f * (float)(i / SIDE));
    assert_int_equal(land_slopes(&grid, SPACING, slopes), WITHIN * WITHIN);
    for (int i = 0; i < WITHIN * WITHIN; i++)
        assert_true(fabsf(slopes[i] - 0.5f) < 1e-4f);
    for (int i = 0; i < SIDE; i++)
        under[MIDDLE * SIDE + i] = 1;
    assert_int_equal(land_slopes(&grid, SPACING, slopes), WITHIN * (WITHIN - 1));
    for (int i = 0; i < SIDE; i++)
        under[MIDDLE * SIDE + i] = 0;
}

static void slopes_of_a_cone_are_the_same_all_around(void **unused)
{
    (void)unused;
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = (float)(0.25 * hypot(i % SIDE - MIDDLE, i / SIDE - MIDDLE));
    land_slopes(&grid, 1, slopes);
    for (int i = 0; i < WITHIN * WITHIN; i++)
        if (hypot(i % WITHIN + MARGIN - MIDDLE, i / WITHIN + MARGIN - MIDDLE) > 10)
            assert_true(fabsf(slopes[i] - 0.25f) < 0.0025f);
    assert_true(slopes[(MIDDLE - MARGIN) * WITHIN + MIDDLE - MARGIN] == 0.0f);
}

/* Fills the grid with a valley, or a ridge, along a column, that falls to the south. */
static void fill_fold(double flanks)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = (float)(1000 + flanks * abs(i % SIDE - MIDDLE) - 0.125 * (double)(i / SIDE));
}

static void valley_samples_are_the_middle_of_a_valley(void **unused)
{
    (void)unused;
    fill_fold(1);
    assert_int_equal(land_valley_samples(&grid), WITHIN);
    under[MIDDLE * SIDE + MIDDLE] = 1;
    assert_int_equal(land_valley_samples(&grid), WITHIN - 1);
    under[MIDDLE * SIDE + MIDDLE] = 0;
    fill_fold(-1);
    assert_int_equal(land_valley_samples(&grid), 0);
    fill_fold(0);
    assert_int_equal(land_valley_samples(&grid), 0);
}

/* Adds a sine of the wavelength, in samples, along a direction. */
static void add_sine(double amplitude, double wavelength, double radians)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double along = cos(radians) * (i % SIDE) + sin(radians) * (double)(i / SIDE);
        heights[i] += (float)(amplitude * sin(2 * M_PI * along / wavelength));
    }
}

static void fill(float height)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = height;
}

static void a_sine_has_its_power_in_the_octave_of_its_wavelength(void **unused)
{
    (void)unused;
    static const double wavelengths[LAND_OCTAVES] = {3, 6, 12, 24, 40};
    for (int octave = 0; octave < LAND_OCTAVES; octave++)
        for (int direction = 0; direction < 4; direction++) {
            double power[LAND_OCTAVES];
            fill(1000);
            add_sine(3, wavelengths[octave], direction * M_PI / 5);
            land_power(&grid, power);
            for (int i = 0; i < LAND_OCTAVES; i++)
                assert_true(fabs(power[i] - (i == octave ? 4.5 : 0)) < 0.045);
        }
}

static void powers_of_sines_add_up(void **unused)
{
    (void)unused;
    double power[LAND_OCTAVES];
    fill(1000);
    add_sine(1, 3, 0);
    add_sine(2, 12, 1);
    add_sine(4, 11, 2);
    land_power(&grid, power);
    assert_true(fabs(power[0] - 0.5) < 0.01);
    assert_true(fabs(power[1]) < 0.01);
    assert_true(fabs(power[2] - (2.0 + 8.0)) < 0.1);
}

/* A plane that rises by R has R² / (3 π² k² (k² − 1)²) at k waves along the grid, as its transform
 * under the Hann window is R / (4 π k (k² − 1)) and the mean of the window's square is 3/8. */
static void a_plane_has_hardly_any_power(void **unused)
{
    (void)unused;
    double power[LAND_OCTAVES];
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = (float)(i % SIDE + 1000);
    land_power(&grid, power);
    assert_true(power[4] > 0.1 && power[4] < 1.0); /* R is 256, k from 4 on */
    for (int i = 0; i < 4; i++)
        assert_true(power[i] < 0.02);
}

static void the_sea_and_level_land_have_no_power(void **unused)
{
    (void)unused;
    double power[LAND_OCTAVES];
    fill(-1000);
    add_sine(900, 6, 1);
    land_power(&grid, power);
    for (int i = 0; i < LAND_OCTAVES; i++)
        assert_true(power[i] == 0.0);
    fill(77);
    land_power(&grid, power);
    for (int i = 0; i < LAND_OCTAVES; i++)
        assert_true(power[i] < 1e-9);
}

int test_shape(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_of_a_plane_are_its_own),
        cmocka_unit_test(slopes_of_a_cone_are_the_same_all_around),
        cmocka_unit_test(valley_samples_are_the_middle_of_a_valley),
        cmocka_unit_test(a_sine_has_its_power_in_the_octave_of_its_wavelength),
        cmocka_unit_test(powers_of_sines_add_up),
        cmocka_unit_test(a_plane_has_hardly_any_power),
        cmocka_unit_test(the_sea_and_level_land_have_no_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
