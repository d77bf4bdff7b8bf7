#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/terrain/sight.h"
#include "tests/unit/core/world_of.h"

/* From (x0, 0) to (x1, 0), so many metres above the ground. */
static struct sight trace(const char *formula, int64_t x0, double above0, int64_t x1, double above1)
{
    struct world *world = world_of(formula);
    struct sampler *sampler = sampler_new();
    struct sight sight = {.from = {.place = {x0 * PLACE_METRE, 0}, .above = above0},
                          .to = {.place = {x1 * PLACE_METRE, 0}, .above = above1}};
    struct error error = {0};
    if (!sight_trace(sampler, world, &sight, &error))
        fail_msg("%s", error.message);
    sampler_free(sampler);
    world_release(world);
    return sight;
}

static void a_plane_hides_nothing(void **state)
{
    (void)state;
    struct sight sight = trace("0.5 * x", 0, 2, 1000, 2);
    assert_true(sight.clear && sight.complete);
    assert_true(sight.distance == 1000 && sight.step == 1);
    assert_true(sight.from.ground == 0 && sight.from.height == 2);
    assert_true(sight.to.ground == 500 && sight.to.height == 502);
}

/* A cone 100 m high at x = 500, its foot 100 m wide each way. A line 10 m up meets it where
 * 100 − (500 − x) > 10: at 410 the ground is on the line, at 411 above it. */
static void a_hill_stands_between(void **state)
{
    (void)state;
    const char *cone = "max(0, 100 - distance(500, 0))";
    struct sight sight = trace(cone, 0, 10, 1000, 10);
    assert_false(sight.clear);
    assert_true(sight.complete);
    assert_true(sight.blocked.x == 411 * PLACE_METRE && sight.blocked.y == 0);
    assert_true(sight.blocked_distance == 411);
    assert_true(sight.blocked_ground == 11 && sight.blocked_line == 10);
    assert_true(trace(cone, 0, 100, 1000, 100).clear);
    assert_false(trace(cone, 0, 99.5, 1000, 99.5).clear);
    /* From the top one sees both ways. */
    assert_true(trace(cone, 500, 2, 0, 0.5).clear);
    assert_true(trace(cone, 500, 2, 1000, 0.5).clear);
    /* A high eye sees over it: at 500 m a line from 300 to 0 is at 150, at 400 at 180. */
    assert_true(trace(cone, 0, 300, 1000, 0).clear);
    /* From 190 it would be at 95 over the top. */
    sight = trace(cone, 0, 190, 1000, 0);
    assert_false(sight.clear);
    /* 190·(1 − x/1000) < x − 400 from x = 495.8 on. */
    assert_true(sight.blocked_distance == 496);
}

static void long_lines_are_incomplete(void **state)
{
    (void)state;
    struct sight sight = trace("0", 0, 5, 100000, 5);
    assert_true(sight.clear);
    assert_false(sight.complete);
    assert_true(sight.step == 100000.0 / 8192);
    assert_true(trace("0", 0, 5, 8192, 5).complete);
    assert_false(trace("0", 0, 5, 8193, 5).complete);
    sight = trace("x > 90000 ? 20 : 0", 0, 5, 100000, 0);
    assert_false(sight.clear);
    assert_true(sight.complete);
    assert_true(sight.blocked_distance > 90000 && sight.blocked_distance <= 90000 + sight.step);
}

/* Steps of 24.4 m: of noise whose waves are 32 m long, 32 / 48.8 - 1 < 0 is left. From 131,072 m
 * on, steps are wider than 16 m. */
static void very_long_lines_have_the_detail_of_their_step(void **state)
{
    (void)state;
    struct sight sight = trace("1000 * perlin(32)", 0, 500, 200000, 500);
    assert_true(sight.step == 200000.0 / 8192 && sight.spacing == sight.step);
    assert_true(sight.clear && !sight.complete);
    assert_false(trace("1000 * perlin(32)", 0, 500, 131072, 500).clear);
    assert_true(trace("0", 0, 5, 131072, 5).spacing == 0);
    sight = trace("x > 90000 ? 20 : 0", 0, 5, 131073, 0);
    assert_true(sight.spacing == 131073.0 / 8192);
    assert_false(sight.clear);
    assert_false(sight.complete);
}

static void a_place_sees_itself(void **state)
{
    (void)state;
    struct sight sight = trace("7", 3, 1, 3, 20);
    assert_true(sight.clear && sight.complete && sight.distance == 0);
}

static void an_eye_in_the_ground_is_blocked_at_once(void **state)
{
    (void)state;
    assert_true(trace("0", 0, -1, 10, -1).blocked_distance == 1);
}

int test_sight(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_hides_nothing),
        cmocka_unit_test(a_hill_stands_between),
        cmocka_unit_test(long_lines_are_incomplete),
        cmocka_unit_test(very_long_lines_have_the_detail_of_their_step),
        cmocka_unit_test(a_place_sees_itself),
        cmocka_unit_test(an_eye_in_the_ground_is_blocked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
