#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/terrain/angle.h"
#include "core/terrain/locate_check.h"
#include "core/worldfile/world_condition.h"
#include "tests/unit/core/world_of.h"

static const struct locate_search hundred = {
    .radius = 256 * PLACE_METRE,
    .limit = 1,
    .octaves_max = UINT64_MAX,
    .checks_max = 10000,
};

/* The search in a world, for places where the condition holds. */
static struct located search_in(const struct world *world, struct sampler *sampler,
                                const struct locate_search *search, const char *where)
{
    struct located located;
    struct error error = {0};
    struct locate_search with_condition = *search;
    struct condition *condition = world_condition_new(world, where, &error);
    with_condition.condition = condition;
    if (!condition || !locate_nearest(sampler, world, &with_condition, &located, &error))
        fail_msg("%s: %s", where, error.message);
    condition_free(condition);
    return located;
}

static struct located locate_where(const char *formula, const struct locate_search *search,
                                   const char *where)
{
    struct world *world = world_of(formula);
    struct sampler *sampler = sampler_new();
    const struct located located = search_in(world, sampler, search, where);
    sampler_free(sampler);
    world_release(world);
    return located;
}

static struct located locate(const char *formula, const struct locate_search *search)
{
    return locate_where(formula, search, "height >= 100");
}

static void a_plane_reaches_a_height_to_the_east(void **state)
{
    (void)state;
    struct located found = locate("0.5 * x", &hundred);
    assert_true(found.count == 1 && found.complete);
    assert_true(found.step == PLACE_METRE);
    const struct located_place *nearest = &found.places[0];
    assert_true(nearest->place.x == 200 * PLACE_METRE && nearest->place.y == 0);
    assert_true(nearest->height == 100 && nearest->distance == 200 && nearest->bearing == 90);
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
        assert_true(fabs(found.places[0].distance - cases[i].distance) < 1e-9);
        assert_true(fabs(found.places[0].bearing - cases[i].bearing) < 1e-9);
    }
    /* The disc of a metre about (30, 40) has five grid places; (30, 39) is at √2421. */
    struct located found = locate(cases[6].formula, &hundred);
    assert_true(fabs(found.places[0].distance - sqrt(30.0 * 30 + 39 * 39)) < 1e-9);
    assert_true(fabs(found.places[0].bearing - (180 - angle_of_tangent(30.0 / 39))) < 1e-9);
}

static void the_place_itself_is_nearest(void **state)
{
    (void)state;
    struct located found = locate("100", &hundred);
    assert_true(found.count == 1 && found.places[0].distance == 0 && found.places[0].bearing == 0 &&
                found.complete);
    assert_int_equal(found.samples, 32 * 32);
}

static void a_radius_is_a_circle(void **state)
{
    (void)state;
    /* 256 m to the north-east are 181 m each way; the corner of the square is beyond. */
    assert_true(locate("x + y > 361 ? 100 : 0", &hundred).count == 1);
    struct located none = locate("x + y > 363 ? 100 : 0", &hundred);
    assert_false(none.count == 1);
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
    assert_true(found.places[0].place.x ==
                26 * found.step); /* 101.5625 m, the first at 100 or beyond */
}

static void octaves_limit_ends_the_search(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    search.octaves_max = 9 * 32 * 32; /* no octave counts as one a sample */
    struct located found = locate("x", &search);
    assert_false(found.count == 1);
    assert_false(found.complete);
    assert_true(found.samples <= search.octaves_max);
    search.octaves_max = 8 * 32 * 32 * 9;
    found =
        locate_where("x + 0 * perlin(10000) + 0 * fbm(20000, octaves=7)", &search, "height >= 40");
    assert_true(found.samples * 8 <= search.octaves_max);
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
        static const float lows[] = {0.999f, 0.9f, 0.99999f};
        static const char *const conditions[] = {"height >= 0.999", "height >= 0.9",
                                                 "0.99999 <= height"};
        const float low = lows[round % 3];
        float *output = samples;
        struct sample_grid grid = {.x = search.place.x - 256 * PLACE_METRE,
                                   .y = search.place.y - 256 * PLACE_METRE,
                                   .step = PLACE_METRE,
                                   .columns = 513,
                                   .rows = 513};
        struct sample_request request = {&layer, &output, 1};
        assert_true(sampler_grid(sampler, world_program(world), &grid, &request, NULL));
        int best = 256 * 256 + 1;
        for (int i = 0; i < 513 * 513; i++) {
            int x = i % 513 - 256, y = i / 513 - 256;
            if (samples[i] >= low && x * x + y * y < best)
                best = x * x + y * y;
        }
        const struct located found = search_in(world, sampler, &search, conditions[round % 3]);
        assert_true(found.complete);
        assert_true((found.count == 1) == (best <= 256 * 256));
        if (found.count == 1) {
            assert_true(found.places[0].distance == sqrt(best));
            assert_true(found.places[0].height >= low);
        }
    }
    sampler_free(sampler);
    world_release(world);
}

static void slope_limit_is_respected(void **state)
{
    (void)state;
    static const char where[] = "height >= 140 && slope <= 10";
    /* A wall of 45° up to x = 150, flat behind. */
    struct located found = locate_where("min(x, 150)", &hundred, where);
    assert_true(found.count == 1 && found.complete);
    assert_true(found.places[0].place.x ==
                151 * PLACE_METRE); /* at 150 the slope still is half a wall's */
    found = locate_where("200 + x + y", &hundred, where);
    assert_false(found.count == 1);
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
    assert_true(found.count == 1 && found.complete && found.spacing == 1);
    assert_true(found.places[0].place.x == 31 * PLACE_METRE && found.places[0].place.y == 0 &&
                found.places[0].height == 100);
    /* A circle of 31 m has about 3019 places, and none of them passes. */
    search.checks_max = 2900;
    found = locate(rough, &search);
    assert_false(found.count == 1 || found.complete);
    search.full_detail = true;
    found = locate(rough, &search);
    assert_true(found.count == 1 && found.complete && found.spacing == 0);
    assert_true(found.places[0].place.x == 31 * PLACE_METRE && found.places[0].place.y == 0);
}

/* The same 3019 places, whose nodes are the fewer the nearer they are to each other. */
static void the_time_of_checks_is_limited(void **state)
{
    (void)state;
    static const char nodes[] =
        "x > 30.5 ? 100 : 100 - abs(value(1.5)) * (2 + coarse(perlin(5000), 256))";
    struct world *world = world_of(nodes);
    struct locate_search search = hundred;
    struct condition *condition = world_condition_new(world, "height >= 100", NULL);
    assert_non_null(condition);
    const struct condition_needs needs = *condition_needs(condition);
    condition_free(condition);
    const double near = locate_check_time(world, &needs, 3019, 20, 62.0);
    const double anywhere = locate_check_time(world, &needs, 3019, 20, 1e6);
    assert_true(near > 0 && anywhere > 2.0 * near);
    search.checks_time_max = 0.5 * (near + anywhere);
    struct located found = locate(nodes, &search);
    assert_true(found.count == 1 && found.complete && found.places[0].place.x == 31 * PLACE_METRE);
    search.checks_time_max = 0.8 * near;
    found = locate(nodes, &search);
    assert_false(found.count == 1 || found.complete);
    search.checks_time_max = locate_check_time(world, &needs, 1, 1, 0.0) / 2.0;
    found = locate(nodes, &search);
    assert_false(found.count == 1 || found.complete);
    world_release(world);
}

/* Places far apart share no nodes, whether the slope alone looks at the height or the rest of the
 * condition does, too. */
static void the_time_of_slopes_counts_their_nodes(void **state)
{
    (void)state;
    static const char *const conditions[] = {"slope < 0", "other > 5, slope < 0"};
    struct world *world = world_of_text(
        "{\"generator\":1,\"layers\":{\"other\":\"x\",\"height\":\"coarse(perlin(5000), 256)\"}}");
    struct condition *all = world_condition_new(world, "height > 5, slope < 0", NULL);
    assert_non_null(all);
    const double known = locate_check_time(world, condition_needs(all), 3019, 20, 1e7);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        struct condition *condition = world_condition_new(world, conditions[i], NULL);
        assert_non_null(condition);
        assert_true(locate_check_time(world, condition_needs(condition), 3019, 20, 1e7) >=
                    0.9 * known);
        condition_free(condition);
    }
    condition_free(all);
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
        assert_true(found.count == 1 && found.complete);
        assert_int_equal(found.places[0].place.x, cases[i].x * PLACE_METRE);
        assert_int_equal(found.places[0].place.y, cases[i].y * PLACE_METRE);
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
    assert_true(sampler_grid(sampler, world_program(world), &grid, &request, NULL));
}

/* Against every sample, the slow way: the result passes at both levels of detail, is the nearest
 * that does, and of equally near ones the first in the order of rows. */
static void result_is_nearest_at_both_levels_of_detail(void **state)
{
    (void)state;
    static const float lows[] = {0.2f, 0.25f, 0.3f, 0.33f};
    static const char *const conditions[] = {"height >= 0.2", "height >= 0.25", "height >= 0.3",
                                             "height >= 0.33"};
    static float coarse[513 * 513], full[513 * 513];
    struct world *world = world_of("fbm(wavelength=64, octaves=8, persistence=0.8)");
    struct sampler *sampler = sampler_new();
    unsigned rejected = 0;
    for (int round = 0; round < 16; round++) {
        struct locate_search search = hundred;
        search.radius = 256 * 8 * PLACE_METRE;
        search.place = (struct place){round * 9999 * PLACE_METRE, -round * 7777 * PLACE_METRE};
        const float low = lows[round % 4];
        sample_square(sampler, world, search.place, 8, coarse);
        sample_square(sampler, world, search.place, 0, full);
        int best = 256 * 256 + 1, best_coarse = best, index = 0;
        for (int i = 0; i < 513 * 513; i++) {
            const int x = i % 513 - 256, y = i / 513 - 256, square = x * x + y * y;
            if (coarse[i] >= low && square < best_coarse)
                best_coarse = square;
            if (coarse[i] < low || full[i] < low || square >= best)
                continue;
            best = square;
            index = i;
        }
        const struct located found = search_in(world, sampler, &search, conditions[round % 4]);
        assert_true(found.complete && (found.count == 1) == (best <= 256 * 256));
        rejected += best_coarse < best;
        if (found.count == 0)
            continue;
        assert_true(found.places[0].place.x ==
                    search.place.x + (index % 513 - 256) * 8 * PLACE_METRE);
        assert_true(found.places[0].place.y ==
                    search.place.y + (index / 513 - 256) * 8 * PLACE_METRE);
        assert_true(found.places[0].height == full[index]);
    }
    assert_true(rejected >= 4);
    sampler_free(sampler);
    world_release(world);
}

/* Of a plane that rises to the east, the column 100 m away is nearest: its places follow one
 * another in turns, the northern one first. */
static void results_are_apart_and_far_enough(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    search.limit = 4;
    search.apart = 10 * PLACE_METRE;
    struct located found = locate("x", &search);
    static const int expected[][2] = {{100, 0}, {100, -10}, {100, 10}, {100, -20}};
    assert_true(found.count == 4 && found.complete);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(found.places[i].place.x, expected[i][0] * PLACE_METRE);
        assert_int_equal(found.places[i].place.y, expected[i][1] * PLACE_METRE);
    }
    search.min_distance = 120 * PLACE_METRE;
    search.limit = 1;
    found = locate("x", &search);
    /* 120² is 0² + 120² and 72² + 96², so that only one place with x ≥ 100 is so far away. */
    assert_true(found.count == 1 && found.places[0].distance == 120);
    assert_true(found.places[0].place.x == 120 * PLACE_METRE && found.places[0].place.y == 0);
    /* A disc of one place has one result, however many are wanted. */
    search.min_distance = 0;
    search.limit = 100;
    found = locate("distance(30, 40) < 0.5 ? 100 : 0", &search);
    assert_true(found.count == 1 && found.complete && found.samples == 513 * 513);
}

/* A grid of fewer steps has wider ones. */
static void steps_may_be_fewer(void **state)
{
    (void)state;
    struct locate_search search = hundred;
    search.steps = 32;
    const struct located found = locate("x", &search);
    assert_true(found.step == 8 * PLACE_METRE && found.places[0].distance == 104);
}

int test_locate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_reaches_a_height_to_the_east),
        cmocka_unit_test(bearings_turn_clockwise_from_north),
        cmocka_unit_test(the_place_itself_is_nearest),
        cmocka_unit_test(a_radius_is_a_circle),
        cmocka_unit_test(steps_grow_with_the_radius),
        cmocka_unit_test(octaves_limit_ends_the_search),
        cmocka_unit_test(result_equals_exhaustive_search),
        cmocka_unit_test(slope_limit_is_respected),
        cmocka_unit_test(places_are_checked_at_full_detail),
        cmocka_unit_test(the_time_of_checks_is_limited),
        cmocka_unit_test(the_time_of_slopes_counts_their_nodes),
        cmocka_unit_test(a_corner_is_compared_with_the_next_blocks),
        cmocka_unit_test(result_is_nearest_at_both_levels_of_detail),
        cmocka_unit_test(results_are_apart_and_far_enough),
        cmocka_unit_test(steps_may_be_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
