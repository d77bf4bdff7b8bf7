/* coarse(): its spline against weights by hand, and the same bits for grids, points and orders of
 * requests in every scope. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/sampling/coarse.h"
#include "tests/unit/core/same_samples.h"
#include "tests/unit/core/sampler_fixture.h"

#define assert_near(value, expected, tolerance)                                                    \
    assert_true(fabs((double)(value) - (expected)) <= (tolerance))

/* A node that is 1 among nodes that are 0 shows the weights. At the node itself they are 4/6 and
 * 1/6 for its neighbours; half-way 23/48 and 1/48 (the cubic B-spline's published values). */
static void weights_are_those_of_the_cubic_b_spline(void **unused)
{
    (void)unused;
    static const char peak[] = "coarse(x == 0 && y == 0, 64)";
    static const struct {
        double x, y, expected;
    } cases[] = {
        {0, 0, 16.0 / 36},
        {64, 0, 4.0 / 36},
        {-64, 0, 4.0 / 36},
        {64, -64, 1.0 / 36},
        {128, 0, 0},
        {0, -128, 0},
        {32, 0, 23.0 / 48 * 4 / 6},
        {0, -32, 23.0 / 48 * 4 / 6},
        {96, 32, 1.0 / 48 * 23 / 48},
        {-96, 96, 1.0 / 48 / 48},
        {16, 0, (2.0 / 3 - 1.0 / 16 + 1.0 / 128) * 4 / 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(formula_at(peak, cases[i].x, cases[i].y), cases[i].expected, 2e-7);
}

/* Weights that add up to 1 and lie evenly keep constants and slopes; a square rises by a third of
 * the squared spacing. */
static void slopes_are_kept(void **unused)
{
    (void)unused;
    static const double places[][2] = {{0, 0}, {100.25, -7}, {-3.5, 1000}, {63.75, 64}, {-640, 1}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const double x = places[i][0], y = places[i][1];
        assert_near(formula_at("coarse(7 + 0 * x, 4)", x, y), 7.0, 2e-6);
        assert_near(formula_at("coarse(3 * x - y, 16)", x, y), 3 * x - y, 2e-3);
        assert_near(formula_at("coarse(x * x, 16)", x, y), x * x + 256.0 / 3, 0.2);
    }
}

static void scopes_move_the_nodes(void **unused)
{
    (void)unused;
    /* The peak of a node at 64, 128 is seen where the scope leads there. */
    static const char moved[] = "warp(coarse(x == 64 && y == 128, 64), 10, 0 * x + 3.5)";
    assert_near(formula_at(moved, 54, 124.5), 16.0 / 36, 2e-7);
    assert_near(formula_at("warp(coarse(x == 64 && y == 128, 64), 10, 3)", 54, 125), 16.0 / 36,
                2e-7);
    assert_near(formula_at("scale(coarse(x == 64 && y == 128, 64), 4)", 256, 512), 16.0 / 36, 2e-7);
    assert_near(formula_at("scale(coarse(x == 64 && y == 128, 64), 4)", 512, 512), 4.0 / 36, 2e-7);
    /* A picture turned clockwise by a quarter: what was east is south. */
    assert_near(formula_at("rotate(coarse(x == 64 && y == 0, 64), 90)", 0, 64), 16.0 / 36, 2e-7);
    assert_near(formula_at("slope(coarse(3 * x + 4 * y, 8), 2)", 1000, 77), 5.0, 1e-2);
    assert_near(formula_at("gradient_y(coarse(3 * x + 4 * y, 8), 2)", 1000, 77), 4.0, 1e-2);
}

static void the_share_of_e_depends_on_the_distance_of_samples(void **unused)
{
    (void)unused;
    assert_true(coarse_direct_share(0.0, 64.0f) == 0.0f);
    assert_true(coarse_direct_share(16.0, 64.0f) == 0.0f);
    assert_true(coarse_direct_share(24.0, 64.0f) == 0.5f);
    assert_true(coarse_direct_share(20.0, 64.0f) == 5.0f / 32.0f); /* 3/16 − 2/64 */
    assert_true(coarse_direct_share(32.0, 64.0f) == 1.0f);
    assert_true(coarse_direct_share(1e9, 64.0f) == 1.0f);
}

/* x == 0 && y == 0 in steps of 24 m: a half from nodes 64 m apart and a half from e itself. */
static void samples_far_apart_are_e_itself(void **unused)
{
    (void)unused;
    static const double expected[][2] = {{8, 16.0 / 36}, {16, 16.0 / 36}, {24, 26.0 / 36}, {32, 1}};
    struct world *world = world_of("coarse(x == 0 && y == 0, 64)");
    for (size_t i = 0; i < 4; i++) {
        const struct sample_grid grid = {
            0, 0, (int64_t)expected[i][0] * PLACE_METRE, 3, 3, expected[i][0], 0, 0};
        float values[9], *output = values;
        const unsigned layer = 0;
        struct error error;
        assert_true(sampler_grid(sampler, world_program(world), &grid,
                                 &(struct sample_request){&layer, &output, 1}, &error));
        assert_near(values[0], expected[i][1], 2e-7);
    }
    world_release(world);
}

static void heights_and_times_reach_the_nodes(void **unused)
{
    (void)unused;
    struct world *world = world_of("coarse(z * 100 + t, 8) + scale(coarse(z, 8), 4)");
    for (int i = 0; i < 3; i++) {
        const struct place place = {5, 7};
        const struct sample_points points = {&place, 1, 0.0, i * PLACE_METRE, i * i * PLACE_METRE};
        float value, *output = &value;
        const unsigned layer = 0;
        struct error error;
        assert_true(sampler_points(sampler, world_program(world), &points,
                                   &(struct sample_request){&layer, &output, 1}, &error));
        assert_near(value, 100.25 * i + i * i, 1e-4);
    }
    world_release(world);
}

static void wrong_calls_are_refused(void **unused)
{
    (void)unused;
    assert_refused("coarse(x, 3)", ERROR_VALUE, 11, "a power of two from 1 to 1048576");
    assert_refused("coarse(x, 0.5)", ERROR_VALUE, 11, "from 1 to 1048576, not 0.5");
    assert_refused("coarse(x, 2097152)", ERROR_VALUE, 11, "from 1 to 1048576");
    assert_refused("coarse(x, y)", ERROR_VALUE, 11, "spacing must be a constant");
    assert_refused("1 + coarse(coarse(coarse(x, 8), 4), 2)", ERROR_LIMIT, 5, "2 levels deep");
    assert_refused("scale(coarse(x, 1), 0.001)", ERROR_VALUE, 17, "makes the spacing 0.001 m");
    assert_refused("zero_distance(coarse(perlin(9), 2))", ERROR_VALUE, 15, "must be a noise");
    /* Through the names of layers, and in scopes. */
    const struct error error = error_of_text(
        "{\"generator\":1,\"layers\":{\"a\":\"rotate(coarse(x, 8), 5)\",\"b\":\"coarse(a, 4) + 1\","
        "\"height\":\"warp(2 + coarse(b * y, 16), x, y)\"}}");
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.path, "layers.height");
    assert_int_equal(error.column, 10);
}

static void constants_stay_constants(void **unused)
{
    (void)unused;
    assert_near(formula_at("fbm(100, octaves=coarse(3, 16)) - fbm(100, 3)", 12, 34), 0, 0);
}

/* Nodes beyond ±2¹²⁶ = ±8.5e37 are limited, which the compiler must know. */
static void bounds_are_those_of_limited_nodes(void **unused)
{
    (void)unused;
    static const char high[] = "coarse(2e38 + 1e38 * smoothstep(0, 1, perlin(64)), 64)";
    char text[200];
    assert_near(formula_at(high, 12, 34) / 0x1p126f, 1.0, 0);
    snprintf(text, sizeof text, "%s < 1e38", high);
    assert_near(formula_at(text, 12, 34), 1.0, 0);
    snprintf(text, sizeof text, "-1 * %s > -1e38", high);
    assert_near(formula_at(text, 12, 34), 1.0, 0);
}

/* Layers that use coarse() in every scope, of noises of each kind, nested, with z and t. */
static const char everywhere[] =
    "{\"generator\":1,\"seed\":7,\"layers\":{"
    "\"a\":\"coarse(fbm(3000, 5) * 100, 64)\","
    "\"b\":\"coarse(ridged(900, 4, damping=0.3) + perlin(77), 16) + coarse(value(333), 16)\","
    "\"nested\":\"coarse(coarse(simplex(20000), 1024) + worley(800), 32) * a\","
    "\"far\":\"coarse(fbm(1e6, 8), 16384) + coarse(cycle('x', 777), 1048576)\","
    "\"fine\":\"coarse(fbm(40, 3), 1) + coarse(x / 1e6 + floor(y / 3), 2)\","
    "\"warped\":\"warp(coarse(fbm(2000, 4), 32), 300 * b, 200 * perlin(700))\","
    "\"thrown\":\"warp(coarse(fbm(2000, 4), 8), 1e6 * a, 1e9 * perlin(70))\","
    "\"turned\":\"rotate(coarse(fbm(2000, 4), 32) + coarse(b, 256), 33) + rotate(a, 90)\","
    "\"scaled\":\"scale(coarse(fbm(2000, 4), 32) + a, 0.3) + scale(b, 8)\","
    "\"tiny\":\"scale(coarse(fbm(1e9, 4) + x, 1048576), 0.000001)\","
    "\"steep\":\"slope(a + b, 5) + gradient_x(warped, 30)\","
    "\"high\":\"coarse(perlin(300, axes='xyz') + z, 16) + scale(coarse(value(90, axes='xyz'), 8),"
    " 3) + coarse(perlin(200, axes='xyt'), 16)\","
    "\"guarded\":\"(a > 3) * coarse(fbm(500, 3), 8) + (x > 10000 ? coarse(y, 4) : b)\","
    "\"steps\":\"coarse(floor(perlin(50) * 3), 8) + coarse(1e38 * perlin(90), 8) / 1e38\","
    "\"height\":\"a + b + nested\"},"
    "\"biomes\":[{\"name\":\"low\",\"color\":\"#000\",\"when\":\"coarse(a + y, 128) < 0\"},"
    "{\"name\":\"top\",\"color\":\"#fff\"}],"
    "\"objects\":{\"tree\":{\"color\":\"#080\",\"spacing\":8,\"min_distance\":2,\"radius\":1,"
    "\"density\":\"coarse(smoothstep(-1, 1, perlin(60)), 16) * (biome == low)\"}}}";

static uint64_t state = 11;

enum { GRIDS = 160 };

static void grids_equal_points_in_every_scope(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(everywhere);
    for (int i = 0; i < GRIDS; i++) {
        const struct sample_grid grid = random_grid(&state, 10, 36);
        assert_points_equal_grid(world, &grid, sampler, sampler, &state);
    }
    world_release(world);
}

/* A new sampler keeps nothing, the other one what hundreds of requests of two worlds left. */
static void kept_nodes_change_nothing(void **unused)
{
    (void)unused;
    struct error error;
    struct world *world = world_of_text(everywhere), *other = world_reseed(world, "8", 1, &error);
    assert_non_null(other);
    for (int i = 0; i < GRIDS / 4; i++) {
        const struct sample_grid grid = random_grid(&state, 10, 36);
        struct sampler *fresh = sampler_new();
        assert_non_null(fresh);
        assert_points_equal_grid(world, &grid, fresh, sampler, &state);
        assert_points_equal_grid(other, &grid, fresh, sampler, &state);
        sampler_free(fresh);
    }
    world_release(other);
    world_release(world);
}

/* Worlds whose noises differ in two settings by 1 each, in opposite directions; the first layer has
 * all their constants. */
static void kept_nodes_are_those_of_one_world(void **unused)
{
    (void)unused;
    static const char text[] =
        "{\"generator\":1,\"layers\":{\"a\":\"warp(perlin(4), 0.0000152587890625, 0) + 3 * z\","
        "\"height\":\"coarse(%s, 64)\"}}";
    static const char *const noises[2] = {"fbm(4096, 4)",
                                          "warp(fbm(4096, 3), 0.0000152587890625, 0)"};
    const struct place place = {1000 * PLACE_METRE, 777 * PLACE_METRE};
    const struct sample_points points = {&place, 1, 0.0, 0, 0};
    float kept[2], fresh[2];
    for (int i = 0; i < 2; i++) {
        char json[300];
        struct error error;
        const unsigned layer = 1;
        struct sampler *other = sampler_new();
        snprintf(json, sizeof json, text, noises[i]);
        struct world *world = world_of_text(json);
        assert_true(sampler_points(sampler, world_program(world), &points,
                                   &(struct sample_request){&layer, &(float *){&kept[i]}, 1},
                                   &error));
        assert_true(sampler_points(other, world_program(world), &points,
                                   &(struct sample_request){&layer, &(float *){&fresh[i]}, 1},
                                   &error));
        sampler_free(other);
        world_release(world);
    }
    assert_memory_equal(kept, fresh, sizeof kept);
    assert_true(fresh[0] != fresh[1]);
}

/* A tile in pieces, wherever they begin. */
static void pieces_equal_the_whole(void **unused)
{
    (void)unused;
    enum { SIDE = 96, CUT = 37 };
    struct world *world = world_of_text(everywhere);
    for (int zoom = 0; zoom < 12; zoom++) {
        const int64_t step = PLACE_METRE << zoom;
        const struct sample_grid grid = {3 * step - 50 * PLACE_METRE, -7 * step, step, SIDE, SIDE,
                                         place_metres(step),          0,         0};
        assert_part_equals_grid(world, &grid, CUT, sampler);
    }
    world_release(world);
}

/* Fields of terra with the spacings that they have there, in the order e, coarse(e, spacing), with
 * a ramp of 255 levels over the range of their values. */
static const struct {
    const char *e;
    double spacing, range;
} fields[] = {
    {"fbm(wavelength=196608, octaves=6, persistence=0.6)", 512, 1},
    {"1.4 * fbm(wavelength=131072, octaves=5)", 512, 1.4},
    {"warp(fbm(wavelength=3145728, octaves=4), 1500000 * fbm(wavelength=6291456, octaves=4), 0)",
     16384, 1},
    {"0.9227 * fbm(wavelength=12288, octaves=4, persistence=0.53, basis='simplex')", 128, 1},
    {"ridged(wavelength=4096, octaves=5, persistence=0.5, feedback=1.35)", 16, 1},
    /* Nodes too far apart for the field: an abrupt change would be seen. */
    {"ridged(wavelength=4096, octaves=5, persistence=0.5, feedback=1.35)", 512, 1},
    {"fbm(wavelength=4096, octaves=5)", 1024, 1},
};
enum { FIELDS = sizeof fields / sizeof *fields, SWEPT = 400, STEPS = 64 };

/* The levels of e and of coarse(e) at the places, for samples so many metres apart. */
static void sample_levels(const struct world *world, size_t field, double metres,
                          const struct place *places, float levels[2][SWEPT])
{
    float *outputs[2] = {levels[0], levels[1]};
    const struct sample_points points = {places, SWEPT, metres, 0, 0};
    struct error error;
    assert_true(sampler_points(sampler, world_program(world), &points,
                               &(struct sample_request){(unsigned[]){0, 1}, outputs, 2}, &error));
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < SWEPT; i++)
            levels[k][i] *= 127.5f / (float)fields[field].range;
}

/* Where nodes give way to e, from a quarter to half of the spacing, and an octave around, a
 * 64th of an octave changes no pixel by more than two levels, or as much as it changes e. */
static void no_pixel_jumps_where_nodes_give_way(void **unused)
{
    (void)unused;
    for (size_t field = 0; field < FIELDS; field++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "{\"generator\":1,\"seed\":76,\"layers\":{\"height\":\"%s\",\"c\":\"coarse(%s, %g)\"}}",
            fields[field].e, fields[field].e, fields[field].spacing);
        struct world *world = world_of_text(text);
        struct place places[SWEPT];
        float levels[2][2][SWEPT];
        double most[2] = {0, 0};
        for (size_t i = 0; i < SWEPT; i++)
            places[i] = (struct place){random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT) >> 12,
                                       random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT) >> 12};
        for (int step = 0; step <= 2 * STEPS; step++) {
            const double metres = fields[field].spacing * exp2((double)step / STEPS - 2.5);
            sample_levels(world, field, metres, places, levels[step % 2]);
            for (size_t i = 0; i < SWEPT && step > 0; i++)
                for (int k = 0; k < 2; k++)
                    most[k] = fmax(most[k], fabs((double)(levels[0][k][i] - levels[1][k][i])));
        }
        if (most[1] > fmax(2.0, most[0]))
            fail_msg("%s: %g levels at once, and e alone %g", fields[field].e, most[1], most[0]);
        world_release(world);
    }
}

int test_coarse(void);
int test_coarse(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_cubic_b_spline),
        cmocka_unit_test(slopes_are_kept),
        cmocka_unit_test(scopes_move_the_nodes),
        cmocka_unit_test(the_share_of_e_depends_on_the_distance_of_samples),
        cmocka_unit_test(samples_far_apart_are_e_itself),
        cmocka_unit_test(heights_and_times_reach_the_nodes),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(constants_stay_constants),
        cmocka_unit_test(bounds_are_those_of_limited_nodes),
        cmocka_unit_test(grids_equal_points_in_every_scope),
        cmocka_unit_test(kept_nodes_change_nothing),
        cmocka_unit_test(kept_nodes_are_those_of_one_world),
        cmocka_unit_test(pieces_equal_the_whole),
        cmocka_unit_test(no_pixel_jumps_where_nodes_give_way),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
