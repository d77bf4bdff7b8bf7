/* The lengths and angles of lines, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/bench/land/courses.h"

static void sinuosity_is_length_over_distance(void **unused)
{
    /* 3 + 4 over 5; 1 + 1 over 2; back to where it began. */
    static const struct place corner[] = {{0, 0}, {3 << 16, 0}, {3 << 16, 4 << 16}};
    static const struct place line[] = {{0, 0}, {0, 1 << 16}, {0, 2 << 16}};
    static const struct place loop[] = {{0, 0}, {1 << 16, 0}, {0, 0}};
    (void)unused;
    assert_true(fabsf(land_sinuosity(corner, 3) - 1.4f) < 1e-6f);
    assert_true(land_sinuosity(line, 3) == 1.0f);
    assert_true(land_sinuosity(loop, 3) == 1.0f);
}

static void turns_are_angles_to_either_side(void **unused)
{
    const struct place a = {0, 0}, b = {10 << 16, 0};
    static const struct {
        struct place c;
        float turn;
    } cases[] = {
        {{20 << 16, 0}, 0.0f},
        {{20 << 16, 10 << 16}, 45.0f},
        {{20 << 16, -(10 << 16)}, 45.0f},
        {{10 << 16, 5 << 16}, 90.0f},
        {{0, 10 << 16}, 135.0f},
        {{0, 0}, 180.0f},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fabsf(land_turn(a, b, cases[i].c) - cases[i].turn) < 1e-4f);
}

int test_courses(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sinuosity_is_length_over_distance),
        cmocka_unit_test(turns_are_angles_to_either_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
