/* The order of places: that of a recursive walk through the quadrants of a square, written down
 * here once more for a small square, and its consequences for places anywhere. */
#include "core/terrain/place_order.h"

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
    size_t order[16];
    for (size_t i = 0; i < 16; i++)
        places[i] = expected[(7 * i + 3) % 16];
    assert_true(place_order_sort(places, order, 16));
    assert_memory_equal(places, expected, sizeof expected);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal((7 * order[i] + 3) % 16, i);
}

static void extreme_coordinates_are_ordered(void **state)
{
    (void)state;
    const int64_t limit = (int64_t)1 << 56;
    struct place places[] = {
        {limit, limit}, {-limit, limit}, {0, 0}, {limit, -limit}, {-limit, -limit}};
    const struct place expected[] = {
        {-limit, -limit}, {limit, -limit}, {-limit, limit}, {0, 0}, {limit, limit}};
    size_t order[5];
    assert_true(place_order_sort(places, order, 5));
    assert_memory_equal(places, expected, sizeof expected);
    assert_true(place_order_sort(places, order, 0));
}

int test_place_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadrants_are_kept_together),
        cmocka_unit_test(extreme_coordinates_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
