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

/* The surface of that height as point_query.c computes it, from five samples. */
static struct surface measure_at(const char *formula, struct place place, double spacing)
{
    struct world *world = make_world(formula);
    struct sampler *sampler = sampler_new();
    struct place places[SURFACE_PLACES];
    float heights[SURFACE_PLACES], *output = heights;
    const unsigned layer = world_height_layer(world);
    const struct sample_points points = {places, SURFACE_PLACES, spacing, 0, 0};
    const struct sample_request request = {&layer, &output, 1};
    surface_places(place, spacing, places);
    assert_true(sampler_points(sampler, world_program(world), &points, &request, NULL));
    sampler_free(sampler);
    world_release(world);
    return surface_of_heights(heights, 7.5f, spacing);
}

static struct surface measure(const char *formula, double spacing)
{
    return measure_at(formula, (struct place){100 * PLACE_METRE, -40 * PLACE_METRE}, spacing);
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

/* The neighbours of a place at the edge lie beyond it, and are sampled all the same. */
static void the_edge_of_the_world_has_a_surface(void **state)
{
    (void)state;
    const struct place corner = {PLACE_LIMIT, -PLACE_LIMIT};
    const struct surface surface = measure_at("x / 1e12", corner, 0);
    assert_near(surface.height, 1.099511627776);
    assert_true(surface.slope < 1e-6f); /* a gradient of 1e-12 */
}

static void water_is_passed_on(void **state)
{
    (void)state;
    assert_true(measure("x", 0).water == 7.5f);
}

int test_surface(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_have_the_slope_of_their_gradient),
        cmocka_unit_test(differences_reach_as_far_as_the_spacing),
        cmocka_unit_test(level_of_detail_follows_the_spacing),
        cmocka_unit_test(the_edge_of_the_world_has_a_surface),
        cmocka_unit_test(water_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
