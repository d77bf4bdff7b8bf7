/* Mercator places: against libm, and against the formulas with 50 digits in another program. */
#include "core/tile/mercator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void degrees_become_metres(void **state)
{
    (void)state;
    static const struct {
        double longitude, latitude;
        double x, y;
    } cases[] = {
        {0, 0, 0, 0},
        {180, 0, 16777216, 0},
        {-90, 0, -8388608, 0},
        {13.405, 52.52, 1249436.558222222, -5772866.857615012},
        {-122.4194, 37.7749, -11410315.091057777, -3807725.512194467},
        {179.999, -85, 16777122.793244444, 16722256.699689548},
        {0.000001, -0.000001, 0.093206756, 0.093206756},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(fabs(mercator_east(cases[i].longitude) - cases[i].x) < 1e-7);
        assert_true(fabs(mercator_south(cases[i].latitude) - cases[i].y) < 1e-7);
        struct place place = mercator_place(cases[i].longitude, cases[i].latitude);
        assert_true(llabs(place.x - (int64_t)(cases[i].x * 65536)) <= 1);
        assert_true(llabs(place.y - (int64_t)(cases[i].y * 65536)) <= 1);
    }
}

/* The limit is where the map is square: to 2⁻¹⁶ m its edges are at 2²⁴ m, which is 2⁴⁰ units. */
static void limits_are_the_edges_of_the_map(void **state)
{
    (void)state;
    const int64_t edge = (int64_t)1 << 40;
    struct place north_west = mercator_place(-180, 85.0511287798066);
    struct place south_east = mercator_place(180, -85.0511287798066);
    assert_true(north_west.x == -edge && north_west.y == -edge);
    assert_true(south_east.x == edge && south_east.y == edge);
}

static void all_latitudes_agree_with_libm(void **state)
{
    (void)state;
    const double pi = acos(-1);
    double last = 0;
    for (int i = 0; i <= 850000; i++) {
        double latitude = i * 1e-4;
        double expected = -log(tan(pi / 4 + latitude * (pi / 360))) / pi * 16777216;
        double found = mercator_south(latitude);
        if (!(fabs(found - expected) < 1e-6))
            fail_msg("%g: %.9f, not %.9f", latitude, found, expected);
        assert_true(i == 0 || found < last);
        assert_true(mercator_south(-latitude) == -found);
        last = found;
    }
}

static void inverse_agrees_with_libm(void **state)
{
    (void)state;
    const double pi = acos(-1);
    for (int i = -1000000; i <= 1000000; i++) {
        double south = i * 16.777216;
        double expected = -atan(sinh(south / 16777216 * pi)) * (180 / pi);
        if (!(fabs(mercator_latitude(south) - expected) < 1e-9))
            fail_msg("%f: %.12f, not %.12f", south, mercator_latitude(south), expected);
        assert_true(fabs(mercator_longitude(mercator_east(i * 1.8e-4)) - i * 1.8e-4) < 1e-12);
    }
    assert_true(mercator_longitude(-8388608) == -90);
}

static void angles_agree_with_libm(void **state)
{
    (void)state;
    const double pi = acos(-1);
    for (int i = -100000; i <= 100000; i++) {
        const double metres = i * 167.77216, longitude = metres / 16777216 * pi;
        const double latitude = -atan(sinh(longitude));
        const struct mercator_angle east = mercator_longitude_angle(metres);
        const struct mercator_angle south = mercator_latitude_angle(metres);
        assert_true(fabs(east.sine - sin(longitude)) < 1e-15);
        assert_true(fabs(east.cosine - cos(longitude)) < 1e-15);
        assert_true(fabs(south.sine - sin(latitude)) < 1e-15);
        assert_true(fabs(south.cosine - cos(latitude)) < 1e-15);
    }
}

int test_mercator(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_become_metres),
        cmocka_unit_test(limits_are_the_edges_of_the_map),
        cmocka_unit_test(all_latitudes_agree_with_libm),
        cmocka_unit_test(inverse_agrees_with_libm),
        cmocka_unit_test(angles_agree_with_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
