/* Where water runs on surfaces for which it is plain: planes, valleys, pits and lakes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/bench/land/flow.h"

enum { SIDE = 96, MARGIN = 16, WITHIN = SIDE - 2 * MARGIN, MIDDLE = SIDE / 2 };

static float heights[SIDE * SIDE];
static unsigned char under[SIDE * SIDE];
static const struct land_grid grid = {SIDE, MARGIN, heights, under};

/* Fills the grid with a function of column and row, all of it above water. */
static void fill(double (*height)(double x, double y))
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        heights[i] = (float)height(i % SIDE, i / SIDE);
        under[i] = heights[i] <= 0;
    }
}

static void assert_flow(double length, uint32_t upstream, uint32_t pits)
{
    struct land_flow *flow = land_flow_new(SIDE);
    land_flow_find(flow, &grid);
    assert_true(fabs(land_valley_length(flow, &grid, upstream) - length) < 1e-9 * length + 1e-9);
    assert_int_equal(land_pits(flow, &grid), pits);
    land_flow_free(flow);
}

static double falls_west(double x, double y)
{
    return 1000 + x + 0 * y;
}

static double falls_north_west(double x, double y)
{
    return 1000 + x + y;
}

/* A diagonal step falls by more, and less steeply. */
static double falls_west_more_than_north(double x, double y)
{
    return 1000 + x + 0.2 * y;
}

/* The flanks are steeper than the fall along the valley. */
static double valley_along_column(double x, double y)
{
    return 1000 + fabs(x - MIDDLE) - 0.1 * y;
}

static double valley_along_diagonal(double x, double y)
{
    return 1000 + fabs(x - y) - 0.1 * (x + y);
}

static double peak(double x, double y)
{
    return 1000 - hypot(x - MIDDLE, y - MIDDLE);
}

static double funnel(double x, double y)
{
    return 1000 + hypot(x - MIDDLE, y - MIDDLE);
}

static double level(double x, double y)
{
    return 5 + 0 * (x + y);
}

static void a_plane_has_parallel_ways(void **unused)
{
    (void)unused;
    fill(falls_west);
    assert_flow(WITHIN * WITHIN, 1, 0);
    /* From column x, SIDE − x samples of the row are upstream: 50 or more up to column 46. */
    assert_flow(WITHIN * (SIDE - 50 - MARGIN + 1), 50, 0);
    assert_flow(0, SIDE, 0);
    fill(falls_north_west);
    assert_flow(M_SQRT2 * WITHIN * WITHIN, 1, 0);
    fill(falls_west_more_than_north);
    assert_flow(WITHIN * WITHIN, 1, 0);
}

static void a_valley_has_one_line(void **unused)
{
    (void)unused;
    /* The flanks run along rows to the middle, at most MIDDLE samples of each. */
    fill(valley_along_column);
    assert_flow(WITHIN, MIDDLE + 1, 0);
    fill(valley_along_diagonal);
    assert_flow(M_SQRT2 * WITHIN, MIDDLE + 1, 0);
}

static void pits_are_counted_unless_under_water(void **unused)
{
    (void)unused;
    fill(peak);
    assert_flow(0, SIDE * SIDE, 0);
    fill(funnel);
    assert_flow(0, SIDE * SIDE, 1);
    under[MIDDLE * SIDE + MIDDLE] = 1;
    assert_flow(0, SIDE * SIDE, 0);
    /* In the margin none is counted. */
    fill(falls_west);
    heights[MARGIN * SIDE + MARGIN] = heights[(MARGIN - 1) * SIDE + MIDDLE] = 1;
    assert_flow(0, SIDE * SIDE, 1);
}

static void level_ground_has_short_ways_to_the_border(void **unused)
{
    (void)unused;
    /* From a ring of samples to the next outer one, which has more: hardly two ways come together.
     */
    fill(level);
    assert_flow(0, SIDE, 0);
}

/* A hole 3 m deep in the valley: the water flows over its filled samples, in steps along the
 * valley. */
static void water_flows_through_filled_pits(void **unused)
{
    (void)unused;
    fill(valley_along_column);
    heights[MIDDLE * SIDE + MIDDLE] -= 3;
    assert_flow(WITHIN, MIDDLE + 1, 1);
    /* A lake there is no part of the line, nor a pit. */
    under[MIDDLE * SIDE + MIDDLE] = 1;
    assert_flow(WITHIN - 1, MIDDLE + 1, 0);
}

static void the_sea_takes_what_reaches_it(void **unused)
{
    (void)unused;
    fill(falls_west);
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] -= 1000 + MIDDLE - 1; /* 1 m at the middle, 0 to its west */
    for (int i = 0; i < SIDE * SIDE; i++)
        under[i] = heights[i] <= 0;
    assert_flow(WITHIN * (SIDE - MARGIN - MIDDLE), 1, 0);
    assert_flow(WITHIN, SIDE - MIDDLE, 0);
    assert_flow(0, SIDE - MIDDLE + 1, 0);
}

int test_flow(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_has_parallel_ways),
        cmocka_unit_test(a_valley_has_one_line),
        cmocka_unit_test(pits_are_counted_unless_under_water),
        cmocka_unit_test(level_ground_has_short_ways_to_the_border),
        cmocka_unit_test(water_flows_through_filled_pits),
        cmocka_unit_test(the_sea_takes_what_reaches_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
