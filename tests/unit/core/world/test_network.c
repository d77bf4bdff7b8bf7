/* The inverse of a network's warp, against the warp's formulas as ordinary layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/world/network.h"
#include "world_of.h"

enum { PLACES = 1000 };

#define FIELDS "\"potential\":\"1\",\"target\":\"1\",\"relief\":\"1\""
/* As steep as warps that fold nowhere are. */
#define SWAY                                                                                       \
    "20000 * fbm(wavelength=196608, octaves=6) + 300 * fbm(wavelength=3072, octaves=11, "          \
    "persistence=0.45)"

static struct place *random_places(unsigned from)
{
    struct place *places = malloc(PLACES * sizeof *places);
    assert_non_null(places);
    for (uint64_t i = 0; i < PLACES; i++) {
        const uint64_t random = hash_mix(from + i);
        places[i] = (struct place){(int64_t)(random & 0xffffffffff) - (1LL << 39),
                                   (int64_t)(random >> 24) - (1LL << 39)};
    }
    return places;
}

static void assert_restored(const char *text, double spacing, double to)
{
    struct world *world = world_of_text(text);
    struct sampler *sampler = sampler_new();
    struct place *targets = random_places(7), *places = malloc(PLACES * sizeof *places);
    float *warp[2] = {malloc(PLACES * sizeof(float)), malloc(PLACES * sizeof(float))};
    struct error error = {0};
    assert_true(network_restore(sampler, world, spacing, targets, PLACES, places, &error));
    const unsigned layers[] = {(unsigned)world_find_layer(world, "x_warp"),
                               (unsigned)world_find_layer(world, "y_warp")};
    const struct sample_points points = {places, PLACES, spacing, 0, 0};
    const struct sample_request request = {layers, warp, 2};
    assert_true(sampler_points(sampler, world, &points, &request, &error));
    for (size_t i = 0; i < PLACES; i++) {
        const double x = place_metres(places[i].x - targets[i].x) + (double)warp[0][i];
        const double y = place_metres(places[i].y - targets[i].y) + (double)warp[1][i];
        if (!(sqrt(x * x + y * y) <= to))
            fail_msg("place %zu at spacing %g is %g m off", i, spacing, sqrt(x * x + y * y));
    }
    free(warp[0]);
    free(warp[1]);
    free(places);
    free(targets);
    sampler_free(sampler);
    world_release(world);
}

static void warps_are_inverted(void **state)
{
    (void)state;
    static const char text[] =
        "{\"generator\":1,\"layers\":{\"height\":\"drainage('bed')\",\"x_warp\":\"" SWAY
        "\",\"y_warp\":\"" SWAY "\"},\"drainage\":{" FIELDS
        ",\"warp_x\":\"x_warp\",\"warp_y\":\"y_warp\"}}";
    assert_restored(text, 0.0, 0.017);
    assert_restored(text, 16.0, 1.0);
    assert_restored(text, 1024.0, 64.0);
}

static void a_place_without_a_warp_is_itself(void **state)
{
    (void)state;
    static const char text[] =
        "{\"generator\":1,\"layers\":{\"height\":\"drainage('bed')\",\"x_warp\":\"0\",\"y_warp\":"
        "\"0\"},\"drainage\":{" FIELDS "}}";
    assert_restored(text, 0.0, 0.0);
}

int test_network(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_are_inverted),
        cmocka_unit_test(a_place_without_a_warp_is_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
