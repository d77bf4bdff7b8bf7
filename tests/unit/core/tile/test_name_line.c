/* Lines of names, against what corner cutting makes of lines that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/tile/name_line.h"

static void assert_point(const struct name_line *line, size_t i, int32_t x, int32_t y)
{
    assert_true(i < line->count);
    assert_int_equal(line->points[i].x, x);
    assert_int_equal(line->points[i].y, y);
}

/* The greatest change of heading at a point, degrees. */
static double greatest_turn(const struct name_line *line)
{
    double most = 0.0;
    for (size_t i = 1; i + 1 < line->count; i++) {
        const struct contour_point *p = line->points + i;
        const double in = atan2(p[0].y - p[-1].y, p[0].x - p[-1].x);
        const double out = atan2(p[1].y - p[0].y, p[1].x - p[0].x);
        const double turn = fabs(remainder(out - in, 2.0 * acos(-1.0))) * 180.0 / acos(-1.0);
        most = turn > most ? turn : most;
    }
    return most;
}

static void a_short_line_is_its_ends(void **state)
{
    (void)state;
    struct name_line line = {0};
    const struct contour_point one[] = {{5, 7}}, bent[] = {{0, 0}, {30, 90}, {60, 0}};
    assert_true(name_line_set(&line, one, 1));
    assert_int_equal(line.count, 1);
    assert_point(&line, 0, 5, 7);
    assert_true(name_line_set(&line, bent, 3)); /* 190 units */
    assert_int_equal(line.count, 2);
    assert_point(&line, 0, 0, 0);
    assert_point(&line, 1, 60, 0);
    name_line_free(&line);
}

/* A right angle, by hand: there are points after 0, 160, 320, 480 and 640 units. */
static void corners_are_cut_twice(void **state)
{
    (void)state;
    struct name_line line = {0};
    const struct contour_point points[] = {{0, 0}, {320, 0}, {320, 320}};
    assert_true(name_line_set(&line, points, 3));
    /* 5 points → 2 + 2 · 3 = 8 → 2 + 2 · 6 = 14. */
    assert_int_equal(line.count, 14);
    assert_point(&line, 0, 0, 0);
    assert_point(&line, 13, 320, 320);
    /* Cut once they are (0,0) (120,0) (200,0) (280,0) (320,40) (320,120) (320,200) (320,320). Cut
     * again, around the corner: */
    assert_point(&line, 5, 260, 0);
    assert_point(&line, 6, 290, 10);
    assert_point(&line, 7, 310, 30);
    assert_point(&line, 8, 320, 60);
    assert_true(greatest_turn(&line) < 30.0);
    name_line_free(&line);
}

/* A way of bends 40 units wide, which letters of some 50 units cannot follow. */
static void narrow_bends_are_left_out(void **state)
{
    (void)state;
    struct name_line line = {0};
    struct contour_point points[101];
    for (int i = 0; i <= 100; i++)
        points[i] = (struct contour_point){i * 20, i % 4 == 1 ? 20 : i % 4 == 3 ? -20 : 0};
    assert_true(name_line_set(&line, points, 101));
    assert_point(&line, 0, 0, 0);
    assert_point(&line, line.count - 1, 2000, 0);
    assert_true(line.count > 40 && line.count < 101);
    assert_true(greatest_turn(&line) < 15.0);
    for (size_t i = 1; i < line.count; i++)
        assert_true(line.points[i].x > line.points[i - 1].x && abs(line.points[i].y) <= 20);
    name_line_free(&line);
}

int test_name_line(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_line_is_its_ends),
        cmocka_unit_test(corners_are_cut_twice),
        cmocka_unit_test(narrow_bends_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
