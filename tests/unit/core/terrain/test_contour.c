/* Contours of fields whose lines are known from geometry. */
#include "core/terrain/contour.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"
#include "tests/unit/core/terrain/contour_check.h"

static struct contours lines; /* of the test at hand */

static void trace(const struct contour_field *field, float level)
{
    struct error error = {0};
    if (!contour_trace(field, &level, 1, &lines, &error))
        fail_msg("%s", error.message);
}

/* One line whose points, in samples, are these; a ring may begin anywhere. */
static void assert_line(size_t index, bool closed, const double (*points)[2], size_t count)
{
    assert_true(index < lines.line_count);
    const struct contour_line *line = &lines.lines[index];
    assert_int_equal(line->closed, closed);
    assert_int_equal(line->count, count);
    const struct contour_point *found = lines.points + line->first;
    for (size_t shift = 0; shift < (closed ? count : 1); shift++) {
        bool same = true;
        for (size_t i = 0; i < count; i++) {
            const struct contour_point *point = &found[(i + shift) % count];
            same = same && fabs(point->x - points[i][0] * CONTOUR_ONE) <= 1 &&
                   fabs(point->y - points[i][1] * CONTOUR_ONE) <= 1;
        }
        if (same)
            return;
    }
    fail_msg("line %zu begins at %g %g", index, found[0].x / 65536.0, found[0].y / 65536.0);
}
#define ASSERT_LINE(index, closed, ...)                                                            \
    do {                                                                                           \
        static const double wanted[][2] = {__VA_ARGS__};                                           \
        assert_line(index, closed, wanted, sizeof wanted / sizeof wanted[0]);                      \
    } while (0)

static double to_the_east(double x, double y)
{
    (void)y;
    return x;
}

static double to_the_south(double x, double y)
{
    (void)x;
    return y;
}

/* Higher ground on the left: where it is in the east, the line goes south; in the south, west. */
static void planes_have_straight_lines(void **state)
{
    (void)state;
    struct contour_field east = field_of(to_the_east, 4, 3), south = field_of(to_the_south, 3, 4);
    trace(&east, 1.25f);
    assert_int_equal(lines.line_count, 1);
    ASSERT_LINE(0, false, {1.25, 0}, {1.25, 1}, {1.25, 2});
    trace(&south, 2.5f);
    assert_int_equal(lines.line_count, 1);
    ASSERT_LINE(0, false, {2, 2.5}, {1, 2.5}, {0, 2.5});
    free((void *)(uintptr_t)east.samples);
    free((void *)(uintptr_t)south.samples);
}

/* A level that whole columns of samples hit: one line still, by the samples. */
static void samples_equal_to_the_level_have_a_line(void **state)
{
    (void)state;
    struct contour_field east = field_of(to_the_east, 5, 3);
    const float levels[] = {1, 2, 3, 4};
    assert_true(contour_trace(&east, levels, 4, &lines, NULL));
    assert_int_equal(lines.line_count, 4);
    ASSERT_LINE(0, false, {1, 0}, {1, 1}, {1, 2});
    ASSERT_LINE(1, false, {2, 0}, {2, 1}, {2, 2});
    ASSERT_LINE(2, false, {3, 0}, {3, 1}, {3, 2});
    ASSERT_LINE(3, false, {4, 0}, {4, 1}, {4, 2});
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(lines.lines[i].level, i);
    /* At or above the level everywhere, and below it everywhere: no line. */
    trace(&east, 0);
    assert_int_equal(lines.line_count, 0);
    trace(&east, 4.5f);
    assert_int_equal(lines.line_count, 0);
    free((void *)(uintptr_t)east.samples);
}

/* A field whose lines keep 1/16 of the distance from samples: 0.99, 1, 1.01 and 1.5. */
static void a_margin_keeps_lines_from_samples(void **state)
{
    (void)state;
    struct contour_field field = field_of(to_the_east, 3, 2);
    field.margin = CONTOUR_ONE / 16;
    const float levels[] = {0.99f, 1, 1.01f, 1.5f};
    assert_true(contour_trace(&field, levels, 4, &lines, NULL));
    assert_int_equal(lines.line_count, 4);
    ASSERT_LINE(0, false, {0.9375, 0}, {0.9375, 1});
    ASSERT_LINE(1, false, {0.9375, 0}, {0.9375, 1});
    ASSERT_LINE(2, false, {1.0625, 0}, {1.0625, 1});
    ASSERT_LINE(3, false, {1.5, 0}, {1.5, 1});
    free((void *)(uintptr_t)field.samples);
}

/* A plateau exactly at the level is above it: a ring around it, anticlockwise; and its negative, a
 * pit's floor at the level, is no pit. */
static void plateaus_at_a_level_have_one_ring(void **state)
{
    (void)state;
    static const float hill[] = {
        0, 0, 0, 0, 0, /**/ 0, 8, 8, 8, 0, /**/ 0, 8, 8, 8, 0, /**/ 0, 0, 0, 0, 0,
    };
    static const float pit[] = {
        9, 9, 9, 9, 9, /**/ 9, 8, 8, 8, 9, /**/ 9, 8, 8, 8, 9, /**/ 9, 9, 9, 9, 9,
    };
    struct contour_field field = {hill, 5, 4, 0};
    trace(&field, 8);
    assert_int_equal(lines.line_count, 1);
    assert_true(lines.lines[0].closed);
    assert_int_equal(lines.lines[0].count, 10); /* a point on every edge around it */
    /* 2 × 1 samples, but for the edges' 2⁻¹⁶. */
    assert_true(fabs(area_of(&lines, 0) / 65536 / 65536 + 2 * 2.0) < 1e-3);
    field.samples = pit;
    trace(&field, 8);
    assert_int_equal(lines.line_count, 0);
}

/* One sample at the level between lower ones is a ring too small for a drawing, and the lines of
 * two such samples on a diagonal do not touch. */
static void single_samples_at_a_level_have_tiny_rings(void **state)
{
    (void)state;
    static const float peaks[] = {0, 0, 0, 0, /**/ 0, 5, 0, 0, /**/ 0, 0, 5, 0, /**/ 0, 0, 0, 0};
    struct contour_field field = {peaks, 4, 4, 0};
    trace(&field, 5);
    assert_int_equal(lines.line_count, 2);
    ASSERT_LINE(0, true, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    ASSERT_LINE(1, true, {2, 2}, {2, 2}, {2, 2}, {2, 2});
    for (size_t i = 0; i < 2; i++)
        assert_true(area_of(&lines, i) < 0);
}

static double saddle_mean; /* of the four corners below, half their sum */

static struct contour_field make_saddle(float *samples, bool falling)
{
    /* High and low corners; the mean is 5 + saddle_mean / 2. */
    float high = (float)(10 + saddle_mean), low = 0;
    samples[0] = samples[3] = falling ? high : low;
    samples[1] = samples[2] = falling ? low : high;
    return (struct contour_field){samples, 2, 2, 0};
}

/* Level 5; corners 0 and 10 + m, so lines cross edges at 5 / (10 + m) from the low corner. */
static void saddles_are_decided_by_the_mean(void **state)
{
    (void)state;
    float samples[4];
    struct contour_field field;
    saddle_mean = 0; /* the mean is the level: at or above, so the high corners join */
    field = make_saddle(samples, true);
    trace(&field, 5);
    assert_int_equal(lines.line_count, 2);
    ASSERT_LINE(0, false, {1, 0.5}, {0.5, 0}); /* around the low north-east */
    ASSERT_LINE(1, false, {0, 0.5}, {0.5, 1});
    field = make_saddle(samples, false);
    trace(&field, 5);
    ASSERT_LINE(0, false, {0.5, 0}, {0, 0.5}); /* around the low north-west */
    ASSERT_LINE(1, false, {0.5, 1}, {1, 0.5});
    saddle_mean = -2; /* the mean is 4: the low corners join; 5/8 from the low ones */
    field = make_saddle(samples, true);
    trace(&field, 5);
    assert_int_equal(lines.line_count, 2);
    ASSERT_LINE(0, false, {1, 0.625}, {0.625, 1}); /* around the high south-east */
    ASSERT_LINE(1, false, {0, 0.375}, {0.375, 0});
    field = make_saddle(samples, false);
    trace(&field, 5);
    ASSERT_LINE(0, false, {0.625, 0}, {1, 0.375}); /* around the high north-east */
    ASSERT_LINE(1, false, {0.375, 1}, {0, 0.625});
}

static double cone(double x, double y)
{
    return sqrt((x - 31.3) * (x - 31.3) + (y - 30.2) * (y - 30.2));
}

/* A hollow cone's contours are circles: one ring each, clockwise as low ground is inside. A chord
 * between grid lines stays within 1 / (8 r) of the circle, and so does interpolation. */
static void cones_have_circles(void **state)
{
    (void)state;
    struct contour_field field = field_of(cone, 64, 64);
    const float levels[] = {4, 8, 16, 25};
    assert_true(contour_trace(&field, levels, 4, &lines, NULL));
    assert_int_equal(lines.line_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct contour_line *line = &lines.lines[i];
        double radius = (double)levels[i];
        assert_true(line->closed);
        for (size_t k = 0; k < line->count; k++) {
            struct contour_point point = lines.points[line->first + k];
            assert_true(fabs(cone(point.x / 65536.0, point.y / 65536.0) - radius) < 0.25 / radius);
        }
        double area = area_of(&lines, i) / 2 / 65536 / 65536;
        assert_true(fabs(area / (3.14159265358979 * radius * radius) - 1) < 0.02);
    }
    free((void *)(uintptr_t)field.samples);
}

static uint64_t seed = 88172645463325252;

static double rough(double x, double y)
{
    (void)x;
    (void)y;
    return (double)random_whole(&seed, -4, 4);
}

/* Random heights, most of them exactly at levels, with all saddles there are: each line is a ring
 * or ends on the border, no two points of a level are the same, each lies on an edge between a
 * sample below and one at or above, and each such edge is crossed once. */
static void lines_of_random_fields_are_valid(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    const float levels[] = {-3, -1.5f, 0, 1, 3.75f};
    for (int round = 0; round < 20; round++) {
        struct contour_field field = field_of(rough, SIDE, SIDE);
        assert_true(contour_trace(&field, levels, 5, &lines, NULL));
        size_t crossings[5] = {0};
        static uint8_t seen[5][SIDE][SIDE][2];
        memset(seen, 0, sizeof seen);
        for (size_t i = 0; i < lines.line_count; i++) {
            const struct contour_line *line = &lines.lines[i];
            crossings[line->level] += line->count;
            for (size_t k = 0; k < line->count; k++) {
                struct contour_point point = lines.points[line->first + k];
                bool across = point.y % CONTOUR_ONE == 0, down = point.x % CONTOUR_ONE == 0;
                assert_true(across != down);
                uint8_t *mark =
                    &seen[line->level][point.y / CONTOUR_ONE][point.x / CONTOUR_ONE][down];
                assert_int_equal(*mark, 0);
                *mark = 1;
                bool end = k == 0 || k == line->count - 1;
                bool outer = point.x == 0 || point.y == 0 || point.x == (SIDE - 1) * CONTOUR_ONE ||
                             point.y == (SIDE - 1) * CONTOUR_ONE;
                assert_int_equal(outer && !(line->closed), end && !line->closed);
            }
            assert_true(line->count >= (line->closed ? 4 : 2));
        }
        for (int level = 0; level < 5; level++) {
            size_t wanted = 0;
            for (size_t i = 0; i < SIDE * SIDE; i++) {
                bool above = field.samples[i] >= levels[level];
                wanted += i % SIDE < SIDE - 1 && (field.samples[i + 1] >= levels[level]) != above;
                wanted +=
                    i / SIDE < SIDE - 1 && (field.samples[i + SIDE] >= levels[level]) != above;
            }
            assert_int_equal(crossings[level], wanted);
        }
        free((void *)(uintptr_t)field.samples);
    }
}

/* The left side of every segment is the higher one. */
static void higher_ground_is_on_the_left(void **state)
{
    (void)state;
    struct contour_field field = field_of(cone, 64, 64);
    trace(&field, 28.5f); /* cut by the field's border, too */
    for (size_t i = 0; i < lines.line_count; i++) {
        const struct contour_line *line = &lines.lines[i];
        for (size_t k = 0; k + 1 < line->count; k++) {
            struct contour_point a = lines.points[line->first + k];
            struct contour_point b = lines.points[line->first + k + 1];
            /* North up, the left of (dx, dy) with y down is (dy, −dx). */
            double x = (a.x + b.x) / 131072.0, y = (a.y + b.y) / 131072.0;
            double dx = (b.x - a.x) / 65536.0, dy = (b.y - a.y) / 65536.0;
            assert_true(cone(x + dy * 0.1, y - dx * 0.1) > cone(x - dy * 0.1, y + dx * 0.1));
        }
    }
    assert_true(lines.line_count >= 1);
    free((void *)(uintptr_t)field.samples);
}

static void levels_are_multiples_of_the_interval(void **state)
{
    (void)state;
    static const struct {
        float low, high;
        double interval;
        int64_t first;
        uint32_t count;
        double last; /* as decimal */
    } cases[] = {
        {0, 10, 1, 1, 10, 10}, /* 0 is not crossed: nothing is below it */
        {-0.5f, 9.5f, 1, 0, 10, 9},
        {3.2f, 3.9f, 1, 4, 0, 0},
        {-1200, 8848, 500, -2, 20, 8500},
        {0.25f, 0.35f, 0.1, 3, 1, 0.3}, /* not 0.30000000000000004 */
        {5, 5, 1, 6, 0, 0},
        {-3, -1, 2.5, -1, 1, -2.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const float samples[4] = {cases[i].low, cases[i].low, cases[i].high, cases[i].low};
        const struct contour_field field = {samples, 2, 2, 0};
        struct contour_levels levels;
        assert_true(contour_list_levels(&field, cases[i].interval, &levels, NULL));
        assert_int_equal(levels.count, cases[i].count);
        if (cases[i].count == 0)
            continue;
        assert_int_equal(levels.first, cases[i].first);
        assert_true(contour_level_value(&levels, levels.count - 1) == cases[i].last);
        assert_true(levels.values[levels.count - 1] == (float)cases[i].last);
    }
}

static void limit_errors_name_the_limit(void **state)
{
    (void)state;
    const float samples[4] = {0, 1000, 0, 1000};
    struct contour_field field = {samples, 2, 2, 0};
    static struct contour_levels levels;
    struct error error = {0};
    assert_true(contour_list_levels(&field, 1, &levels, &error));
    assert_int_equal(levels.count, 1000);
    assert_false(contour_list_levels(&field, 0.5, &levels, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "interval of 0.5 "));
    assert_non_null(strstr(error.message, "1000 levels"));
    static const double wrong[] = {0, -1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 4; i++) {
        assert_false(contour_list_levels(&field, wrong[i], &levels, &error));
        assert_int_equal(error.code, ERROR_VALUE);
    }
    assert_false(contour_list_levels(&field, 1e-300, &levels, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    /* Between 2²⁴ and 2²⁴ + 2 there is one float: not four levels. */
    const float far[4] = {16777216, 16777218, 16777216, 16777218};
    field.samples = far;
    assert_false(contour_list_levels(&field, 0.5, &levels, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    field.columns = 1;
    assert_false(contour_trace(&field, samples, 1, &lines, &error));
    assert_int_equal(error.code, ERROR_VALUE);
}

/* A thousand levels through every cell. */
static void too_many_crossings_are_an_error(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    float samples[SIDE * SIDE], levels[1000];
    for (int i = 0; i < SIDE * SIDE; i++)
        samples[i] = (i + i / SIDE) % 2 ? 0.0f : 1000.0f;
    for (int i = 0; i < 1000; i++)
        levels[i] = (float)i + 0.5f;
    struct contour_field field = {samples, SIDE, SIDE, 0};
    struct error error = {0};
    assert_false(contour_trace(&field, levels, 1000, &lines, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "3969000 cells")); /* 63 · 63 · 1000 */
    assert_true(contour_trace(&field, levels, 200, &lines, &error));
}

static void infinite_samples_are_harmless(void **state)
{
    (void)state;
    const float samples[9] = {0, NAN, 1, INFINITY, -INFINITY, 2, 3, NAN, -1};
    const float levels[] = {0, 1.5f};
    struct contour_field field = {samples, 3, 3, 0};
    assert_true(contour_trace(&field, levels, 2, &lines, NULL));
    for (size_t i = 0; i < lines.point_count; i++) {
        assert_in_range(lines.points[i].x, 0, 2 * CONTOUR_ONE);
        assert_in_range(lines.points[i].y, 0, 2 * CONTOUR_ONE);
    }
}

/* The box's border is where lines end; what is inside stays as it is. */
static void clipped_lines_end_on_the_border(void **state)
{
    (void)state;
    struct contour_field field = field_of(cone, 64, 64);
    const float levels[] = {10, 24};
    struct contours cut = {0};
    /* From 15.5 to 47.25 both ways: the circle of 10 is inside, that of 24 outside. */
    const struct contour_box box = {31 * CONTOUR_ONE / 2, 31 * CONTOUR_ONE / 2,
                                    189 * CONTOUR_ONE / 4, 189 * CONTOUR_ONE / 4};
    assert_true(contour_trace(&field, levels, 2, &lines, NULL));
    assert_true(contour_clip(&lines, &box, &cut, NULL));
    assert_int_equal(cut.line_count, 1);
    assert_true(cut.lines[0].closed);
    assert_int_equal(cut.lines[0].count, lines.lines[0].count);
    const struct contour_box low = {box.west, box.north, box.east, 30 * CONTOUR_ONE};
    assert_true(contour_clip(&lines, &low, &cut, NULL));
    assert_int_equal(cut.line_count, 1); /* the upper half of the smaller circle */
    assert_false(cut.lines[0].closed);
    const struct contour_point *points = cut.points + cut.lines[0].first;
    /* Clockwise from the west: y = 30 is 0.2 above the middle, x = 31.3 ∓ √(100 − 0.04). */
    assert_int_equal(points[0].y, 30 * CONTOUR_ONE);
    assert_true(fabs(points[0].x / 65536.0 - 21.302) < 0.02);
    points += cut.lines[0].count - 1;
    assert_int_equal(points->y, 30 * CONTOUR_ONE);
    assert_true(fabs(points->x / 65536.0 - 41.298) < 0.02);
    contours_free(&cut);
    free((void *)(uintptr_t)field.samples);
}

static int free_lines(void **state)
{
    (void)state;
    contours_free(&lines);
    return 0;
}

int test_contour(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_have_straight_lines),
        cmocka_unit_test(samples_equal_to_the_level_have_a_line),
        cmocka_unit_test(a_margin_keeps_lines_from_samples),
        cmocka_unit_test(plateaus_at_a_level_have_one_ring),
        cmocka_unit_test(single_samples_at_a_level_have_tiny_rings),
        cmocka_unit_test(saddles_are_decided_by_the_mean),
        cmocka_unit_test(cones_have_circles),
        cmocka_unit_test(lines_of_random_fields_are_valid),
        cmocka_unit_test(higher_ground_is_on_the_left),
        cmocka_unit_test(levels_are_multiples_of_the_interval),
        cmocka_unit_test(limit_errors_name_the_limit),
        cmocka_unit_test(too_many_crossings_are_an_error),
        cmocka_unit_test(infinite_samples_are_harmless),
        cmocka_unit_test(clipped_lines_end_on_the_border),
    };
    return cmocka_run_group_tests(tests, NULL, free_lines);
}
