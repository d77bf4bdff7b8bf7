#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/terrain/profile.h"
#include "tests/unit/core/world_of.h"

static struct profile profile_of(const char *formula, const struct profile_line *line,
                                 struct profile_point *points, uint32_t count)
{
    struct world *world = world_of(formula);
    struct sampler *sampler = sampler_new();
    struct profile profile = {.line = *line, .points = points, .count = count};
    struct error error = {0};
    if (!profile_sample(sampler, world, &profile, &error))
        fail_msg("%s", error.message);
    sampler_free(sampler);
    world_release(world);
    return profile;
}

static struct place metres(int64_t x, int64_t y)
{
    return (struct place){x * PLACE_METRE, y * PLACE_METRE};
}

static void a_plane_is_climbed_evenly(void **state)
{
    (void)state;
    const struct profile_line line = {{metres(0, 7), metres(1000, 7)}, 2};
    struct profile_point points[5];
    struct profile profile = profile_of("0.5 * x", &line, points, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(points[i].distance == 250.0 * i);
        assert_true(points[i].place.x == 250 * i * PLACE_METRE);
        assert_true(points[i].place.y == 7 * PLACE_METRE);
        assert_true(points[i].height == 125.0f * (float)i);
    }
    assert_true(profile.length == 1000);
    assert_true(profile.ascent == 500);
    assert_true(profile.descent == 0);
    assert_int_equal(profile.lowest, 0);
    assert_int_equal(profile.highest, 4);
}

/* Legs of 300 and 400 m, by Pythagoras 500 m: up a cone's side and down again. */
static void corners_are_turned(void **state)
{
    (void)state;
    const struct profile_line line = {{metres(-300, -400), metres(0, 0), metres(100, 0)}, 3};
    struct profile_point points[7];
    struct profile profile = profile_of("1000 - distance(0, 0)", &line, points, 7);
    static const float heights[7] = {500, 600, 700, 800, 900, 1000, 900};
    for (int i = 0; i < 7; i++)
        assert_true(fabsf(points[i].height - heights[i]) < 0.001f);
    assert_true(points[1].place.x == -240 * PLACE_METRE && points[1].place.y == -320 * PLACE_METRE);
    assert_true(points[6].place.x == 100 * PLACE_METRE && points[6].place.y == 0);
    assert_true(profile.length == 600);
    assert_true(fabs(profile.ascent - 500) < 0.001);
    assert_true(fabs(profile.descent - 100) < 0.001);
    assert_int_equal(profile.lowest, 0);
    assert_int_equal(profile.highest, 5);
}

static void places_beyond_the_ends_are_the_ends(void **state)
{
    (void)state;
    const struct profile_line line = {{metres(1, 2), metres(1, 2), metres(1, 6)}, 3};
    assert_true(profile_length(&line) == 4);
    assert_true(profile_place(&line, -1).y == 2 * PLACE_METRE);
    assert_true(profile_place(&line, 0).y == 2 * PLACE_METRE);
    assert_true(profile_place(&line, 1.5).y == 7 * PLACE_METRE / 2);
    assert_true(profile_place(&line, 4).y == 6 * PLACE_METRE);
    assert_true(profile_place(&line, 1e9).y == 6 * PLACE_METRE);
}

/* More points than are asked for at once; across the world, whose width is 2⁴¹ m. */
static void a_line_may_cross_the_world(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    static struct profile_point points[COUNT];
    const struct profile_line line = {{{-PLACE_LIMIT, 0}, {PLACE_LIMIT, 0}}, 2};
    struct profile profile = profile_of("x / 1048576", &line, points, COUNT);
    assert_true(profile.length == 0x1p41);
    assert_true(points[0].height == -0x1p20f && points[COUNT - 1].height == 0x1p20f);
    assert_true(points[COUNT - 1].place.x == PLACE_LIMIT);
    for (int i = 0; i < COUNT; i++)
        assert_true(fabs((double)points[i].height - (-0x1p20 + 0x1p21 * i / (COUNT - 1))) < 0.2);
    assert_true(fabs(profile.ascent - 0x1p21) < 1);
}

static void out_of_the_world_is_an_error(void **state)
{
    (void)state;
    const struct profile_line line = {{{0, 0}, {PLACE_LIMIT + ((int64_t)1 << 42), 0}}, 2};
    struct world *world = world_of("1");
    struct sampler *sampler = sampler_new();
    struct profile_point points[2];
    struct profile profile = {.line = line, .points = points, .count = 2};
    struct error error = {0};
    assert_false(profile_sample(sampler, world, &profile, &error));
    assert_true(error.message[0]);
    sampler_free(sampler);
    world_release(world);
}

int test_profile(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_climbed_evenly),
        cmocka_unit_test(corners_are_turned),
        cmocka_unit_test(places_beyond_the_ends_are_the_ends),
        cmocka_unit_test(a_line_may_cross_the_world),
        cmocka_unit_test(out_of_the_world_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
