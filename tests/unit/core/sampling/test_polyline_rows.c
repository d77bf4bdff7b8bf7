/* Samples of path() and area() in rows: far from a line, in the middle of a circle, at the edge of
 * what places may be, and what they cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/polylines/nearest.h"
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

/* Nanoseconds of a sample that a grid of 256 × 256 around (x, 0) is priced at, and those that the
 * meter counts while it is sampled. */
struct times {
    double priced, counted;
};

static struct times times_at(const struct world *world, int64_t x, double step)
{
    enum { WIDTH = 256 };
    static float out[WIDTH * WIDTH];
    float *const output = out;
    const unsigned layer = 0;
    const int64_t apart = (int64_t)(step * (double)PLACE_METRE);
    const struct sample_grid grid = {.x = x * PLACE_METRE - WIDTH / 2 * apart,
                                     .y = -WIDTH / 2 * apart,
                                     .step = apart,
                                     .columns = WIDTH,
                                     .rows = WIDTH,
                                     .spacing = step};
    const struct sampling_where where = sampling_where_grid(&grid);
    const struct sampling how = {.step = step, .spacing = step, .across = WIDTH, .where = &where};
    const struct sample_request request = {&layer, &output, 1};
    struct sampler *sampler = sampler_new();
    struct error error = {0};
    assert_non_null(sampler);
    assert_true(sampler_grid(sampler, world_program(world), &grid, &request, &error));
    const struct sampling_price price = price_sampling(world_program(world), &layer, 1, how);
    const double samples = (double)WIDTH * WIDTH;
    const struct times times = {price.sample + price.call / samples,
                                (double)sampler_meter(sampler)->done / samples};
    sampler_free(sampler);
    return times;
}

/* What the meter counts is the same on every machine. Beyond the reach a grid is nearly free;
 * elsewhere its price is enough, and not four times too much, be it near the line, far out or where
 * many vertices are about as far. */
static void prices_know_the_place(void **unused)
{
    static const struct {
        unsigned vertices;
        const char *height;
        int64_t x;
        double step;
    } near[] = {
        {8, "path('o','distance',500)", 900, 1.0},
        {8, "path('o','distance')", 400, 0.25},
        {300, "path('o','distance',500)", 900, 4.0},
        {300, "path('o','along',200)", 0, 16.0},
        {3000, "area('o','signed')", 500, 1.0},
        {3000, "path('o','distance')", 900, 1.0},
        {3000, "area('o','signed',50)", 1000, 4.0},
        {3000, "path('o','dx',100)", 0, 64.0},
        {2000, "path('o','distance')", 300, 0.25},
        {2000, "scale(path('o','distance'),4)", 3000, 4.0},
        {300, "warp(path('o','distance'),700,0)", 200, 1.0},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        struct world *world = world_of_circle(near[i].vertices, near[i].height);
        const struct times here = times_at(world, near[i].x, near[i].step);
        if (here.priced < here.counted || here.priced > 4.0 * here.counted + 1.0)
            fail_msg("%s, %u vertices, at %d: priced %f ns a sample, counted %f", near[i].height,
                     near[i].vertices, (int)near[i].x, here.priced, here.counted);
        assert_true(times_at(world, 100000, near[i].step).priced < 4.0);
        world_release(world);
    }
}

/* Places that a list has, and those of a rectangle: in the middle of a circle a search looks at all
 * vertices, far from it at hardly any. */
static void prices_of_places_know_them(void **unused)
{
    (void)unused;
    struct world *world = world_of_circle(3000, "path('o','distance')");
    const unsigned layer = 0;
    const struct place middle = {0, 0}, away = {5000 * PLACE_METRE, 0};
    const struct sampling_where there[] = {{.places = &middle, .count = 1},
                                           {.places = &away, .count = 1},
                                           {.low = away, .high = away}};
    double prices[3];
    for (int i = 0; i < 3; i++)
        prices[i] =
            price_sampling(world_program(world), &layer, 1, (struct sampling){.where = &there[i]})
                .sample;
    assert_true(prices[0] > 3000 * POLYLINE_VISIT_TIME && prices[0] < 600000.0);
    assert_true(prices[1] < 500.0 && prices[2] == prices[1]);
    world_release(world);
}

int test_polyline_rows(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_reach_all_is_alike),
        cmocka_unit_test(the_middle_of_a_circle_is_ended_by_the_meter),
        cmocka_unit_test(prices_follow_the_line),
        cmocka_unit_test(prices_know_the_place),
        cmocka_unit_test(prices_of_places_know_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
