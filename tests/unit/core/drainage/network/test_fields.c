/* Lattices of fields: which places they have, and what is between them. Expected values are
 * arithmetic by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/drainage/network/fields.h"
#include "core/drainage/network/slopes.h"

static struct place at_metres(int64_t x, int64_t y)
{
    return (struct place){x * PLACE_METRE, y * PLACE_METRE};
}

/* Places are two cells apart, on levels 0 and 1 one, but 1024 m or more; detail is half of that. */
static void lattice_covers_all_places(void **unused)
{
    (void)unused;
    const struct drainage_network network = {.spacing_log2 = 17};
    const struct place places[2] = {at_metres(-5000, 4097), at_metres(8191, 4096)};
    struct field_part part = {5, false, places, 2};
    struct field_lattice lattice = {0};
    lattice_cover(&lattice, &network, &part);
    assert_int_equal(lattice.shift, 13 + PLACE_BITS);
    assert_true(lattice_spacing(&lattice) == 4096.0);
    assert_int_equal(lattice.x, -1); /* −8192 m, 0, 8192 */
    assert_int_equal(lattice.columns, 3);
    assert_int_equal(lattice.y, 0); /* 0 m, 8192 */
    assert_int_equal(lattice.rows, 2);
    part.level = 1;
    lattice_cover(&lattice, &network, &part);
    assert_int_equal(lattice.shift, 16 + PLACE_BITS);
    part.level = 11;
    lattice_cover(&lattice, &network, &part);
    assert_int_equal(lattice.shift, 10 + PLACE_BITS);
    assert_true(lattice_spacing(&lattice) == 512.0);
}

/* Of 10, 20 in the north and 30, 60 in the south: half way 15 and 45, and between these 30. */
static void values_are_interpolated(void **unused)
{
    (void)unused;
    const float values[] = {10.0f, 20.0f, 30.0f, 60.0f};
    const struct field_lattice lattice = {-1, 2, 10 + PLACE_BITS, 2, 2, {0}};
    assert_true(field_at(&lattice, values, at_metres(-1024, 2048)) == 10.0f);
    assert_true(field_at(&lattice, values, at_metres(-512, 2048)) == 15.0f);
    assert_true(field_at(&lattice, values, at_metres(-512, 2560)) == 30.0f);
    assert_true(field_at(&lattice, values, at_metres(-1024, 2560)) == 20.0f);
}

static void only_long_streams_have_lakes(void **unused)
{
    (void)unused;
    const struct drainage_network network = {.spacing_log2 = 17, .lakes = true};
    const struct drainage_network dry = {.spacing_log2 = 17};
    assert_true(level_has_lakes(&network, 0) && level_has_lakes(&network, 5));
    assert_false(level_has_lakes(&network, 6) || level_has_lakes(&dry, 0));
}

/* 0.62^(level − 1), and 1 for level 0; the slope of 500 m of relief in cells of 4096 m. */
static void relief_is_cut_level_by_level(void **unused)
{
    (void)unused;
    const struct drainage_network network = {.spacing_log2 = 17};
    double expected = 1.0;
    assert_true(relief_share(0) == 1.0f);
    for (unsigned level = 1; level <= DRAINAGE_LEVELS_MAX + 1; level++, expected *= 0.62) {
        const double share = (double)relief_share(level) / expected;
        assert_true(share > 1.0 - 1e-6 && share < 1.0 + 1e-6);
    }
    const double s = 500.0 * 0.62 * 0.62 * 0.62 * 0.62 / 4096.0, slope = s / (1.0 + 1.15 * s);
    const double ratio = (double)slope_beside(&network, 5, 500.0f) / slope;
    assert_true(ratio > 1.0 - 1e-6 && ratio < 1.0 + 1e-6);
}

int test_fields(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_covers_all_places),
        cmocka_unit_test(values_are_interpolated),
        cmocka_unit_test(only_long_streams_have_lakes),
        cmocka_unit_test(relief_is_cut_level_by_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
