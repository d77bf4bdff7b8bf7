/* Polygons below a level: areas and rings known from geometry, and membership of every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/terrain/contour.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/terrain/contour_check.h"

enum { SIDE = 64 };
static struct contours work[2], rings;

static struct contour_box box_of(double west, double north, double east, double south)
{
    return (struct contour_box){(int32_t)(west * CONTOUR_ONE), (int32_t)(north * CONTOUR_ONE),
                                (int32_t)(east * CONTOUR_ONE), (int32_t)(south * CONTOUR_ONE)};
}

static void make_area(const struct contour_field *field, float level, struct contour_box box)
{
    const struct contour_area area = {field, level, box};
    struct error error = {0};
    if (!contour_area(&area, work, &rings, &error))
        fail_msg("%s", error.message);
}

static double samples_area(void)
{
    return total_area(&rings) / 2 / CONTOUR_ONE / CONTOUR_ONE;
}

/* Signs, order, owners, and that rings stay in the box and have no repeated points. */
static void check_rings(struct contour_box box)
{
    size_t exterior = SIZE_MAX;
    for (size_t i = 0; i < rings.line_count; i++) {
        const struct contour_line *line = &rings.lines[i];
        const struct contour_point *points = rings.points + line->first;
        assert_true(line->closed);
        assert_true(line->count >= 3);
        assert_true(line->hole ? area_of(&rings, i) < 0 : area_of(&rings, i) > 0);
        for (size_t k = 0; k < line->count; k++) {
            struct contour_point next = points[(k + 1) % line->count];
            assert_true(points[k].x != next.x || points[k].y != next.y);
            assert_in_range(points[k].x, box.west, box.east);
            assert_in_range(points[k].y, box.north, box.south);
        }
        if (!line->hole)
            exterior = i;
        assert_true(exterior != SIZE_MAX);
        /* A little to the left of a hole's first side there is its exterior's area. */
        double x = (points[0].x + points[1].x) * 0.5 + (points[1].y - points[0].y) * 1e-3;
        double y = (points[0].y + points[1].y) * 0.5 - (points[1].x - points[0].x) * 1e-3;
        if (line->hole && x > box.west && y > box.north && x < box.east && y < box.south)
            assert_true(is_in_ring(&rings, exterior, points[0].x, points[0].y));
    }
}

static double flat(double x, double y)
{
    (void)x;
    (void)y;
    return 3;
}

static double distance(double x, double y)
{
    return sqrt((x - 30.3) * (x - 30.3) + (y - 31.4) * (y - 31.4));
}

static double negative_distance(double x, double y)
{
    return -distance(x, y);
}

/* Water, a round island of radius 20, a round lake on it of radius 12, an islet of radius 5. */
static double target(double x, double y)
{
    double r = distance(x, y);
    return r < 8.5 ? 5 - r : r < 16 ? r - 12 : 20 - r;
}

static double slope(double x, double y)
{
    return x + 0.5 * y - 30.1;
}

static void a_field_on_one_side_is_all_or_nothing(void **state)
{
    (void)state;
    struct contour_field field = field_of(flat, SIDE, SIDE);
    make_area(&field, 3, box_of(1.5, 2.5, 40, 50.25));
    assert_int_equal(rings.line_count, 0);
    make_area(&field, 3.5f, box_of(1.5, 2.5, 40, 50.25));
    assert_int_equal(rings.line_count, 1);
    assert_int_equal(rings.lines[0].count, 4);
    assert_true(samples_area() == 38.5 * 47.75);
    make_area(&field, 3.5f, box_of(0, 0, SIDE - 1, SIDE - 1)); /* the field itself */
    assert_true(samples_area() == 63 * 63);
    free((void *)(uintptr_t)field.samples);
}

static void lakes_and_islands_are_rings_and_holes(void **state)
{
    (void)state;
    const double pi = 3.14159265358979;
    const struct contour_box box = box_of(4.5, 4.5, 58.5, 58.5);
    struct contour_field lake = field_of(distance, SIDE, SIDE);
    make_area(&lake, 12, box);
    assert_int_equal(rings.line_count, 1);
    assert_true(fabs(samples_area() / (pi * 144) - 1) < 0.005);
    check_rings(box);
    struct contour_field island = field_of(negative_distance, SIDE, SIDE);
    make_area(&island, -12, box);
    assert_int_equal(rings.line_count, 2); /* the box and its hole */
    assert_true(fabs(samples_area() - (54 * 54 - pi * 144)) < 2);
    check_rings(box);
    struct contour_field all = field_of(target, SIDE, SIDE);
    make_area(&all, 0, box);
    /* The lake with the islet, then the sea with the island. */
    assert_int_equal(rings.line_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rings.lines[i].hole, i % 2);
    static const double areas[] = {144, -25, 0, -400};
    for (size_t i = 0; i < 4; i++) {
        if (i != 2)
            assert_true(fabs(area_of(&rings, i) / 2 / CONTOUR_ONE / CONTOUR_ONE - pi * areas[i]) <
                        1);
    }
    assert_true(area_of(&rings, 2) / 2 / CONTOUR_ONE / CONTOUR_ONE == 54 * 54);
    check_rings(box);
    free((void *)(uintptr_t)lake.samples);
    free((void *)(uintptr_t)island.samples);
    free((void *)(uintptr_t)all.samples);
}

/* Below 0 where x < 30.1 − y/2: a trapezium whatever the box. */
static void a_slope_is_cut_to_a_trapezium(void **state)
{
    (void)state;
    struct contour_field field = field_of(slope, SIDE, SIDE);
    make_area(&field, 0, box_of(2.5, 3.5, 50.5, 33.5));
    assert_int_equal(rings.line_count, 1);
    /* From x = 2.5 to 28.35 in the north and to 13.35 in the south, 30 high. */
    assert_true(fabs(samples_area() - (25.85 + 10.85) / 2 * 30) < 0.01);
    make_area(&field, 0, box_of(20.5, 0.5, 60.5, 60.5));
    /* A triangle: 9.35 wide in the north, 18.7 high. */
    assert_true(fabs(samples_area() - 9.35 * 18.7 / 2) < 0.01);
    check_rings(box_of(20.5, 0.5, 60.5, 60.5));
    free((void *)(uintptr_t)field.samples);
}

/* The box's border on the line itself, and a line through a corner: the same areas. */
static void border_along_a_line(void **state)
{
    (void)state;
    static const struct {
        double west, north, east, south, area;
    } cases[] = {
        {10.5, 2, 30, 20, 0}, /* x + y/2 = 30.1 … */
        {2, 2, 10, 20, 144},
    };
    static double heights[SIDE * SIDE];
    float samples[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        heights[i] = i % SIDE - 10.5; /* the line is x = 10.5 exactly */
        samples[i] = (float)heights[i];
    }
    const struct contour_field field = {samples, SIDE, SIDE, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct contour_box box =
            box_of(cases[i].west, cases[i].north, cases[i].east, cases[i].south);
        make_area(&field, 0, box);
        assert_true(fabs(samples_area() - cases[i].area) < 1e-3);
        check_rings(box);
    }
    make_area(&field, 0, box_of(2, 2, 10.5, 20));
    assert_true(fabs(samples_area() - 8.5 * 18) < 1e-3);
    for (int i = 0; i < SIDE * SIDE; i++) /* the line is the diagonal of whole places */
        samples[i] = (float)(i % SIDE - i / SIDE);
    make_area(&field, 0, box_of(5, 5, 25, 25));
    assert_true(fabs(samples_area() - 200) < 0.01);
    check_rings(box_of(5, 5, 25, 25));
    make_area(&field, 0, box_of(25, 5, 45, 25));
    assert_true(fabs(samples_area()) < 0.01);
    make_area(&field, 0, box_of(5, 25, 25, 45));
    assert_true(fabs(samples_area() - 400) < 0.01);
}

static uint64_t seed = 4101842887655102017;

static double rough(double x, double y)
{
    (void)x;
    (void)y;
    return (double)random_whole(&seed, -3, 3) + 0.5 * (double)random_whole(&seed, 0, 1);
}

/* Random heights, with every saddle and many samples at the level: around every sample of the box
 * the polygons hold what is below and nothing else, for any box. */
static void every_sample_is_on_the_right_side(void **state)
{
    (void)state;
    enum { SMALL = 24 };
    static const double boxes[][4] = {
        {0, 0, 23, 23},         {4.5, 4.5, 18.5, 18.5}, {3, 7, 19, 11},
        {0.25, 3.5, 22.75, 21}, {5, 5, 6, 6},           {2.5, 2.5, 3.5, 20.5},
    };
    for (int round = 0; round < 60; round++) {
        struct contour_field field = field_of(rough, SMALL, SMALL);
        const double *edges = boxes[round % 6];
        const struct contour_box box = box_of(edges[0], edges[1], edges[2], edges[3]);
        make_area(&field, 0, box);
        check_rings(box);
        for (int y = 0; y < SMALL; y++) {
            for (int x = 0; x < SMALL; x++) {
                /* Just beside the sample, nearer than any line, on no point's height. */
                double px = x * CONTOUR_ONE + 0.31, py = y * CONTOUR_ONE + 0.37;
                if (px < box.west || px > box.east || py < box.north || py > box.south)
                    continue;
                bool below = field.samples[y * SMALL + x] < 0;
                assert_int_equal(is_in_area(&rings, px, py), below);
            }
        }
        free((void *)(uintptr_t)field.samples);
    }
}

/* The parts of two boxes side by side have the whole box's area. */
static void parts_add_up(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct contour_field field = field_of(rough, SIDE, SIDE);
        make_area(&field, 0.25f, box_of(2.5, 2.5, 61.5, 60));
        double whole = samples_area();
        make_area(&field, 0.25f, box_of(2.5, 2.5, 31.5, 60));
        double west = samples_area();
        make_area(&field, 0.25f, box_of(31.5, 2.5, 61.5, 60));
        assert_true(fabs(whole - west - samples_area()) < 1e-2);
        assert_true(whole > 100);
        free((void *)(uintptr_t)field.samples);
    }
}

static void boxes_outside_are_refused(void **state)
{
    (void)state;
    struct contour_field field = field_of(flat, SIDE, SIDE);
    const double wrong[][4] = {
        {-1, 0, 10, 10}, {0, 0, 64, 10}, {5, 5, 5.5, 20}, {5, 20, 20, 10}, {0, 0, 10, 63.5}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct contour_area area = {
            &field, 0, box_of(wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3])};
        struct error error = {0};
        assert_false(contour_area(&area, work, &rings, &error));
        assert_int_equal(error.code, ERROR_VALUE);
    }
    free((void *)(uintptr_t)field.samples);
}

static int free_all(void **state)
{
    (void)state;
    contours_free(&work[0]);
    contours_free(&work[1]);
    contours_free(&rings);
    return 0;
}

int test_contour_area(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_on_one_side_is_all_or_nothing),
        cmocka_unit_test(lakes_and_islands_are_rings_and_holes),
        cmocka_unit_test(a_slope_is_cut_to_a_trapezium),
        cmocka_unit_test(border_along_a_line),
        cmocka_unit_test(every_sample_is_on_the_right_side),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(boxes_outside_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
