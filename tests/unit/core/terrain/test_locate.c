#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "core/terrain/angle.h"
#include "core/terrain/locate_check.h"
#include "tests/unit/core/world/world_of.h"

static const struct locate_search hundred = {
    .radius = 256 * PLACE_METRE,
    .low = 100,
    .high = FLT_MAX,
    .slope_high = LOCATE_ANY_SLOPE,
    .cost_max = UINT64_MAX,
    .checks_max = 10000,
};

static struct located locate(const char *formula, const struct locate_search *search)
{
    struct world *world = world_of(formula);
    struct sampler *sampler = sampler_new();
    struct located located;
    struct error error = {0};
    if (!locate_nearest(sampler, world, search, &located, &error))
        fail_msg("%s", error.message);
    sampler_free(sampler);
    world_release(world);
    return located;
}

static void a_plane_reaches_a_height_to_the_east(void **state)
{
    (void)state;
    struct located found = locate("0.5 * x", &hundred);
    assert_true(found.found && found.complete);
    assert_true(found.step == PLACE_METRE);
    assert_true(found.place.x == 200 * PLACE_METRE && found.place.y == 0);
    assert_true(found.value == 100 && found.distance == 200 && found.bearing == 90);
}

/* The four quarters of the compass, and between: bearing by hand. */
static void bearings_turn_clockwise_from_north(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double distance, bearing;
    } cases[] = {
        {"-y", 100, 0},
        {"x", 100, 90},
        {"y", 100, 180},
        {"-x", 100, 270},
        {"x - y", 70.710678118654752, 45},
        {"x + y", 70.710678118654752, 135},
        {"101 - distance(30, 40)", 49.2442890089805, 143.746162262555}, /* at (29.12, 39.71): a step
                                                                          away, on (29, 40) */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases - 1; i++) {
        struct located found = locate(cases[i].formula, &hundred);
        assert_true(fabs(found.distance - cases[i].distance) < 1e-9);
        assert_true(fabs(found.bearing - cases[i].bearing) < 1e-9);
    }
    /* The disc of a metre about (30, 40) has five grid places; (30, 39) is at √2421. */
    struct located found = locate(cases[6].formula, &hundred);
    assert_true(fabs(found.distance - sqrt(30.0 * 30 + 39 * 39)) < 1e-9);
    assert_true(fabs(found.bearing - (180 - angle_of_tangent(30.0 / 39))) < 1e-9);
}

static void the_place_itself_is_nearest(void **state)
{
    (void)state;
    struct located found = locate("100", &hundred);
    assert_true(found.found && found.distance == 0 && found.bearing == 0 && found.complete);
    assert_int_equal(found.samples, 32 * 32);
}

static void a_radius_is_a_circle(void **state)
{
    (void)state;
    /* 256 m to the north-east are 181 m each way; the corner of the square is beyond. */
    assert_true(locate("x + y > 361 ? 100 : 0", &hundred).found);
    struct located none = locate("x + y > 363 ? 100 : 0", &hundred);
    assert_false(none.found);
    assert_true(none.complete);
    assert_int_equal(none.samples, 513 * 513);
}

static void steps_grow_with_the_radius(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    search.radius = 1000 * PLACE_METRE;
    struct located found = locate("x", &search);
    assert_true(found.step == 1000 * PLACE_METRE / 256);
    assert_true(found.place.x == 26 * found.step); /* 101.5625 m, the first at 100 or beyond */
}

static void cost_limit_ends_the_search(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    search.cost_max = 9 * 32 * 32; /* nothing costs nothing: as one a sample */
    struct located found = locate("x", &search);
    assert_false(found.found);
    assert_false(found.complete);
    assert_true(found.samples <= search.cost_max);
    search.cost_max = 8 * 32 * 32 * 9;
    search.low = 40;
    found = locate("x + 0 * perlin(10000) + 0 * fbm(20000, octaves=7)", &search);
    assert_true(found.samples * 8 <= search.cost_max);
}

/* Against every sample, the slow way, of a field without any order. */
static void result_equals_exhaustive_search(void **state)
{
    (void)state;
    struct world *world = world_of("white(7)");
    struct sampler *sampler = sampler_new();
    unsigned layer = world_height_layer(world);
    static float samples[513 * 513];
    for (int round = 0; round < 12; round++) {
        struct locate_search search = hundred;
        search.place = (struct place){round * 999 * PLACE_METRE, -round * 777 * PLACE_METRE};
        search.low = round % 3 == 0 ? 0.999f : round % 3 == 1 ? 0.9f : 0.99999f;
        float *output = samples;
        struct sample_grid grid = {.x = search.place.x - 256 * PLACE_METRE,
                                   .y = search.place.y - 256 * PLACE_METRE,
                                   .step = PLACE_METRE,
                                   .columns = 513,
                                   .rows = 513};
        struct sample_request request = {&layer, &output, 1};
        assert_true(sampler_grid(sampler, world, &grid, &request, NULL));
        int best = 256 * 256 + 1;
        for (int i = 0; i < 513 * 513; i++) {
            int x = i % 513 - 256, y = i / 513 - 256;
            if (samples[i] >= search.low && x * x + y * y < best)
                best = x * x + y * y;
        }
        struct located found;
        assert_true(locate_nearest(sampler, world, &search, &found, NULL));
        assert_true(found.complete);
        assert_true(found.found == (best <= 256 * 256));
        if (found.found) {
            assert_true(found.distance == sqrt(best));
            assert_true(found.value >= search.low);
        }
    }
    sampler_free(sampler);
    world_release(world);
}

static void slope_limit_is_respected(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    search.slope_high = 10;
    search.low = 140;
    /* A wall of 45° up to x = 150, flat behind. */
    struct located found = locate("min(x, 150)", &search);
    assert_true(found.found && found.complete);
    assert_true(found.place.x == 151 * PLACE_METRE); /* at 150 the slope still is half a wall's */
    found = locate("200 + x + y", &search);
    assert_false(found.found);
    assert_false(found.complete); /* too many slopes to ask for */
}

/* At steps of a metre the noise is faded out, and all ground is 100 m high. At full detail it is
 * lower but in the east. */
static const char rough[] = "x > 30.5 ? 100 : 100 - abs(value(1.5))";

static void places_are_checked_at_full_detail(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    struct located found = locate(rough, &search);
    assert_true(found.found && found.complete && found.spacing == 1);
    assert_true(found.place.x == 31 * PLACE_METRE && found.place.y == 0 && found.value == 100);
    /* A circle of 31 m has about 3019 places, and none of them passes. */
    search.checks_max = 2900;
    found = locate(rough, &search);
    assert_false(found.found || found.complete);
    search.full_detail = true;
    found = locate(rough, &search);
    assert_true(found.found && found.complete && found.spacing == 0);
    assert_true(found.place.x == 31 * PLACE_METRE && found.place.y == 0);
}

/* The same 3019 places, whose nodes are the fewer the nearer they are to each other. */
static void the_time_of_checks_is_limited(void **state)
{
    (void)state;
    static const char nodes[] =
        "x > 30.5 ? 100 : 100 - abs(value(1.5)) * (2 + coarse(perlin(5000), 256))";
    struct world *world = world_of(nodes);
    struct locate_search search = hundred;
    const double near = locate_check_time(world, &search, 3019, 20, 62.0);
    const double anywhere = locate_check_time(world, &search, 3019, 20, 1e6);
    assert_true(near > 0 && anywhere > 2.0 * near);
    search.checks_time_max = 0.5 * (near + anywhere);
    struct located found = locate(nodes, &search);
    assert_true(found.found && found.complete && found.place.x == 31 * PLACE_METRE);
    search.checks_time_max = 0.8 * near;
    found = locate(nodes, &search);
    assert_false(found.found || found.complete);
    search.checks_time_max = locate_check_time(world, &search, 1, 1, 0.0) / 2.0;
    found = locate(nodes, &search);
    assert_false(found.found || found.complete);
    world_release(world);
}

/* The corner (−14, −14) of the first block is 19.8 m away; the next blocks begin 16 m away, and
 * further candidates in both are rejected. */
static void a_corner_is_compared_with_the_next_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        int x, y;
    } cases[] = {
        {"distance(-14, -14) < 0.5 || distance(17, 3) < 0.5 ? 100 : 100 - abs(value(1.5))", 17, 3},
        {"distance(-14, -14) < 0.5 || distance(20, 1) < 0.5 ? 100 : 100 - abs(value(1.5))", -14,
         -14},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct located found = locate(cases[i].formula, &hundred);
        assert_true(found.found && found.complete);
        assert_int_equal(found.place.x, cases[i].x * PLACE_METRE);
        assert_int_equal(found.place.y, cases[i].y * PLACE_METRE);
    }
}

/* The square of 513 × 513 samples, 8 m apart, around a place. */
static void sample_square(struct sampler *sampler, const struct world *world, struct place place,
                          double spacing, float *samples)
{
    const unsigned layer = world_height_layer(world);
    const struct sample_grid grid = {.x = place.x - 256 * 8 * PLACE_METRE,
                                     .y = place.y - 256 * 8 * PLACE_METRE,
                                     .step = 8 * PLACE_METRE,
                                     .columns = 513,
                                     .rows = 513,
                                     .spacing = spacing};
    const struct sample_request request = {&layer, &samples, 1};
    assert_true(sampler_grid(sampler, world, &grid, &request, NULL));
}

/* Against every sample, the slow way: the result passes at both levels of detail, is the nearest
 * that does, and of equally near ones the first in the order of rows. */
static void result_is_nearest_at_both_levels_of_detail(void **state)
{
    (void)state;
    static const float lows[] = {0.2f, 0.25f, 0.3f, 0.33f};
    static float coarse[513 * 513], full[513 * 513];
    struct world *world = world_of("fbm(wavelength=64, octaves=8, persistence=0.8)");
    struct sampler *sampler = sampler_new();
    unsigned rejected = 0;
    for (int round = 0; round < 16; round++) {
        struct locate_search search = hundred;
        search.radius = 256 * 8 * PLACE_METRE;
        search.place = (struct place){round * 9999 * PLACE_METRE, -round * 7777 * PLACE_METRE};
        search.low = lows[round % 4];
        sample_square(sampler, world, search.place, 8, coarse);
        sample_square(sampler, world, search.place, 0, full);
        int best = 256 * 256 + 1, best_coarse = best, index = 0;
        for (int i = 0; i < 513 * 513; i++) {
            const int x = i % 513 - 256, y = i / 513 - 256, square = x * x + y * y;
            if (coarse[i] >= search.low && square < best_coarse)
                best_coarse = square;
            if (coarse[i] < search.low || full[i] < search.low || square >= best)
                continue;
            best = square;
            index = i;
        }
        struct located found;
        assert_true(locate_nearest(sampler, world, &search, &found, NULL));
        assert_true(found.complete && found.found == (best <= 256 * 256));
        rejected += best_coarse < best;
        if (!found.found)
            continue;
        assert_true(found.place.x == search.place.x + (index % 513 - 256) * 8 * PLACE_METRE);
        assert_true(found.place.y == search.place.y + (index / 513 - 256) * 8 * PLACE_METRE);
        assert_true(found.value == full[index]);
    }
    assert_true(rejected >= 4);
    sampler_free(sampler);
    world_release(world);
}

int test_locate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_reaches_a_height_to_the_east),
        cmocka_unit_test(bearings_turn_clockwise_from_north),
        cmocka_unit_test(the_place_itself_is_nearest),
        cmocka_unit_test(a_radius_is_a_circle),
        cmocka_unit_test(steps_grow_with_the_radius),
        cmocka_unit_test(cost_limit_ends_the_search),
        cmocka_unit_test(result_equals_exhaustive_search),
        cmocka_unit_test(slope_limit_is_respected),
        cmocka_unit_test(places_are_checked_at_full_detail),
        cmocka_unit_test(the_time_of_checks_is_limited),
        cmocka_unit_test(a_corner_is_compared_with_the_next_blocks),
        cmocka_unit_test(result_is_nearest_at_both_levels_of_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
