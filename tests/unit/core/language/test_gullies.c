/* gullies(): what it promises of depth, steepness and level of detail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/core/world_of.h"

enum { PLACES = 2000 };

static int64_t east_of(int i)
{
    return (int64_t)i * 7919 * PLACE_METRE / 16;
}

/* One octave is half of strength · wavelength high above e and as deep below it, and is there. */
static void depth(void **unused)
{
    (void)unused;
    struct world *world = world_of("gullies(x, 64, 1, 0.5)");
    float least = 0.0f, most = 0.0f;
    for (int i = 0; i < PLACES; i++) {
        const float value = layer_at(world, "height", east_of(i), i * PLACE_METRE);
        least = fminf(least, value);
        most = fmaxf(most, value);
    }
    assert_true(most > 15.9f && most < 16.05f);
    assert_true(least < -15.9f && least > -16.05f);
    world_release(world);
}

/* Level ground has none; a slope of s has 1 − (1 − 4s)² of those of a slope of ¼ and more. */
static void steepness(void **unused)
{
    (void)unused;
    struct world *world = world_of("gullies(7, 64, 5) + gullies(y, 64, 5, 0)");
    for (int i = 0; i < PLACES; i++)
        assert_true(layer_at(world, "height", east_of(i), 0) == 0.0f);
    world_release(world);
    /* At the same place, as the key of a noise is that of its layer. */
    struct world *steep = world_of("gullies(x, 64, 5)");
    struct world *quarter = world_of("gullies(x / 4, 64, 5)");
    struct world *gentle = world_of("gullies(x / 8, 64, 5)");
    for (int i = 0; i < PLACES; i++) {
        const int64_t x = east_of(i) % (4096 * PLACE_METRE), y = i * PLACE_METRE;
        const float whole = layer_at(steep, "height", x, y);
        assert_true(fabsf(layer_at(quarter, "height", x, y) - whole) < 1e-5f);
        assert_true(fabsf(layer_at(gentle, "height", x, y) - 0.75f * whole) < 1e-5f);
    }
    world_release(steep);
    world_release(quarter);
    world_release(gentle);
}

/* Crests and gullies run down the slope: along it heights change far less than across it. */
static void direction(void **unused)
{
    (void)unused;
    struct world *world = world_of("gullies(0.6 * x + 0.8 * y, 320, 1)");
    double along = 0.0, across = 0.0;
    for (int i = 0; i < PLACES; i++) {
        const int64_t x = east_of(i), y = i * 37 * PLACE_METRE;
        const float here = layer_at(world, "height", x, y);
        along += fabs(
            (double)(layer_at(world, "height", x + 12 * PLACE_METRE, y + 16 * PLACE_METRE) - here));
        across += fabs(
            (double)(layer_at(world, "height", x + 16 * PLACE_METRE, y - 12 * PLACE_METRE) - here));
    }
    assert_true(across > 2.0 * along);
    world_release(world);
}

/* As octaves of noise: 1 up to a quarter of the wavelength between samples, 0 from half of it. */
static void level_of_detail(void **unused)
{
    (void)unused;
    struct world *world = world_of("gullies(x, 64, 1)");
    for (int i = 0; i < PLACES; i++) {
        const int64_t x = east_of(i);
        const float near = layer_at(world, "height", x, 0);
        assert_true(layer_seen_at(world, "height", x, 0, 16.0) == near);
        assert_true(fabsf(layer_seen_at(world, "height", x, 0, 20.0) - 0.6f * near) < 1e-6f);
        assert_true(layer_seen_at(world, "height", x, 0, 32.0) == 0.0f);
    }
    world_release(world);
}

int test_gullies(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth),
        cmocka_unit_test(steepness),
        cmocka_unit_test(direction),
        cmocka_unit_test(level_of_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
