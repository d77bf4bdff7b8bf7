/* Samples of path() and area() in rows: far from a line, in the middle of a circle, at the edge of
 * what places may be, and what they cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/price/sampling.h"
#include "tests/unit/core/world_of.h"

enum { SIDE = 64 };

/* A world with a circle of `count` vertices of 900 m as a path and as an area. */
static struct world *world_of_circle(unsigned count, const char *height)
{
    char *text = malloc(80 * (size_t)count + 400), *vertices = malloc(40 * (size_t)count + 1);
    size_t used = 0;
    assert_non_null(text);
    assert_non_null(vertices);
    for (unsigned i = 0; i < count; i++)
        used += (size_t)sprintf(vertices + used, "%s[%.3f,%.3f]", i > 0 ? "," : "",
                                900 * cos(6.283185307179586 * i / count),
                                900 * sin(6.283185307179586 * i / count));
    sprintf(text,
            "{\"generator\":1,\"paths\":{\"o\":[%s]},\"areas\":{\"o\":[%s]},\"layers\":{\"height\":"
            "\"%s\"}}",
            vertices, vertices, height);
    struct world *world = world_of_text(text);
    free(text);
    free(vertices);
    return world;
}

static bool sample(const struct world *world, const struct sample_grid *grid, uint64_t most,
                   float out[SIDE * SIDE], struct error *error)
{
    struct sampler *sampler = sampler_new();
    const unsigned layer = 0;
    float *const output = out;
    const struct sample_request request = {&layer, &output, 1};
    assert_non_null(sampler);
    sampler_set_limit(sampler, &(struct work_limit){.most = most});
    const bool done = sampler_grid(sampler, world_program(world), grid, &request, error);
    sampler_free(sampler);
    return done;
}

static void beyond_the_reach_all_is_alike(void **unused)
{
    (void)unused;
    static const struct {
        const char *height;
        int64_t x;
        float value;
    } cases[] = {
        {"path('o','distance',500)", 1500, 500},    {"path('o','distance',500)", 0, 500},
        {"path('o','along',500)", 1500, 0},         {"path('o','side',500)", 1500, 0},
        {"area('o','signed',500)", 1500, 500},      {"area('o','signed',500)", 0, -500},
        {"area('o','signed',500)", 1LL << 40, 500}, {"warp(area('o','signed',500),9e37,y)", 0, 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of_circle(300, cases[i].height);
        const struct sample_grid grid = {
            .x = cases[i].x * PLACE_METRE, .step = PLACE_METRE, .columns = SIDE, .rows = SIDE};
        struct error error = {0};
        float out[SIDE * SIDE];
        assert_true(sample(world, &grid, WORK_UNLIMITED, out, &error));
        for (int k = 0; k < SIDE * SIDE; k++)
            assert_true(out[k] == cases[i].value);
        world_release(world);
    }
}

/* There every vertex is as near: some 20 µs a sample. */
static void the_middle_of_a_circle_is_ended_by_the_meter(void **unused)
{
    (void)unused;
    struct world *world = world_of_circle(20000, "path('o','distance',1000)");
    struct sample_grid grid = {.step = 1, .columns = SIDE, .rows = SIDE};
    struct error error = {0};
    float out[SIDE * SIDE];
    assert_false(sample(world, &grid, 5000000, out, &error));
    assert_int_equal(error.code, ERROR_WORK);
    grid.x = 2500 * PLACE_METRE;
    assert_true(sample(world, &grid, 5000000, out, &error));
    world_release(world);
}

static struct sampling_price price_of(unsigned count, struct sampling how)
{
    const unsigned layer = 0;
    struct world *world = world_of_circle(count, "path('o','distance')");
    const struct sampling_price price = price_sampling(world_program(world), &layer, 1, how);
    world_release(world);
    return price;
}

/* In nanoseconds: as measured, within a factor of 4 either way. */
static void prices_follow_the_line(void **unused)
{
    const struct sampling places = {0}, fine = {.step = 1.0, .spacing = 1.0, .across = 256.0};
    (void)unused;
    const double few = price_of(8, places).sample, many = price_of(3000, places).sample;
    assert_true(few > 40.0 && few < 640.0);
    assert_true(many > 4.0 * few && many < 16000.0);
    const double grid = price_of(8, fine).sample;
    assert_true(grid > 5.0 && grid < 80.0 && grid < few);
}

int test_polyline_rows(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_reach_all_is_alike),
        cmocka_unit_test(the_middle_of_a_circle_is_ended_by_the_meter),
        cmocka_unit_test(prices_follow_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
