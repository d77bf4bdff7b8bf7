#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/terrain/difference.h"
#include "tests/unit/core/world_of.h"

static struct difference compare(struct world *a, struct world *b, uint32_t samples)
{
    const struct area area = {{-1000 * PLACE_METRE, 0}, {1000 * PLACE_METRE, 1000 * PLACE_METRE}};
    struct sampler *sampler = sampler_new();
    struct difference difference = {.a = a, .b = b, .grid = area_grid(&area, samples)};
    struct error error = {0};
    if (!difference_measure(sampler, &difference, &error))
        fail_msg("%s", error.message);
    sampler_free(sampler);
    world_release(a);
    world_release(b);
    return difference;
}

static void equal_worlds_have_no_differences(void **state)
{
    (void)state;
    struct difference found = compare(world_of("perlin(100)"), world_of("1 * perlin(100)"), 100);
    assert_int_equal(found.samples, 100 * 50);
    assert_int_equal(found.changed, 0);
    assert_true(found.mean == 0 && found.largest == 0);
    assert_false(found.has_biomes);
}

/* A ramp in the eastern half: x/10, at the cells' middles 10, 30 … 990: 100 samples a row. */
static void a_ramp_is_half_of_the_area(void **state)
{
    (void)state;
    struct difference found = compare(world_of("-1"), world_of("max(0, x / 10) - 1"), 100);
    assert_int_equal(found.changed, 2500);
    assert_true(fabs(found.mean - 25) < 1e-4); /* ∫ x/10 over 0 … 1000, shared by 2000 */
    assert_true(fabsf(found.largest - 99) < 1e-4f);
    assert_true(found.where.x == 990 * PLACE_METRE && found.where.y == 10 * PLACE_METRE);
    assert_int_equal(found.became_land, 2500); /* x/10 − 1 ≥ 0 from x = 10 on */
    assert_int_equal(found.became_water, 0);
    found = compare(world_of("max(0, x / 10) - 1"), world_of("-1"), 100);
    assert_int_equal(found.became_water, 2500);
    assert_int_equal(found.became_land, 0);
}

static void biomes_are_compared_by_name(void **state)
{
    (void)state;
    static const char low[] = "{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                              "{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"x < 0\"},"
                              "{\"name\":\"land\",\"color\":\"#0f0\"}]}";
    static const char high[] = "{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                               "{\"name\":\"land\",\"color\":\"#0f0\",\"when\":\"x > 500\"},"
                               "{\"name\":\"sea\",\"color\":\"#00f\"}]}";
    struct difference found = compare(world_of_text(low), world_of_text(high), 500);
    assert_true(found.has_biomes);
    assert_int_equal(found.changed, 0);
    assert_int_equal(found.samples, 500 * 250);
    assert_int_equal(found.biomes, 125 * 250); /* 0 … 500 of 2000 m */
}

int test_difference(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_worlds_have_no_differences),
        cmocka_unit_test(a_ramp_is_half_of_the_area),
        cmocka_unit_test(biomes_are_compared_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
