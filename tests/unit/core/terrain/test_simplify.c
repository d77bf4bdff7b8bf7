#include "core/terrain/simplify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"
#include "tests/unit/core/terrain/contour_check.h"

static struct contours lines, simple;

/* 256 samples become 4096 units: 16 units a sample; the corner is at sample (4.5, 4.5). */
static const struct simplify_tile tile = {.west = 9 * CONTOUR_ONE / 2,
                                          .north = 9 * CONTOUR_ONE / 2,
                                          .side = 256 * CONTOUR_ONE,
                                          .extent = 4096,
                                          .tolerance = 1,
                                          .preserve_topology = false};
enum { UNIT = CONTOUR_ONE / 16 };

/* A line through points in units of the tile, moved by parts of 1/16 of a unit. */
static void set_line(const double (*points)[2], size_t count, bool closed)
{
    contours_clear(&lines);
    for (size_t i = 0; i < count; i++)
        contours_add_point(&lines, tile.west + (int32_t)(points[i][0] * UNIT),
                           tile.north + (int32_t)(points[i][1] * UNIT));
    contours_add_line(&lines, 3, closed);
}

static void simplify(const struct simplify_tile *how)
{
    struct error error = {0};
    if (!simplify_contours(&lines, how, &simple, &error))
        fail_msg("%s", error.message);
}

#define SIMPLIFY(closed, ...)                                                                      \
    do {                                                                                           \
        static const double given[][2] = {__VA_ARGS__};                                            \
        set_line(given, sizeof given / sizeof given[0], closed);                                   \
        simplify(&tile);                                                                           \
    } while (0)

static void assert_points(const int32_t (*points)[2], size_t count)
{
    assert_int_equal(simple.line_count, 1);
    assert_int_equal(simple.lines[0].level, 3);
    assert_int_equal(simple.lines[0].count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(simple.points[i].x, points[i][0]);
        assert_int_equal(simple.points[i].y, points[i][1]);
    }
}
#define ASSERT_POINTS(...)                                                                         \
    do {                                                                                           \
        static const int32_t wanted[][2] = {__VA_ARGS__};                                          \
        assert_points(wanted, sizeof wanted / sizeof wanted[0]);                                   \
    } while (0)

static void points_are_rounded_to_the_nearest_unit(void **state)
{
    (void)state;
    SIMPLIFY(false, {10.4, 10.6}, {20.5, -20.5}, {-7.5, -3.4});
    /* On its way the line crosses the north side twice and the west side once. Half goes up. */
    ASSERT_POINTS({10, 11}, {14, 0}, {21, -20}, {0, -8}, {-7, -3});
}

static void straight_runs_lose_their_points(void **state)
{
    (void)state;
    SIMPLIFY(false, {10, 10}, {20, 10.5}, {30, 9.6}, {40, 10}, {50, 11.4}, {60, 10}, {60, 13},
             {60, 90});
    ASSERT_POINTS({10, 10}, {60, 10}, {60, 90});
    SIMPLIFY(false, {10, 10}, {35, 12.6}, {60, 10}); /* farther than the tolerance */
    ASSERT_POINTS({10, 10}, {35, 13}, {60, 10});
}

static void segments_have_a_length(void **state)
{
    (void)state;
    SIMPLIFY(false, {10, 10}, {10.2, 10.3}, {9.8, 9.9}, {50, 50}, {50.4, 50.2});
    ASSERT_POINTS({10, 10}, {50, 50});
    SIMPLIFY(false, {10, 10}, {10.2, 10.3}); /* all one unit */
    assert_int_equal(simple.line_count, 0);
    /* Into the tile by one unit and back again: a point on the border twice. */
    SIMPLIFY(false, {-20, 10}, {0, 10}, {1, 10}, {0, 10}, {-20, 50});
    ASSERT_POINTS({-20, 10}, {0, 10}, {-20, 50});
}

static void crossings_of_the_border_stay(void **state)
{
    (void)state;
    /* Straight through the tile's west and east sides; 5.5 a tenth of the way up. */
    SIMPLIFY(false, {-50, 100}, {4146, 519.6});
    ASSERT_POINTS({-50, 100}, {0, 105}, {4096, 515}, {4146, 520});
    SIMPLIFY(false, {-10, 10}, {10, -10}); /* through the corner itself */
    ASSERT_POINTS({-10, 10}, {0, 0}, {10, -10});
    SIMPLIFY(false, {4090, 4110}, {4100, 4090}); /* south side first, then east */
    ASSERT_POINTS({4090, 4110}, {4096, 4098}, {4097, 4096}, {4100, 4090});
}

static void rings_stay_rings(void **state)
{
    (void)state;
    /* A square with points on its sides; it begins at its northernmost, then westernmost point. */
    SIMPLIFY(true, {60, 60}, {40, 60.3}, {20, 60}, {20, 40}, {20, 20}, {40, 20.4}, {60, 20},
             {60, 40});
    assert_int_equal(simple.lines[0].closed, true);
    ASSERT_POINTS({20, 20}, {60, 20}, {60, 60}, {20, 60});
    /* The other way round. */
    SIMPLIFY(true, {60, 20}, {20, 20}, {20, 60}, {60, 60});
    ASSERT_POINTS({20, 20}, {20, 60}, {60, 60}, {60, 20});
}

static void small_rings_are_left_out(void **state)
{
    (void)state;
    SIMPLIFY(true, {20.1, 20.1}, {20.3, 20.1}, {20.3, 20.4}, {20.1, 20.4}); /* a point */
    assert_int_equal(simple.line_count, 0);
    SIMPLIFY(true, {20, 20.1}, {60, 20.2}, {60, 20.4}, {20, 20.4}); /* a line */
    assert_int_equal(simple.line_count, 0);
    SIMPLIFY(true, {20, 20}, {25, 20}, {25, 25}); /* small, but a triangle */
    assert_int_equal(simple.line_count, 1);
}

static void holes_go_with_their_ring(void **state)
{
    (void)state;
    static const double small[][2] = {{20, 20.1}, {60, 20.1}, {60, 20.4}, {20, 20.4}};
    static const double large[][2] = {{100, 100}, {200, 100}, {200, 200}, {100, 200}};
    static const double hole[][2] = {{120, 120}, {120, 150}, {150, 150}, {150, 120}};
    contours_clear(&lines);
    for (int ring = 0; ring < 4; ring++) {
        const double(*points)[2] = ring == 0 ? small : ring == 2 ? large : hole;
        for (int i = 0; i < 4; i++)
            contours_add_point(&lines, tile.west + (int32_t)(points[i][0] * UNIT),
                               tile.north + (int32_t)(points[i][1] * UNIT));
        contours_add_line(&lines, 0, true);
        lines.lines[ring].hole = ring % 2;
    }
    simplify(&tile);
    assert_int_equal(simple.line_count, 2);
    assert_false(simple.lines[0].hole);
    assert_true(simple.lines[1].hole);
    assert_true(area_of(&simple, 0) == 2 * 100 * 100);
    assert_true(area_of(&simple, 1) == -2 * 30 * 30);
}

/* A winding line of 5000 points: no point left out is farther from the new line than the tolerance
 * and rounding, and it has far fewer points. */
static void nothing_moves_farther_than_the_tolerance(void **state)
{
    (void)state;
    uint64_t seed = 1234567;
    double x = 2000, y = 2000, dx = 1, dy = 0;
    contours_clear(&lines);
    for (int i = 0; i < 5000; i++) {
        double turn = 0.05 * random_unit(&seed), length;
        dx += turn * dy;
        dy -= turn * dx;
        length = sqrt(dx * dx + dy * dy);
        x += dx /= length;
        y += dy /= length;
        contours_add_point(&lines, tile.west + (int32_t)(x * UNIT),
                           tile.north + (int32_t)(y * UNIT));
    }
    contours_add_line(&lines, 3, false);
    simplify(&tile);
    assert_int_equal(simple.line_count, 1);
    size_t count = simple.lines[0].count;
    assert_in_range(count, 100, 1500);
    for (size_t i = 0; i < lines.point_count; i++) {
        double px = (lines.points[i].x - tile.west) / (double)UNIT;
        double py = (lines.points[i].y - tile.north) / (double)UNIT, nearest = 1e9;
        for (size_t k = 0; k + 1 < count; k++) {
            double ax = simple.points[k].x, ay = simple.points[k].y;
            double bx = simple.points[k + 1].x - ax, by = simple.points[k + 1].y - ay;
            double t = ((px - ax) * bx + (py - ay) * by) / (bx * bx + by * by);
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            nearest = fmin(nearest, hypot(px - ax - t * bx, py - ay - t * by));
        }
        assert_true(nearest <= 1 + 0.7072);
    }
}

/* The same line in the coordinates of the tile to the east: its points on the common side. */
static void neighbours_meet(void **state)
{
    (void)state;
    uint64_t seed = 99;
    size_t total = 0;
    for (int round = 0; round < 1000; round++) {
        struct simplify_tile east = tile;
        static int32_t border[2][64];
        size_t counts[2] = {0, 0};
        contours_clear(&lines);
        for (int i = 0; i < 20; i++) {
            int64_t x = random_whole(&seed, 255 * CONTOUR_ONE, 266 * CONTOUR_ONE);
            int64_t y = random_whole(&seed, 100 * CONTOUR_ONE, 120 * CONTOUR_ONE);
            contours_add_point(&lines, (int32_t)x, (int32_t)y);
        }
        contours_add_line(&lines, 0, round % 2);
        east.west += 256 * CONTOUR_ONE;
        for (int side = 0; side < 2; side++) {
            simplify(side ? &east : &tile);
            for (size_t i = 0; i < simple.point_count; i++) {
                if (simple.points[i].x == (side ? 0 : 4096))
                    border[side][counts[side]++] = simple.points[i].y;
            }
        }
        total += counts[0];
        assert_int_equal(counts[0], counts[1]);
        /* Rings may begin elsewhere, so as sets. */
        for (size_t i = 0; i < counts[0]; i++) {
            bool found = false;
            for (size_t k = 0; k < counts[1]; k++)
                found = found || border[0][i] == border[1][k];
            assert_true(found);
        }
    }
    assert_true(total > 5000);
}

/* Two segments have a point in common. */
static int64_t turn_of(struct contour_point a, struct contour_point b, struct contour_point c)
{
    return (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(b.y - a.y) * (c.x - a.x);
}

static bool is_between(struct contour_point point, struct contour_point a, struct contour_point b)
{
    return turn_of(a, b, point) == 0 && point.x >= (a.x < b.x ? a.x : b.x) &&
           point.x <= (a.x < b.x ? b.x : a.x) && point.y >= (a.y < b.y ? a.y : b.y) &&
           point.y <= (a.y < b.y ? b.y : a.y);
}

static bool touch(struct contour_point a, struct contour_point b, struct contour_point c,
                  struct contour_point d)
{
    int64_t c_side = turn_of(a, b, c), d_side = turn_of(a, b, d);
    int64_t a_side = turn_of(c, d, a), b_side = turn_of(c, d, b);
    return is_between(a, c, d) || is_between(b, c, d) || is_between(c, a, b) ||
           is_between(d, a, b) ||
           (((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
            ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0)));
}

/* No two sides of all rings have a point in common but a corner, and no corner is two sides' but of
 * sides that follow each other. */
static void assert_apart(void)
{
    static struct contour_point sides[40000][2];
    size_t count = 0;
    for (size_t i = 0; i < simple.line_count; i++) {
        const struct contour_line *line = &simple.lines[i];
        const struct contour_point *points = simple.points + line->first;
        for (size_t k = 0; k < line->count; k++, count++) {
            assert_true(count < 40000);
            sides[count][0] = points[k];
            sides[count][1] = points[(k + 1) % line->count];
        }
        /* A corner's sides do not lie on each other. */
        for (size_t k = 0; k < line->count; k++) {
            struct contour_point a = points[k], b = points[(k + 1) % line->count];
            struct contour_point c = points[(k + 2) % line->count];
            assert_false(is_between(a, b, c) || is_between(c, a, b));
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct contour_point *a = sides[i], *b = sides[k];
            bool follows =
                (a[1].x == b[0].x && a[1].y == b[0].y) || (b[1].x == a[0].x && b[1].y == a[0].y);
            if (!follows && touch(a[0], a[1], b[0], b[1]))
                fail_msg("%d %d, %d %d touches %d %d, %d %d", a[0].x, a[0].y, a[1].x, a[1].y,
                         b[0].x, b[0].y, b[1].x, b[1].y);
        }
    }
    assert_true(count > 100);
}

static double wavy_salt; /* another field for each */

/* Hollows and hills with saddles and narrow necks between them; steps of a quarter, so that many
 * samples are at the level. */
static double wavy(double x, double y)
{
    double a = sin(x * 0.71 + wavy_salt) * sin(y * 0.83 + 2 * wavy_salt);
    double b = sin(x * 0.31 + y * 0.43 + wavy_salt) + 0.3 * sin(x * 2.1 - y * 1.7);
    return floor(4 * (a + 0.7 * b) + 0.5) / 4 + 0.03 * sin(1.3 * x + wavy_salt);
}

/* Rings of fields full of saddles, cut in the middle of cells as a tile's are. */
static void rings_do_not_touch(void **state)
{
    (void)state;
    struct contours work[2] = {0};
    struct simplify_tile how = {.west = 0,
                                .north = 0,
                                .side = 256 * CONTOUR_ONE,
                                .extent = 4096,
                                .tolerance = 1,
                                .preserve_topology = true};
    how.west = how.north = CONTOUR_ONE / 2 - 100 * CONTOUR_ONE; /* samples on whole units */
    for (int round = 0; round < 30; round++) {
        wavy_salt = round;
        struct contour_field field = field_of(wavy, 64, 64);
        field.margin = UNIT;
        const int32_t low = CONTOUR_ONE, high = 62 * CONTOUR_ONE;
        const struct contour_area area = {&field, 0.25f, {low, low, high, high}};
        assert_true(contour_area(&area, work, &lines, NULL));
        simplify(&how);
        assert_apart();
        assert_true(simple.point_count < lines.point_count);
        /* But for triangles at the cut that have become too small. */
        assert_in_range(simple.line_count, lines.line_count - 3, lines.line_count);
        free((void *)(uintptr_t)field.samples);
    }
    contours_free(&work[0]);
    contours_free(&work[1]);
}

static int free_lines(void **state)
{
    (void)state;
    contours_free(&lines);
    contours_free(&simple);
    return 0;
}

int test_simplify(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_rounded_to_the_nearest_unit),
        cmocka_unit_test(straight_runs_lose_their_points),
        cmocka_unit_test(segments_have_a_length),
        cmocka_unit_test(crossings_of_the_border_stay),
        cmocka_unit_test(rings_stay_rings),
        cmocka_unit_test(small_rings_are_left_out),
        cmocka_unit_test(holes_go_with_their_ring),
        cmocka_unit_test(nothing_moves_farther_than_the_tolerance),
        cmocka_unit_test(neighbours_meet),
        cmocka_unit_test(rings_do_not_touch),
    };
    return cmocka_run_group_tests(tests, NULL, free_lines);
}
