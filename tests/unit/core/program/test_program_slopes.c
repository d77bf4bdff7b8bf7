#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* The greatest difference of samples a metre apart, along a line askew to the axes. */
static double steepest(const struct world *world)
{
    enum { COUNT = 20000 };
    static struct place places[COUNT + 1];
    static float samples[COUNT + 1];
    float *output = samples;
    const unsigned layer = 0;
    for (int i = 0; i <= COUNT; i++)
        places[i] = (struct place){(int64_t)i * PLACE_METRE * 4 / 5 - 5000 * PLACE_METRE,
                                   (int64_t)i * PLACE_METRE * 3 / 5 - 5000 * PLACE_METRE};
    const struct sample_points points = {.places = places, .count = COUNT + 1};
    const struct sample_request request = {&layer, &output, 1};
    struct sampler *sampler = sampler_new();
    struct error error;
    double most = 0.0;
    assert_non_null(sampler);
    assert_true(sampler_points(sampler, world_program(world), &points, &request, &error));
    sampler_free(sampler);
    for (int i = 0; i < COUNT; i++) {
        const double difference = (double)samples[i + 1] - (double)samples[i];
        most = difference > most ? difference : -difference > most ? -difference : most;
    }
    return most;
}

/* Samples are as steep as the slope says, and not steeper, but for noises, whose slope is that of
 * most places. */
static void slopes_are_those_of_samples(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double slope;
    } cases[] = {
        {"3", 0},
        {"z + t", 0},
        {"0.5 * x - 7", 0.5},
        {"x + 2 * y", 3},
        {"abs(x) / 4", 0.25},
        {"min(2 * x, y)", 2},
        {"100 * sin(x / 50)", 2},
        {"smoothstep(0, 100, x)", 0.015},
        {"spline(x, 0, 0, 100, 0, 200, 50, 300, 50)", 0.75},
        {"distance(100, 200)", 1},
        {"100 * perlin(50)", 4},
        {"warp(100 * perlin(50), x, 0)", 8},
        {"perlin(50) * perlin(100)", 0.03},
        {"1 / (3 + perlin(100))", 0.0032},
        {"log(3 + perlin(100))", 0.008},        /* 0.02 / 2.5 */
        {"pow(3 + perlin(100), 1.5)", 0.05612}, /* 1.5 √3.5 · 0.02 */
        {"pow(3 + perlin(100), -0.5)", 0.00253},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of(cases[i].formula);
        const double slope = (double)world->program.operations[world->program.values[0]].slope;
        const double sampled = steepest(world);
        if (slope < 0.999 * cases[i].slope || slope > 1.001 * cases[i].slope)
            fail_msg("%s: slope %g", cases[i].formula, slope);
        if (sampled > 1.5 * slope || sampled < slope / 4)
            fail_msg("%s: slope %g, sampled %g", cases[i].formula, slope, sampled);
        world_release(world);
    }
}

static void jumps_are_infinitely_steep(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "floor(x)",
        "x > 3",
        "y > 0 ? 1 : 2",
        "1 / x",
        "sqrt(abs(x))",
        "1e38 * (1e38 * x)",
        "log(x)",
        "pow(x, 0.5)",
        "pow(2, x)",
        "scatter(100, id, 'nearest')", /* from the features of one cell to those of the next */
        "scatter(100, random(id, 1), 'max')",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of(cases[i]);
        assert_true(world->program.operations[world->program.values[0]].slope == FLT_MAX);
        world_release(world);
    }
}

int test_program_slopes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_samples),
        cmocka_unit_test(jumps_are_infinitely_steep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
