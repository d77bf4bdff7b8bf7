#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/terrain/area.h"
#include "core/terrain/statistics.h"

static struct statistics measure(const float *samples, size_t count)
{
    struct statistics statistics;
    assert_true(statistics_measure(samples, count, &statistics, NULL));
    return statistics;
}

/* 1 … 1000 in an order that is none: 7 and 1000 have no common divisor but 1. */
static void percentiles_of_whole_numbers(void **state)
{
    (void)state;
    float samples[1000];
    for (int i = 0; i < 1000; i++)
        samples[i] = (float)(i * 7 % 1000 + 1);
    struct statistics found = measure(samples, 1000);
    static const float percentiles[STATISTICS_PERCENTILES] = {10,  50,  100, 250, 500,
                                                              750, 900, 950, 990};
    assert_true(found.minimum == 1 && found.maximum == 1000);
    assert_true(found.mean == 500.5);
    for (int i = 0; i < STATISTICS_PERCENTILES; i++)
        assert_true(found.percentiles[i] == percentiles[i]);
    /* Bins of 999/16 = 62.4375: 1 … 63.4 has 63 whole numbers, 63.4 … 125.9 has 62. */
    assert_int_equal(found.histogram[0], 63);
    assert_int_equal(found.histogram[1], 62);
    uint32_t sum = 0;
    for (int i = 0; i < STATISTICS_BINS; i++)
        sum += found.histogram[i];
    assert_int_equal(sum, 1000);
}

static void signs_and_sizes_are_sorted_as_numbers(void **state)
{
    (void)state;
    const float samples[] = {1e30f, -0.5f, 0, -1e-40f, 2, -3e20f, 1e-40f, -7};
    struct statistics found = measure(samples, 8);
    assert_true(found.minimum == -3e20f);
    assert_true(found.percentiles[3] == -7);      /* the second of eight */
    assert_true(found.percentiles[4] == -1e-40f); /* the fourth */
    assert_true(found.percentiles[5] == 1e-40f);  /* the sixth */
    assert_true(found.maximum == 1e30f);
}

static void one_sample_and_equal_ones(void **state)
{
    (void)state;
    const float samples[] = {4.25f, 4.25f, 4.25f};
    for (size_t count = 1; count <= 3; count += 2) {
        struct statistics found = measure(samples, count);
        assert_true(found.minimum == 4.25f && found.maximum == 4.25f && found.mean == 4.25);
        assert_true(found.percentiles[0] == 4.25f && found.percentiles[8] == 4.25f);
        assert_int_equal(found.histogram[0], count);
    }
}

static void bin_borders_count_in_the_upper_bin(void **state)
{
    (void)state;
    float samples[17];
    for (int i = 0; i < 17; i++)
        samples[i] = (float)i;
    struct statistics found = measure(samples, 17);
    for (int i = 0; i < STATISTICS_BINS - 1; i++)
        assert_int_equal(found.histogram[i], 1);
    assert_int_equal(found.histogram[STATISTICS_BINS - 1], 2); /* 15 and 16 */
}

/* metres, samples; first sample, step, columns, rows */
static const struct {
    double low_x, low_y, high_x, high_y;
    uint32_t samples;
    double x, y, step;
    uint32_t columns, rows;
} grids[] = {
    {0, 0, 256, 256, 256, 0.5, 0.5, 1, 256, 256},
    {-100, 0, 100, 50, 4, -75, 25, 50, 4, 1},
    {0, 0, 10, 100, 10, 5, 5, 10, 1, 10},
    {0, 0, 100, 1, 10, 5, 0.5, 10, 10, 1}, /* thinner than half a cell: one row in its middle */
    {0, 0, 100, 74, 4, 12.5, 12, 25, 4, 3},
    {0, 0, 0x1p-15, 0x1p-16, 256, 0, 0, 0x1p-16, 2, 1},
    {-0x1p40, -0x1p40, 0x1p40, 0x1p40, 2, -0x1p39, -0x1p39, 0x1p40, 2, 2},
};

static void samples_are_at_cell_centres(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const struct area area = {
            {place_from_metres(grids[i].low_x), place_from_metres(grids[i].low_y)},
            {place_from_metres(grids[i].high_x), place_from_metres(grids[i].high_y)}};
        struct sample_grid grid = area_grid(&area, grids[i].samples);
        assert_int_equal(grid.columns, grids[i].columns);
        assert_int_equal(grid.rows, grids[i].rows);
        assert_true(grid.step == place_from_metres(grids[i].step));
        assert_true(grid.x == place_from_metres(grids[i].x));
        assert_true(grid.y == place_from_metres(grids[i].y));
        assert_true(grid.spacing == 0);
    }
}

int test_statistics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_of_whole_numbers),
        cmocka_unit_test(signs_and_sizes_are_sorted_as_numbers),
        cmocka_unit_test(one_sample_and_equal_ones),
        cmocka_unit_test(bin_borders_count_in_the_upper_bin),
        cmocka_unit_test(samples_are_at_cell_centres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
