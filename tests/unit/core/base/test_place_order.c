/* The order of places: that of a recursive walk through the quadrants of a square, written down
 * here once more for a small square, and its consequences for places anywhere. */
#include "core/base/place_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 4 × 4 places around the origin: north-west, north-east, south-west, south-east, each as a whole.
 */
static void quadrants_are_kept_together(void **state)
{
    (void)state;
    static const struct place expected[16] = {
        {-2, -2}, {-1, -2}, {-2, -1}, {-1, -1}, {0, -2}, {1, -2}, {0, -1}, {1, -1},
        {-2, 0},  {-1, 0},  {-2, 1},  {-1, 1},  {0, 0},  {1, 0},  {0, 1},  {1, 1},
    };
    struct place places[16];
    uint32_t ranks[16];
    for (size_t i = 0; i < 16; i++)
        places[i] = expected[(7 * i + 3) % 16];
    assert_true(place_order_sort(places, ranks, 16));
    assert_memory_equal(places, expected, sizeof expected);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(ranks[i], (7 * i + 3) % 16);
}

/* A square of 2⁵⁸ units has its corner at (−limit, −limit), so its middle is (limit, limit). */
static void extreme_coordinates_are_ordered(void **state)
{
    (void)state;
    const int64_t limit = (int64_t)1 << 56;
    struct place places[] = {
        {limit, limit}, {-limit, limit}, {0, 0}, {limit, -limit}, {-limit, -limit}};
    const struct place expected[] = {
        {-limit, -limit}, {0, 0}, {limit, -limit}, {-limit, limit}, {limit, limit}};
    uint32_t ranks[5];
    assert_true(place_order_sort(places, ranks, 5));
    assert_memory_equal(places, expected, sizeof expected);
    assert_true(place_order_sort(places, ranks, 0));
}

/* Two groups of places a metre apart, far from each other, and one place alone at the end of the
 * world. */
static void near_places_stay_together(void **state)
{
    enum { EACH = 500 };
    const int64_t limit = (int64_t)1 << 56;
    struct place places[2 * EACH + 1];
    uint32_t ranks[2 * EACH + 1];
    (void)state;
    for (int64_t i = 0; i < EACH; i++) {
        const int64_t east = i % 25 * PLACE_METRE, south = i / 25 * PLACE_METRE;
        places[2 * i] = (struct place){east - limit, south - limit};
        places[2 * i + 1] = (struct place){limit / 2 + east, south - limit};
    }
    places[2 * EACH] = (struct place){limit, limit};
    assert_true(place_order_sort(places, ranks, 2 * EACH + 1));
    for (size_t i = 0; i < EACH; i++) {
        assert_in_range(ranks[2 * i], 0, EACH - 1);
        assert_in_range(ranks[2 * i + 1], EACH, 2 * EACH - 1);
    }
    assert_int_equal(ranks[2 * EACH], 2 * EACH);
    assert_int_equal(places[2 * EACH].x, limit);
}

/* All places of a line that is longer than one digit of the sort. */
static void a_line_is_sorted_along_it(void **state)
{
    enum { COUNT = 5000 };
    static struct place places[COUNT];
    static uint32_t ranks[COUNT];
    (void)state;
    for (int64_t i = 0; i < COUNT; i++)
        places[i] = (struct place){i * 2741 % COUNT * 1000003, -7};
    assert_true(place_order_sort(places, ranks, COUNT));
    for (int64_t i = 0; i < COUNT; i++) {
        assert_int_equal(places[i].x, i * 1000003);
        assert_int_equal(places[i].y, -7);
        assert_int_equal(ranks[i], i * 2741 % COUNT);
    }
}

/* Places of a square whose sides are divided into two: those of a quarter keep their order. */
static void coarse_keys_keep_the_order_of_the_list(void **state)
{
    static const struct place places[] = {{7, 1}, {5, 7}, {1, 2}, {6, 0}, {0, 0}, {2, 1}};
    static const uint32_t expected[] = {2, 4, 5, 0, 3, 1};
    struct place_key memory[12];
    (void)state;
    const struct place_key *keys = place_order_find(places, 6, 1, memory);
    assert_non_null(keys);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(keys[i].index, expected[i]);
}

static void an_order_that_is_there_is_found(void **state)
{
    static const struct place places[] = {{1, 2}, {0, 0}, {7, 1}, {6, 0}, {5, 7}};
    struct place_key memory[10];
    (void)state;
    assert_null(place_order_find(places, 5, 1, memory));
    assert_non_null(place_order_find(places, 5, 3, memory));
    assert_null(place_order_find(places, 1, 3, memory));
}

int test_place_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadrants_are_kept_together),
        cmocka_unit_test(extreme_coordinates_are_ordered),
        cmocka_unit_test(near_places_stay_together),
        cmocka_unit_test(a_line_is_sorted_along_it),
        cmocka_unit_test(coarse_keys_keep_the_order_of_the_list),
        cmocka_unit_test(an_order_that_is_there_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
