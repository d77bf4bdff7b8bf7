/* Classes of pixels and their agreement between zooms, in views that are written down. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/bench/land/classes.h"
#include "tests/bench/land/lab.h"

enum { SIDE = 4, CLOSER = 2 * SIDE };

/* The classes by letters: land, sea, lake (w), ice. */
static void write_classes(const char *text, uint8_t *classes)
{
    for (size_t i = 0; text[i]; i++)
        classes[i] = (uint8_t)(strchr("lswi", text[i]) - "lswi");
}

static void assert_classes(const struct land_samples *samples, uint32_t least, const char *expected)
{
    uint32_t scratch[2 * SIDE * SIDE];
    uint8_t classes[SIDE * SIDE], wanted[SIDE * SIDE];
    write_classes(expected, wanted);
    land_classify(samples, least, scratch, classes);
    assert_memory_equal(classes, wanted, sizeof wanted);
}

static void samples_have_the_class_of_what_covers_them(void **state)
{
    (void)state;
    const float heights[] = {
        -5, 0, 1, 1, /**/ 1, 1, 1, 1, /**/ 1, 1, 1, 1, /**/ 1, 1, 1, 1,
    };
    /* A lake of five samples, one of two, and a single one that meets the first by a corner. */
    const float depths[] = {
        9, 9, 0, 2, /**/ 2, 2, 0, 2, /**/ 0, 2, 0, 0, /**/ 2, 2, 0, 0,
    };
    const float snow[] = {
        1, 1, 1, 1, /**/ 1, 0, 0.5f, 0, /**/ 0.6f, 0, 0, 0, /**/ 0, 0, 0, 1,
    };
    const struct land_samples all = {SIDE, heights, depths, snow};
    assert_classes(&all, 1,
                   "ssiw"
                   "wwlw"
                   "iwll"
                   "wwli");
    assert_classes(&all, 3,
                   "ssii"
                   "wwll"
                   "iwll"
                   "wwli");
    assert_classes(&all, 6,
                   "ssii"
                   "illl"
                   "illl"
                   "llli");
    const struct land_samples bare = {SIDE, heights, NULL, NULL};
    assert_classes(&bare, 1, "ssllllllllllllll");
}

/* A lake whose first samples are joined by later ones alone, in the shape of a U. */
static void a_lake_is_joined_from_below(void **state)
{
    (void)state;
    const float heights[SIDE * SIDE] = {
        1, 1, 1, 1, /**/ 1, 1, 1, 1, /**/ 1, 1, 1, 1, /**/ 1, 1, 1, 1,
    };
    const float depths[] = {
        2, 0, 2, 0, /**/ 2, 0, 2, 0, /**/ 2, 2, 2, 0, /**/ 0, 0, 0, 2,
    };
    const struct land_samples samples = {SIDE, heights, depths, NULL};
    assert_classes(&samples, 7,
                   "wlwl"
                   "wlwl"
                   "wwwl"
                   "llll");
}

static void three_of_four_pixels_decide(void **state)
{
    (void)state;
    uint8_t here[SIDE * SIDE], closer[CLOSER * CLOSER];
    uint8_t colours[2][3 * CLOSER * CLOSER];
    struct land_agreement sums = {0};
    write_classes("llll"
                  "ssss"
                  "wwww"
                  "iiii",
                  here);
    /* Of the four columns, the first agrees; of the second, three of four pixels do; of the third,
     * two, so it does not count; the fourth is sea. */
    write_classes("lllsllss"
                  "llllssss"
                  "ssslssss"
                  "ssssllss"
                  "wwwlwwss"
                  "wwwwllss"
                  "iiiliiss"
                  "iiiillss",
                  closer);
    memset(colours, 100, sizeof colours);
    const uint8_t *const classes[] = {here, closer};
    const uint8_t *const both[] = {colours[0], colours[1]};
    land_agreement_add(&sums, SIDE, classes, both);
    assert_int_equal(sums.pixels, 16);
    assert_int_equal(sums.agreed, 12);
    assert_int_equal(sums.from_to[0][1] + sums.from_to[2][1] + sums.from_to[3][1], 3);
    assert_true(fabs(land_disagreement(&sums) - 3.0 / 12) < 1e-12);
    assert_int_equal(sums.count[0][1], 4);
    assert_int_equal(sums.count[1][3], 5 + 4);
    assert_true(sums.colour < 1e-9);
}

static void nothing_disagrees_in_no_views(void **state)
{
    (void)state;
    const struct land_agreement none = {0};
    assert_true(land_disagreement(&none) <= 0);
}

/* Coordinates in CIELAB of sRGB's corners, as published by B. Lindbloom for D65. */
static void colours_differ_as_in_cielab(void **state)
{
    (void)state;
    const double white[] = {255, 255, 255}, black[] = {0, 0, 0}, red[] = {255, 0, 0},
                 grey[] = {119, 119, 119};
    assert_true(lab_difference(white, white) < 1e-9);
    assert_true(fabs(lab_difference(white, black) - 100) < 0.05);
    /* L 53.24, a 80.09, b 67.20. */
    const double length = sqrt(53.24 * 53.24 + 80.09 * 80.09 + 67.2 * 67.2);
    assert_true(fabs(lab_difference(black, red) - length) < 0.1);
    /* The grey of half the lightness. */
    assert_true(fabs(lab_difference(black, grey) - 50) < 0.1);
}

int test_classes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_class_of_what_covers_them),
        cmocka_unit_test(a_lake_is_joined_from_below),
        cmocka_unit_test(three_of_four_pixels_decide),
        cmocka_unit_test(nothing_disagrees_in_no_views),
        cmocka_unit_test(colours_differ_as_in_cielab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
