/* Objects and the slope of their ground, and the early reject of densities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/terrain/objects.h"
#include "core/terrain/steepness.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/sampler_fixture.h"
#include "tests/unit/core/world_of.h"

static struct world *world_with(const char *height, const char *objects)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"seed\":7,\"layers\":{\"height\":\"%s\",\"dear\":\"fbm(700, "
             "octaves=16)\"},\"objects\":{%s}}",
             height, objects);
    return world_of_text(text);
}

static struct object_list find(const struct world *world, const struct object_search *search)
{
    struct object_list list = {0};
    struct error error = {0};
    if (!objects_find(sampler, world, search, &list, &error))
        fail_msg("%s", error.message);
    return list;
}

static struct object_search square(int64_t x, int64_t y, int64_t side)
{
    return (struct object_search){.low = {x * PLACE_METRE, y * PLACE_METRE},
                                  .high = {(x + side) * PLACE_METRE, (y + side) * PLACE_METRE},
                                  .kinds = OBJECTS_ALL_KINDS,
                                  .limit = UINT32_MAX};
}

static uint32_t count_on(const char *height, const char *kind)
{
    struct world *world = world_with(height, kind);
    const struct object_search search = square(-100, -100, 200);
    struct object_list list = find(world, &search);
    const uint32_t count = list.count;
    object_list_free(&list);
    world_release(world);
    return count;
}

#define KIND(slope) "\"a\":{\"spacing\":2,\"density\":\"1\",\"max_slope\":" slope "}"

/* 100 × 100 cells on a plane that rises 5 in 10, 26.565°: all stand to three quarters of the limit,
 * none beyond it, in between (1 − 26.565 / limit) / (1/4) of them, within six deviations. */
static void slope_fade_on_a_plane(void **unused)
{
    (void)unused;
    static const char plane[] = "0.3 * x - 0.4 * y";
    assert_int_equal(count_on(plane, KIND("90")), 10000);
    assert_int_equal(count_on(plane, KIND("35.5")), 10000); /* 26.6 and more are three quarters */
    assert_int_equal(count_on(plane, KIND("26.5")), 0);
    assert_int_equal(count_on(plane, KIND("5")), 0);
    assert_in_range(count_on(plane, KIND("30")), 4580 - 300, 4580 + 300);
    assert_in_range(count_on(plane, KIND("28")), 2050 - 243, 2050 + 243);
    assert_int_equal(count_on("1000", KIND("1")), 10000);
    /* 1 in 3 on one half, level on the other: the limit divides them, but for the cells between. */
    assert_in_range(count_on("max(x, 0) / 3", KIND("12")), 5000, 5200);
}

/* The bilinear patch by hand, from four points of the lattice. */
static double slope_by_hand(const struct world *world, struct place place, int64_t step)
{
    const int64_t column = (int64_t)floor((double)place.x / (double)step);
    const int64_t row = (int64_t)floor((double)place.y / (double)step);
    const double metres = (double)step / 65536.0;
    const double u = ((double)place.x - (double)(column * step)) / (double)step;
    const double v = ((double)place.y - (double)(row * step)) / (double)step;
    double h[2][2];
    for (int i = 0; i < 4; i++) {
        const struct place corner = {(column + i % 2) * step, (row + i / 2) * step};
        const struct sample_points point = {.places = &corner, .count = 1, .spacing = metres};
        const unsigned layer = world_height_layer(world);
        float height, *output = &height;
        const struct sample_request request = {&layer, &output, 1};
        assert_true(sampler_points(sampler, world_program(world), &point, &request, NULL));
        h[i / 2][i % 2] = (double)height;
    }
    const double east = (1 - v) * (h[0][1] - h[0][0]) + v * (h[1][1] - h[1][0]);
    const double south = (1 - u) * (h[1][0] - h[0][0]) + u * (h[1][1] - h[0][1]);
    return hypot(east, south) / metres;
}

static void steepness_of_the_lattice(void **unused)
{
    (void)unused;
    struct world *world = world_with("80 * fbm(90, octaves=7)", KIND("90"));
    uint64_t state = 5;
    for (int round = 0; round < 40; round++) {
        const int64_t step = (int64_t)1 << random_whole(&state, 12, 24);
        const int64_t reach = 40 * step;
        const struct place corner = {random_whole(&state, -PLACE_LIMIT / 64, PLACE_LIMIT / 64),
                                     random_whole(&state, -3 * reach, reach)};
        struct place places[50];
        float rises[50], alone;
        for (int i = 0; i < 50; i++)
            places[i] = (struct place){corner.x + random_whole(&state, 0, reach),
                                       corner.y + random_whole(&state, 0, reach)};
        struct steepness_request request = {places, 50, step};
        assert_true(steepness_at(sampler, world, &request, rises, NULL));
        for (int i = 0; i < 50; i++) {
            const double expected = slope_by_hand(world, places[i], step);
            assert_true(fabs((double)rises[i] - expected) <= 1e-5 * (1 + expected));
            request.places = &places[i];
            request.count = 1;
            assert_true(steepness_at(sampler, world, &request, &alone, NULL));
            assert_true(alone == rises[i]); /* whoever else is asked about */
        }
    }
    world_release(world);
}

static void quarters_agree_about_slopes(void **unused)
{
    (void)unused;
    struct world *world =
        world_with("80 * fbm(90, octaves=7)", "\"a\":{\"spacing\":3,\"density\":\"0.9\","
                                              "\"min_distance\":5,\"max_slope\":40}");
    const struct object_search all = square(-60, -60, 120);
    struct object_list whole = find(world, &all), parts = {0};
    uint32_t shared = 0;
    for (int k = 0; k < 4; k++) {
        const struct object_search part = square(-60 + k % 2 * 60, -60 + k / 2 * 60, 60);
        assert_true(objects_find(sampler, world, &part, &parts, NULL));
    }
    assert_int_equal(parts.count, whole.count);
    assert_in_range(whole.count, 100, 600);
    for (uint32_t i = 0; i < whole.count; i++)
        for (uint32_t k = 0; k < parts.count; k++)
            shared += parts.objects[k].id == whole.objects[i].id;
    assert_int_equal(shared, whole.count);
    object_list_free(&whole);
    object_list_free(&parts);
    world_release(world);
}

/* Products whose cheap factors are asked first, and the same densities in a form that is none. */
static void early_reject_changes_no_object(void **unused)
{
    (void)unused;
    static const struct {
        const char *cheap, *dear;
        bool has_early_reject;
    } cases[] = {
        {"smoothstep(-0.3, 0.3, perlin(30))", "smoothstep(-0.3, 0.2, dear)", true},
        {"(x < 20) * smoothstep(-0.3, 0.3, perlin(30))", "0.7 * (dear > -0.1)", true},
        {"(y < 5)", "abs(3 * clamp(dear, 0, 1))", true},
        {"smoothstep(-1, 1, perlin(30))", "dear", false},          /* may be below 0 */
        {"2 * smoothstep(-1, 1, perlin(30))", "(dear > 0)", true}, /* 2 belongs to the rest */
        {"(1 + (x > 0))", "(dear > 0)", false},                    /* no part of 1 */
        {"0.001 * (x < 9)", "(dear > 0)", false},                  /* too little for the slack */
        {"smoothstep(-1, 1, dear)", "smoothstep(-1, 0, dear)", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char kind[400];
        struct world_early_reject early_reject;
        snprintf(kind, sizeof kind, "\"a\":{\"spacing\":1.5,\"density\":\"%s * %s\"}",
                 cases[i].cheap, cases[i].dear);
        struct world *product = world_with("0", kind);
        snprintf(kind, sizeof kind, "\"a\":{\"spacing\":1.5,\"density\":\"%s * %s + (x > 1e12)\"}",
                 cases[i].cheap, cases[i].dear);
        struct world *plain = world_with("0", kind);
        assert_int_equal(world_density_early_reject(product, 0, &early_reject),
                         cases[i].has_early_reject);
        assert_false(world_density_early_reject(plain, 0, &early_reject));
        const struct object_search search = square(-120, -120, 240);
        struct object_list a = find(product, &search), b = find(plain, &search);
        assert_int_equal(a.count, b.count);
        assert_true(i == 6 || a.count > 500);
        for (uint32_t k = 0; k < a.count; k++)
            assert_true(a.objects[k].id == b.objects[k].id);
        object_list_free(&a);
        object_list_free(&b);
        world_release(product);
        world_release(plain);
    }
}

int test_objects_ground(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slope_fade_on_a_plane),
        cmocka_unit_test(steepness_of_the_lattice),
        cmocka_unit_test(quarters_agree_about_slopes),
        cmocka_unit_test(early_reject_changes_no_object),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
