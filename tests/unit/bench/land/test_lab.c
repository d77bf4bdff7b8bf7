/* Colours whose places in L*a*b* are published, and the deviations of a few. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/bench/land/lab.h"

static void colours_are_where_they_are_published(void **unused)
{
    (void)unused;
    /* Bruce Lindbloom's CIE colour calculator, sRGB and D65. */
    static const struct {
        double rgb[3];
        double lab[3];
    } cases[] = {
        {{255, 255, 255}, {100, 0, 0}},
        {{0, 0, 0}, {0, 0, 0}},
        {{119, 119, 119}, {50.034, 0, 0}},
        {{255, 0, 0}, {53.241, 80.092, 67.203}},
        {{0, 255, 0}, {87.735, -86.183, 83.179}},
        {{0, 0, 255}, {32.297, 79.188, -107.860}},
        {{255, 255, 0}, {97.139, -21.554, 94.478}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double lab[3];
        lab_of(cases[i].rgb, lab);
        for (int j = 0; j < 3; j++)
            assert_true(fabs(lab[j] - cases[i].lab[j]) < 0.02);
    }
}

static void a_deviation_is_the_distance_from_the_mean(void **unused)
{
    (void)unused;
    static const uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0};
    struct lab_sums sums = {0};
    assert_true(lab_deviation(&sums) == 0);
    lab_add(&sums, white);
    lab_add(&sums, white);
    assert_true(lab_deviation(&sums) < 1e-5);
    /* A half white, a half black: each is 50 from the mean. */
    lab_add(&sums, black);
    lab_add(&sums, black);
    assert_true(fabs(lab_deviation(&sums) - 50) < 1e-6);
    /* A third black: √(2/3 · (100/3)² + 1/3 · (200/3)²). */
    lab_add(&sums, white);
    lab_add(&sums, white);
    assert_true(fabs(lab_deviation(&sums) - 100 * sqrt(2) / 3) < 1e-6);
}

int test_lab(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_where_they_are_published),
        cmocka_unit_test(a_deviation_is_the_distance_from_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
