#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/price/inspect_warp.h"
#include "core/price/layers.h"
#include "core/price/sampling.h"
#include "core/worldfile/layer_noises.h"
#include "tests/unit/core/world_of.h"

static const char layered[] =
    "{\"generator\":1,\"layers\":{"
    "\"hills\":\"fbm(2048, octaves=8)\","
    "\"height\":\"100 * hills + 5 * perlin(64) + 2 * ridged(512, octaves=4)\","
    "\"moved\":\"warp(hills, perlin(1000), 0)\","
    "\"plain\":\"hills + height\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 3 * perlin(32)\"},"
    "{\"name\":\"land\",\"color\":\"#0f0\"}]}";

static unsigned find(const struct world *world, const char *name)
{
    return (unsigned)world_find_layer(world, name);
}

static void shared_operations_are_counted_once(void **state)
{
    (void)state;
    struct world *world = world_of_text(layered);
    unsigned hills = find(world, "hills"), height = find(world, "height");
    assert_int_equal(layers_octaves(world_program(world), &hills, 1), 8);
    assert_int_equal(layers_octaves(world_program(world), &height, 1), 8 + 1 + 4);
    assert_int_equal(layers_octaves(world_program(world), (unsigned[]){hills, height}, 2),
                     8 + 1 + 4);
    /* The warped hills are others, and what warps them one more. */
    assert_int_equal(
        layers_octaves(world_program(world), (unsigned[]){hills, find(world, "moved")}, 2),
        8 + 8 + 1);
    assert_int_equal(layers_octaves(world_program(world), NULL, 0), 0);
    world_release(world);
}

static struct layer_noises inspect(const struct world *world, const char *name, double spacing)
{
    struct layer_noises inspected = {.layer = find(world, name), .spacing = spacing};
    layer_noises_find(world, &inspected);
    return inspected;
}

static void noises_of_named_layers_are_left_out(void **state)
{
    (void)state;
    struct world *world = world_of_text(layered);
    struct layer_noises found = inspect(world, "height", 0);
    assert_int_equal(found.count, 2);
    for (unsigned i = 0; i < 2; i++) {
        bool single = found.noises[i].octaves == 1;
        assert_true(found.noises[i].wavelength == (single ? 64.0 : 512.0));
        assert_int_equal(found.noises[i].octaves, single ? 1 : 4);
        assert_int_equal(found.noises[i].active_octaves, found.noises[i].octaves);
    }
    assert_int_equal(inspect(world, "plain", 0).count, 0);
    assert_int_equal(inspect(world, "moved", 0).count, 2);
    found = inspect(world, "biome", 0);
    assert_int_equal(found.count, 1);
    assert_true(found.noises[0].wavelength == 32);
    world_release(world);
}

/* An octave is gone once its wavelength is not more than two samples: 2048, 1024 … 16 m. */
static void octaves_fade_with_the_spacing(void **state)
{
    (void)state;
    static const struct {
        double spacing;
        unsigned active_octaves;
    } cases[] = {{0, 8},  {1, 8},  {7.9, 8}, {8, 7},    {16, 6},
                 {17, 6}, {33, 5}, {512, 1}, {1023, 1}, {1024, 0}};
    struct world *world = world_of_text(layered);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct layer_noises found = inspect(world, "hills", cases[i].spacing);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.noises[0].active_octaves, cases[i].active_octaves);
    }
    world_release(world);
}

static void noise_list_limit(void **state)
{
    (void)state;
    char text[4000] = "perlin(1)";
    for (int i = 2; i <= 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " + perlin(%d)", i);
    struct world *world = world_of(text);
    assert_int_equal(inspect(world, "height", 0).count, LAYER_NOISES_MAX);
    world_release(world);
}

/* The time of one sample of the only layer. */
static struct sampling_price work_for(const char *formula, struct sampling sampling)
{
    const unsigned layer = 0;
    struct world *world = world_of(formula);
    const struct sampling_price work = price_sampling(world_program(world), &layer, 1, sampling);
    world_release(world);
    return work;
}

/* A sample of a grid needs (step / spacing)² nodes; a single place 16 of them; and where samples
 * are far apart, coarse() is what it samples. */
static void nodes_are_priced_by_what_a_sample_needs(void **state)
{
    (void)state;
    static const char plain[] = "fbm(4096, 10, damping=1)";
    static const char coarse[] = "coarse(fbm(4096, 10, damping=1), 64)";
    static const char nested[] = "coarse(coarse(fbm(4096, 10, damping=1), 1024), 64)";
    const struct sampling near = {.step = 1, .spacing = 1}, half = {.step = 32, .spacing = 32};
    assert_true(20 * work_for(coarse, near).sample < work_for(plain, near).sample);
    assert_true(work_for(coarse, half).sample >= work_for(plain, half).sample);
    assert_true(work_for(coarse, half).sample < 1.2 * work_for(plain, half).sample);
    const struct sampling anywhere = {.step = 0};
    const double place = work_for(plain, anywhere).sample;
    assert_true(work_for(coarse, anywhere).place > 4 * place);
    assert_true(work_for(coarse, anywhere).place < 24 * place);
    assert_true(work_for(nested, anywhere).place < 3 * work_for(coarse, anywhere).place);
    assert_true(work_for(plain, anywhere).place == 0.0);
    /* 300 places within 16 m share two cells. */
    const struct sampling together = {.extent = 16, .all_extent = 16, .all_places = 300};
    assert_true(work_for(coarse, together).place + work_for(coarse, together).sample < place / 2);
}

/* Turned, moved or scaled scopes have nodes of their own, whatever is sampled there. */
static void nodes_are_priced_in_each_scope(void **state)
{
    (void)state;
    static const char one[] = "coarse(fbm(4096, 10, damping=1), 64)";
    static const char five[] = "0 * t + rotate(coarse(fbm(4096, 10, damping=1), 64), 10) +"
                               "rotate(coarse(fbm(4096, 10, damping=1), 64), 20) +"
                               "warp(coarse(fbm(4096, 10, damping=1), 64), 1e6, 0) +"
                               "warp(coarse(fbm(4096, 10, damping=1), 64), 5, 5) +"
                               "scale(coarse(fbm(4096, 10, damping=1), 64), 50)";
    const struct sampling anywhere = {.step = 0};
    assert_true(work_for(five, anywhere).place > 4.9 * work_for(one, anywhere).place);
    assert_true(work_for(five, anywhere).place < 5.1 * work_for(one, anywhere).place);
    const struct sampling grid = {.step = 16, .spacing = 16};
    assert_true(work_for(five, grid).sample > 4.9 * work_for(one, grid).sample);
}

/* Turned nodes: 11 ns a sample where cells have two columns, 1.3 ns where they have 64. */
static void interpolation_is_priced_by_the_cells_it_needs(void **state)
{
    (void)state;
    static const char turned[] = "rotate(coarse(x, 64), 33)";
    const struct sampling one = {.step = 1, .spacing = 1}, half = {.step = 31, .spacing = 31};
    assert_true(work_for(turned, one).sample < 2.5);
    assert_true(work_for(turned, half).sample > 9);
    assert_true(work_for(turned, half).sample < 14);
}

enum { NODES_CALL = 4000, ACROSS = 128, MARGIN = 1024, SIDE = 2 * MARGIN };

/* The cell of a sample that is moved by so many metres, from the corner of a square of SIDE cells.
 */
static uint32_t moved_cell(double at, float moved, double spacing)
{
    const double cell = (at + (double)moved) / spacing + MARGIN;
    assert_in_range(cell, 2, SIDE - 4);
    return (uint32_t)cell;
}

/* Samples of a formula on a grid from the origin on. */
static void sample_grid_of(const char *formula, double step, float samples[ACROSS * ACROSS])
{
    struct world *world = world_of(formula);
    struct sampler *sampler = sampler_new();
    const unsigned layer = 0;
    const struct sample_grid grid = {.step = (int64_t)(step * (double)PLACE_METRE),
                                     .columns = ACROSS,
                                     .rows = ACROSS,
                                     .spacing = step};
    const struct sample_request request = {&layer, &samples, 1};
    struct error error;
    assert_non_null(sampler);
    assert_true(sampler_grid(sampler, world_program(world), &grid, &request, &error));
    sampler_free(sampler);
    world_release(world);
}

/* How many different nodes are around the samples of a grid that two formulas move. */
static double count_nodes(const char *const moved[2], double step, double spacing)
{
    static float dx[ACROSS * ACROSS], dy[ACROSS * ACROSS];
    static bool needed[SIDE * SIDE];
    size_t count = 0;
    sample_grid_of(moved[0], step, dx);
    sample_grid_of(moved[1], step, dy);
    memset(needed, 0, sizeof needed);
    for (uint32_t i = 0; i < ACROSS * ACROSS; i++) {
        const uint32_t x = moved_cell(step * (i % ACROSS), dx[i], spacing);
        const uint32_t y = moved_cell(step * (double)(i / ACROSS), dy[i], spacing);
        for (uint32_t k = 0; k < 16; k++)
            needed[(y - 1 + k / 4) * SIDE + x - 1 + k % 4] = true;
    }
    for (size_t i = 0; i < sizeof needed; i++)
        count += needed[i];
    return (double)count;
}

/* The time of all samples of the grid, for coarse() of a formula. */
static double displaced_time(const char *coarse, const char *const moved[2], double step,
                             double spacing)
{
    char formula[512];
    const struct sampling grid = {.step = step, .spacing = step, .across = ACROSS};
    snprintf(formula, sizeof formula, "warp(coarse(%s, %g), %s, %s)", coarse, spacing, moved[0],
             moved[1]);
    const struct sampling_price work = work_for(formula, grid);
    return work.call + ACROSS * ACROSS * work.sample;
}

/* The price has as many nodes as the samples of a displaced grid need. Where displacement is
 * smooth, they are sampled as a grid, and the rectangle around the samples has more of them; where
 * it is rough, as a list. */
static void displaced_nodes_are_priced_as_many_as_are_needed(void **state)
{
    (void)state;
    static const char noise[] = "fbm(65536, 10, damping=1)";
    static const struct {
        const char *moved;
        double step, spacing;
        bool rough;
    } cases[] = {
        {"5", 1, 16, false},
        {"0.2 * x", 4, 16, false},
        {"100 * perlin(20)", 1, 16, false},
        {"100 * fbm(800, 3)", 1, 16, false},
        {"1000 * fbm(800, 3)", 1, 16, false},
        {"1000 * fbm(800, 3)", 4, 16, false},
        {"7000 * fbm(20000, 3)", 1, 16, false},
        {"7000 * fbm(800, 3)", 1, 16, true},
        {"7000 * fbm(800, 3)", 6, 16, true},
        {"7000 * perlin(30)", 1, 16, true},
        {"50000 * perlin(100)", 1, 128, true},
        {"1000 * (perlin(100) > 0)", 1, 16, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double step = cases[i].step, spacing = cases[i].spacing;
        const struct sampling grid = {.step = spacing, .spacing = spacing / 2};
        const struct sampling list = {.spacing = spacing / 2};
        char turned[100];
        snprintf(turned, sizeof turned, "rotate(%s, 90)", cases[i].moved);
        const char *const moved[2] = {cases[i].moved, turned};
        const double needed = count_nodes(moved, step, spacing);
        const double time =
            displaced_time(noise, moved, step, spacing) - displaced_time("x", moved, step, spacing);
        const double node = work_for(noise, cases[i].rough ? list : grid).sample;
        const double least = 0.67 * needed * node;
        const double most = (cases[i].rough ? 2.5 : 12.0) * needed * node + NODES_CALL;
        if (time < least || time > most)
            fail_msg("%s, step %g: %.0f nodes, time %.0f", cases[i].moved, step, needed, time);
    }
}

static void noises_at_nodes_are_counted_once(void **state)
{
    (void)state;
    const unsigned layer = 0;
    struct world *world = world_of("coarse(fbm(4096, 6), 64) + fbm(4096, 6) + perlin(9)");
    assert_int_equal(layers_octaves(world_program(world), &layer, 1), 7);
    assert_int_equal(world_layer(world, 0)->octaves, 7);
    world_release(world);
}

static struct inspect_warp warp_of(const char *warp_x, const char *warp_y)
{
    char members[400];
    struct inspect_warp warp = {.places = INSPECT_WARP_PLACES};
    snprintf(members, sizeof members,
             "\"drainage\":{\"potential\":\"x\",\"target\":\"x\",\"relief\":\"x\","
             "\"warp_x\":\"%s\",\"warp_y\":\"%s\"},",
             warp_x, warp_y);
    char *text = world_text("1", members);
    struct world *world = world_of_text(text);
    struct sampler *sampler = sampler_new();
    assert_true(inspect_warp(world_program(world), sampler, &warp));
    sampler_free(sampler);
    world_release(world);
    free(text);
    return warp;
}

/* A mirrored axis folds everywhere, two of them turn the plane; 3, 4 and 5 have a right angle. */
static void warps_that_fold_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *x, *y;
        double steepness;
        unsigned folded;
    } cases[] = {
        {"7", "0", 0, 0},
        {"0.5 * x", "0", 0.5, 0},
        {"-2 * x", "1 - 0", 2, INSPECT_WARP_PLACES},
        {"-2 * x", "-2 * y", 2.8284, 0},
        {"-3 * x", "4 * x + 9", 5, INSPECT_WARP_PLACES},
        {"x * y", "0", INFINITY, INSPECT_WARP_PLACES / 2},
        {"100 * perlin(1000)", "0", 0.293, 0},
        {"100 * fbm(1000, 3)", "0", 0.293 * 12 / 7, 0},
        {"warp(100 * perlin(1000), 50 * perlin(1000), 3)", "0", 0.293 * 1.1465, 0},
        {"100 * ridged(1000, 3)", "0", INFINITY, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct inspect_warp warp = warp_of(cases[i].x, cases[i].y);
        if (!(fabs(warp.steepness - cases[i].steepness) < 1e-4) &&
            warp.steepness != cases[i].steepness)
            fail_msg("%s, %s: %g", cases[i].x, cases[i].y, warp.steepness);
        const double near = 0.05 * INSPECT_WARP_PLACES * (warp.steepness == INFINITY);
        if (!(fabs((double)warp.folded - cases[i].folded) <= near))
            fail_msg("%s, %s: %u folded", cases[i].x, cases[i].y, warp.folded);
    }
}

/* The steepest of half a million places comes within a fifth of the bound. */
static void noises_are_as_steep_as_is_said(void **state)
{
    (void)state;
    enum { COLUMNS = 256, GRIDS = 8 };
    static float samples[COLUMNS * COLUMNS];
    static const char *const noises[] = {"perlin(1000, interpolation='%s')",
                                         "value(1000, interpolation='%s')"};
    static const char *const interpolations[] = {"linear", "cosine", "cubic", "quintic"};
    struct sampler *sampler = sampler_new();
    for (size_t i = 0; i < 8; i++) {
        char text[60];
        float *output = samples;
        const unsigned layer = 0;
        double steepest = 0.0;
        struct error error;
        snprintf(text, sizeof text, noises[i % 2], interpolations[i / 2]);
        const double bound = 1000 * warp_of(text, "0").steepness;
        struct world *world = world_of(text);
        for (int64_t k = 0; k < GRIDS; k++) {
            const struct sample_grid grid = {k << 40, 0, 32 * PLACE_METRE, COLUMNS, COLUMNS, 0.0,
                                             0,       0};
            assert_true(sampler_grid(sampler, world_program(world), &grid,
                                     &(struct sample_request){&layer, &output, 1}, &error));
            for (size_t at = 0; at + COLUMNS + 1 < COLUMNS * COLUMNS; at++)
                if (at % COLUMNS + 1 < COLUMNS)
                    steepest = fmax(steepest, hypot((double)(samples[at + 1] - samples[at]),
                                                    (double)(samples[at + COLUMNS] - samples[at])) *
                                                  1000 / 32);
        }
        if (steepest > bound || steepest < 0.8 * bound)
            fail_msg("%s: %g, not %g", text, steepest, bound);
        world_release(world);
    }
    sampler_free(sampler);
}

/* A circle of 20,000 vertices, which a layer looks at in so many scales. */
static struct world *circle_world(unsigned views)
{
    static char text[1 << 20];
    const unsigned vertices = 20000;
    size_t used = (size_t)snprintf(text, sizeof text, "{\"generator\":1,\"paths\":{\"c\":[");
    for (unsigned i = 0; i < vertices; i++) {
        const double angle = 6.283185307179586 * i / vertices;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%.3f,%.3f]", i ? "," : "",
                                 50000.0 * cos(angle), 50000.0 * sin(angle));
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]},\"layers\":{\"height\":\"0");
    for (unsigned i = 0; i < views; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "+scale(path('c','distance',60000),%.3f)", 1.0 + i / 1000.0);
    snprintf(text + used, sizeof text - used, "\"}}");
    return world_of_text(text);
}

/* The price of a layer, and in *seconds the least processor time in which it was told. */
static double price_in(const struct world *world, struct sampling sampling, double *seconds)
{
    const unsigned layer = find(world, "height");
    double price = 0.0;
    *seconds = INFINITY;
    for (int i = 0; i < 5; i++) {
        const clock_t begun = clock();
        price = price_sampling(world_program(world), &layer, 1, sampling).sample;
        *seconds = fmin(*seconds, (double)(clock() - begun) / CLOCKS_PER_SEC);
    }
    return price;
}

/* Views beyond what one pricing looks at are priced for no less than the others: those of 48 are
 * told in the time of some 4. */
static void many_views_of_a_path_are_priced_in_full(void **state)
{
    (void)state;
    const struct place middle = {0, 0};
    const struct sampling_where where = {middle, middle, &middle, 1};
    const int64_t side = place_from_metres(2000.0);
    const struct sampling_where square = {{-side, -side}, {side, side}, NULL, 0};
    const struct sampling ways[] = {{.where = &where}, {.step = 8.0, .where = &square}};
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        double prices[2], seconds[2];
        for (unsigned many = 0; many < 2; many++) {
            struct world *world = circle_world(many ? 48 : 1);
            prices[many] = price_in(world, ways[i], &seconds[many]);
            world_release(world);
        }
        assert_true(prices[1] > 40.0 * prices[0]);
        assert_true(seconds[1] < 16.0 * seconds[0]);
    }
}

int test_sampling(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_operations_are_counted_once),
        cmocka_unit_test(noises_of_named_layers_are_left_out),
        cmocka_unit_test(octaves_fade_with_the_spacing),
        cmocka_unit_test(noise_list_limit),
        cmocka_unit_test(nodes_are_priced_by_what_a_sample_needs),
        cmocka_unit_test(nodes_are_priced_in_each_scope),
        cmocka_unit_test(interpolation_is_priced_by_the_cells_it_needs),
        cmocka_unit_test(displaced_nodes_are_priced_as_many_as_are_needed),
        cmocka_unit_test(noises_at_nodes_are_counted_once),
        cmocka_unit_test(warps_that_fold_are_found),
        cmocka_unit_test(noises_are_as_steep_as_is_said),
        cmocka_unit_test(many_views_of_a_path_are_priced_in_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
