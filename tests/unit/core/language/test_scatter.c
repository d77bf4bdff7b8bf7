/* random() and scatter(): what they promise of every number and feature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/core/world_of.h"

/* Numbers of whole ids: even in 0 ... 1, and independent of those of the next n, to three standard
 * errors and a bit. */
static void random_numbers(void **unused)
{
    (void)unused;
    enum { IDS = 40000, PARTS = 16 };
    struct world *world =
        world_of_text("{\"generator\":1,\"seed\":3,\"layers\":{\"other\":\"random(x, 8)\","
                      "\"same\":\"random(id=2 * x - x, n=7)\",\"height\":\"random(x, 7)\"}}");
    int counts[PARTS] = {0};
    double product = 0.0, next = 0.0, before = 0.0;
    for (int64_t i = 0; i < IDS; i++) {
        const float value = layer_at(world, "height", i * PLACE_METRE, 0);
        assert_true(value >= 0.0f && value < 1.0f);
        assert_true(layer_at(world, "same", i * PLACE_METRE, 0) == value);
        counts[(int)(value * PARTS)]++;
        product +=
            ((double)value - 0.5) * ((double)layer_at(world, "other", i * PLACE_METRE, 0) - 0.5);
        next += ((double)value - 0.5) * (before - 0.5);
        before = (double)value;
    }
    for (int i = 0; i < PARTS; i++)
        assert_in_range(counts[i], IDS / PARTS - 200, IDS / PARTS + 200); /* σ is 48 */
    assert_true(fabs(product / IDS) < 0.002 && fabs(next / IDS) < 0.002); /* σ is 0.0004 */
    world_release(world);
}

/* What scatter() promises of every feature, whatever the points are. */
static void scattered(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"seed\":9,\"layers\":{"
        "\"east\":\"scatter(100, dx, join='nearest')\","
        "\"south\":\"scatter(100, dy, join='nearest')\","
        "\"far\":\"scatter(100, r, join='nearest')\","
        "\"turn\":\"scatter(100, angle, join='nearest')\","
        "\"number\":\"scatter(100, id, join='nearest')\","
        "\"salted\":\"scatter(100, id, join='nearest', salt='b')\","
        "\"all\":\"scatter(100, max(0, 50 - r))\",\"most\":\"scatter(100, 50 - r, join='max')\","
        "\"least\":\"scatter(100, r - 50, 'min')\",\"height\":\"x\"}}");
    int beyond = 0, different = 0, apart = 0;
    for (int64_t i = 0; i < 2000; i++) {
        const int64_t x = (i * 7919 - 5000000) * PLACE_METRE, y = i % 89 * 5 * PLACE_METRE;
        const float all = layer_at(world, "all", x, y), most = layer_at(world, "most", x, y);
        assert_true(all >= most && most >= 0.0f && most < 50.0f);
        assert_true(layer_at(world, "least", x, y) == -most || most == 0.0f);
        apart += all > most;
        const float r = layer_at(world, "far", x, y), angle = layer_at(world, "turn", x, y);
        const float east = layer_at(world, "east", x, y), south = layer_at(world, "south", x, y);
        assert_true(r >= 0.0f && r < 100.0f);
        assert_true(fabsf(hypotf(east, south) - r) < 1e-4f);
        assert_true(fabsf(r * cosf(angle) - east) < 1e-4f);
        beyond += r == 0.0f;
        different += layer_at(world, "number", x, y) != layer_at(world, "salted", x, y);
        const float number = layer_at(world, "number", x, y);
        assert_true(number == floorf(number) && number >= 0.0f && number < 0x1p24f);
    }
    /* Points lie 100 m apart on average: some places have none within 100 m, and some two within
     * 50 m. */
    assert_in_range(beyond, 1, 200);
    assert_in_range(apart, 20, 1000);
    assert_true(different > 1990);
    world_release(world);
    /* Features fade where samples are far apart: 1 up to a quarter of the spacing, 0 from half on.
     */
    world = world_of("scatter(64, 1)");
    for (int64_t i = 0; i < 200; i++) {
        const float near = layer_seen_at(world, "height", i * 9999999, 0, 16.0);
        assert_true(layer_at(world, "height", i * 9999999, 0) == near);
        assert_true(layer_seen_at(world, "height", i * 9999999, 0, 20.0) == near * 0.6f);
        assert_true(layer_seen_at(world, "height", i * 9999999, 0, 32.0) == 0.0f);
    }
    world_release(world);
}

int test_scatter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(scattered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
