#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/place.h"
#include "core/terrain/surface.h"

/* A world whose height is the formula. */
static struct world *make_world(const char *formula)
{
    char text[256];
    snprintf(text, sizeof text, "{\"generator\":1,\"layers\":{\"height\":\"%s\"}}", formula);
    struct error error = {0};
    struct world *world = world_parse(text, strlen(text), "test", NULL, &error);
    if (!world)
        print_error("%s\n", error.message);
    assert_non_null(world);
    return world;
}

static struct surface measure(const char *formula, double spacing)
{
    struct world *world = make_world(formula);
    struct sampler *sampler = sampler_new();
    struct surface surface;
    struct place place = {100 * PLACE_METRE, -40 * PLACE_METRE};
    assert_true(surface_at(sampler, world, place, spacing, 0, 0, &surface, NULL));
    sampler_free(sampler);
    world_release(world);
    return surface;
}

static void assert_near(float value, double expected)
{
    assert_true(fabs((double)value - expected) <= 1e-5 * fabs(expected));
}

/* Planes: the slope is the arc tangent of the gradient's length, known from tables. */
static void planes_have_the_slope_of_their_gradient(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double height, slope, aspect;
    } cases[] = {
        {"7", 7, 0, 0},
        {"x", 100, 45, 270},  /* rises to the east, falls to the west */
        {"-x", -100, 45, 90}, /* falls to the east */
        {"y", -40, 45, 0},    /* rises to the south, falls to the north */
        {"-y", 40, 45, 180},  /* falls to the south */
        {"x + y", 60, 54.7356103172, 315},
        {"x - y", 140, 54.7356103172, 225},
        {"-x - y", -60, 54.7356103172, 135},
        {"y - x", -140, 54.7356103172, 45},
        {"0.57735027 * x", 57.735027, 30, 270},            /* tan 30° */
        {"1.7320508 * x", 173.20508, 60, 270},             /* tan 60° */
        {"0.017455065 * y", -0.6982026, 1, 0},             /* tan 1° */
        {"-57.28996 * x", -5728.996, 89, 90},              /* tan 89° */
        {"2 * x + y", 160, 65.9051574479, 296.5650511771}, /* atan √5; 270 + atan ½ */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct surface surface = measure(cases[i].formula, 0);
        assert_near(surface.height, cases[i].height);
        assert_near(surface.slope, cases[i].slope);
        assert_near(surface.aspect, cases[i].aspect);
    }
}

static void differences_reach_as_far_as_the_spacing(void **state)
{
    (void)state;
    struct surface near = measure("(x/100)^3", 0), far = measure("(x/100)^3", 100);
    /* Far: heights 8 and 0 at ±100 m: gradient 0.04; near: 3/100. */
    assert_near(far.slope, 2.2906100426);
    assert_true(fabs((double)near.slope - 1.7183580017) < 1e-3);
    assert_near(measure("(x/100)^3", 0.25).slope, (double)near.slope);
}

static void level_of_detail_follows_the_spacing(void **state)
{
    (void)state;
    /* An octave of 64 m is gone where samples stand 64 m apart. */
    struct surface surface = measure("perlin(wavelength=64)", 64);
    assert_true(surface.height == 0);
    assert_true(surface.slope == 0);
}

static void the_edge_of_the_world_has_a_slope_and_beyond_is_an_error(void **state)
{
    (void)state;
    struct world *world = make_world("x / 1e12");
    struct sampler *sampler = sampler_new();
    struct surface surface;
    struct error error = {0};
    assert_true(surface_at(sampler, world, (struct place){PLACE_LIMIT, -PLACE_LIMIT}, 0, 0, 0,
                           &surface, &error));
    assert_near(surface.height, 1.099511627776);
    struct place beyond = {PLACE_LIMIT + ((int64_t)1 << 42), 0};
    assert_false(surface_at(sampler, world, beyond, 0, 0, 0, &surface, &error));
    sampler_free(sampler);
    world_release(world);
}

static void z_and_t_are_passed_on(void **state)
{
    (void)state;
    struct world *world = make_world("z * x + t");
    struct sampler *sampler = sampler_new();
    struct surface surface;
    assert_true(surface_at(sampler, world, (struct place){PLACE_METRE, 0}, 0, -PLACE_METRE,
                           5 * PLACE_METRE, &surface, NULL));
    assert_near(surface.height, 4);
    assert_near(surface.slope, 45);
    assert_near(surface.aspect, 90);
    sampler_free(sampler);
    world_release(world);
}

int test_surface(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_have_the_slope_of_their_gradient),
        cmocka_unit_test(differences_reach_as_far_as_the_spacing),
        cmocka_unit_test(level_of_detail_follows_the_spacing),
        cmocka_unit_test(the_edge_of_the_world_has_a_slope_and_beyond_is_an_error),
        cmocka_unit_test(z_and_t_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
