/* Sampling the worlds that come with the program: a grid and a list of points, one layer and
 * several, narrow and wide, whole and in parts give the same bits everywhere. */
#include "core/sampling/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/tile/address.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/sampler_fixture.h"
#include "tests/unit/core/world_of.h"

enum { LAYERS_MAX = 128 };

static uint64_t state = 3;

static struct world *world_of_file(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened; run the tests from the project's folder", path);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    struct error error = {0};
    struct world *world = world_parse(text, length, path, NULL, &error);
    if (!world)
        fail_msg("%s: %s", path, error.message);
    return world;
}

/* Something with every operation and nested warps, and other noises than the worlds' own. */
static struct world *world_of_everything(void)
{
    return world_of_text(
        "{\"generator\":1,\"seed\":5,\"paths\":{\"road\":[[-900,3],[0,0],[500,-40.5],[90,700],"
        "[1099511627776,5]],\"lane\":[[-900,3],[0,0],[500,-40.5],[90,700]]},\"areas\":{\"town\":[["
        "9,9],[400,-20],[90,90],[200,600]]},\"layers\":{"
        "\"cells\":\"value(33.3,'linear') + perlin(99.9,'cosine') * value(7,'cubic')\","
        "\"far\":\"warp(warp(ridged(5000,7,basis='value'), 900*cells, y/1e6), 80*cells, "
        "1e9*cells)\","
        "\"stripes\":\"sin(cycle('x',77.7)*6)*detail(90) + detail(9e3*cells) * "
        "cos(warp(cycle('y',5),far,cells))^3\","
        "\"ways\":\"!(far>0.3) || x<1e5 && y!=3 ? exp(-abs(cells)) : sqrt(abs(far)) / "
        "(cells-far)\","
        "\"shaped\":\"spline(cells,-1,-9,-0.3,0,0.2,4,1,5) + smoothstep(-0.5,0.7,cells)"
        " + smoothstep(far,1,cells) + terrace(far,0.1,0.4) + bias(far,0.3) + gain(far,0.7)\","
        "\"placed\":\"at(cells, 64 * floor(x/64), y/2 + 3) * random(floor(x/9), 3) + "
        "atan2(far, cells) + atan2(2, far) + atan2(cells, -1)\","
        "\"craters\":\"scatter(70, (r < 40) * (dx + 9*random(id, 1))*angle) + "
        "warp(scatter(900, 1 - r/900, join='max'), 80*cells, 30) + "
        "rotate(scatter(9, id, join='nearest'), 30)\","
        "\"carved\":\"gullies(cells * x, 90, 7) + warp(gullies(far, 700, 3), 80*cells, y/2) + "
        "rotate(scale(gullies(cells, 9, 12, 1), 3), 40)\","
        "\"drawn\":\"path('road','distance',4e4) + warp(path('road','along'), 80*cells, y/2) + "
        "area('town','signed',500)*rotate(scale(path('road','side'),3),40) + "
        "at(area('town','signed'),64*floor(x/64),y/2) + "
        "warp(cells,-path('road','dx'),-path('road','dy'))\","
        "\"graded\":\"profile('lane',cells,16,4e3) + coverage(far,0.1) + "
        "warp(profile('lane',far,2),80*cells,y/2) + rotate(profile('lane',x*cells,64),40)\","
        "\"time\":\"z*far + t*cells + floor(x/100) - fract(y/50)\","
        "\"height\":\"max(cells,far,ways) + min(stripes,shaped) + clamp(far,0.1,0.2) + mix(1,2,far)"
        " + step(0.1,cells)\"},"
        "\"biomes\":[{\"name\":\"a\",\"color\":\"#000\",\"when\":\"far > 0.5\"},"
        "{\"name\":\"b\",\"color\":\"#000\",\"when\":\"cells > 0\"},"
        "{\"name\":\"c\",\"color\":\"#000\"}]}");
}

/* Memory for every layer of a request. */
struct result {
    unsigned layers[LAYERS_MAX];
    float *outputs[LAYERS_MAX];
    struct sample_request request;
    size_t count;
};

static void result_open(struct result *result, const struct world *world, size_t count)
{
    *result = (struct result){.count = count};
    unsigned layers = world_layer_count(world);
    assert_in_range(layers, 1, LAYERS_MAX);
    for (unsigned i = 0; i < layers; i++) {
        result->layers[i] = i;
        result->outputs[i] = malloc(count * sizeof(float));
        assert_non_null(result->outputs[i]);
    }
    result->request = (struct sample_request){result->layers, result->outputs, layers};
}

static void result_close(struct result *result)
{
    for (unsigned i = 0; i < result->request.count; i++)
        free(result->outputs[i]);
}

static void sample_grid(const struct world *world, const struct sample_grid *grid,
                        const struct sample_request *request)
{
    struct error error = {0};
    if (!sampler_grid(sampler, world_program(world), grid, request, &error))
        fail_msg("%s", error.message);
}

static void sample_points(const struct world *world, const struct sample_points *points,
                          const struct sample_request *request)
{
    struct error error = {0};
    if (!sampler_points(sampler, world_program(world), points, request, &error))
        fail_msg("%s", error.message);
}

static void assert_same(const struct world *world, const struct result *a, const struct result *b,
                        const char *what)
{
    for (unsigned layer = 0; layer < a->request.count; layer++)
        for (size_t i = 0; i < a->count; i++)
            if (memcmp(&a->outputs[layer][i], &b->outputs[layer][i], sizeof(float)) != 0)
                fail_msg("%s: layer %s, sample %zu: %.9g and %.9g", what,
                         world_layer(world, layer)->name, i, (double)a->outputs[layer][i],
                         (double)b->outputs[layer][i]);
}

static void assert_finite(const struct result *result)
{
    for (unsigned layer = 0; layer < result->request.count; layer++)
        for (size_t i = 0; i < result->count; i++)
            assert_true(__builtin_isfinite(result->outputs[layer][i]));
}

static void assert_grid_equals_points(const struct world *world, const struct sample_grid *grid)
{
    size_t count = (size_t)grid->columns * grid->rows;
    struct result whole, listed;
    struct place *places = malloc(count * sizeof *places);
    assert_non_null(places);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){grid->x + (int64_t)(i % grid->columns) * grid->step,
                                   grid->y + (int64_t)(i / grid->columns) * grid->step};
    result_open(&whole, world, count);
    result_open(&listed, world, count);
    sample_grid(world, grid, &whole.request);
    const struct sample_points points = {places, count, grid->spacing, grid->z, grid->t};
    sample_points(world, &points, &listed.request);
    assert_same(world, &whole, &listed, "a grid and its points");
    assert_finite(&whole);
    result_close(&whole);
    result_close(&listed);
    free(places);
}

/* A piece of a random tile's grid: near the origin, anywhere, or the last tile at a corner. */
static struct sample_grid random_grid(int zoom, int kind)
{
    int64_t low, high;
    struct sample_grid grid;
    struct tile_address tile = {.zoom = zoom};
    tile_index_range(zoom, &low, &high);
    if (kind == 0) {
        tile = tile_at(zoom, (struct place){random_whole(&state, -(1 << 30), 1 << 30),
                                            random_whole(&state, -(1 << 30), 1 << 30)});
    } else if (kind == 1) {
        tile.x = random_whole(&state, low, high);
        tile.y = random_whole(&state, low, high);
    } else {
        tile.x = random_bits(&state) % 2 ? low : high;
        tile.y = random_bits(&state) % 2 ? low : high;
    }
    tile_grid(&tile, random_bits(&state) % 2 ? 256 : 512, 1, &grid);
    grid.columns = (uint32_t)random_whole(&state, 1, 70);
    grid.rows = (uint32_t)random_whole(&state, 1, 40);
    grid.z = 25 * PLACE_METRE / 2;
    grid.t = 13 * PLACE_METRE / 4;
    return grid;
}

static void at_random_places(const struct world *world)
{
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++) {
        const struct sample_grid near = random_grid(zoom, 0), any = random_grid(zoom, 1),
                                 edge = random_grid(zoom, 2);
        assert_grid_equals_points(world, &near);
        assert_grid_equals_points(world, &any);
        assert_grid_equals_points(world, &edge);
    }
}

static void grids_equal_points(void **unused)
{
    (void)unused;
    struct world *worlds[] = {world_of_file("config/worlds/terra.json"),
                              world_of_file("config/worlds/perlin.json"), world_of_everything()};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        at_random_places(worlds[i]);
        world_release(worlds[i]);
    }
}

/* Any step, not tiles' only, at full detail. */
static void arbitrary_steps_equal_points(void **unused)
{
    (void)unused;
    struct world *world = world_of_everything();
    for (int i = 0; i < 12; i++) {
        const struct sample_grid grid = {
            .x = random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT / 2),
            .y = random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT / 2),
            .step = random_whole(&state, 1, (int64_t)1 << random_whole(&state, 1, 40)),
            .columns = (uint32_t)random_whole(&state, 1, 700),
            .rows = (uint32_t)random_whole(&state, 1, 30),
            .t = -7 * PLACE_METRE,
        };
        assert_grid_equals_points(world, &grid);
    }
    world_release(world);
}

/* Wider than NOISE_ROW_MAX, so cut into blocks; taller than a band. */
static void wide_and_tall_grids(void **unused)
{
    (void)unused;
    static const uint32_t widths[] = {287, 288, 289, 576, 577, 1030};
    struct world *world = world_of_file("config/worlds/perlin.json");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const struct sample_grid grid = {.x = -PLACE_LIMIT,
                                         .y = 77,
                                         .step = 3 * PLACE_METRE + 11,
                                         .columns = widths[i],
                                         .rows = i == 0 ? 300 : 3,
                                         .spacing = 3.0};
        assert_grid_equals_points(world, &grid);
    }
    world_release(world);
}

/* Bands of a grid are its rows, one after the other, in memory for one band. */
static void bands_equal_the_grid(void **unused)
{
    (void)unused;
    static const uint32_t widths[] = {1, 7, 65, 258, SAMPLER_COLUMNS_MAX};
    struct world *world = world_of_everything();
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct sample_grid grid = random_grid(3 + 5 * (int)i, (int)i % 3);
        struct error error = {0};
        struct result whole, band;
        grid.columns = widths[i];
        grid.rows = 2 * sampler_band_rows(world_program(world), grid.columns) + 3;
        result_open(&whole, world, (size_t)grid.columns * grid.rows);
        result_open(&band, world,
                    (size_t)grid.columns * sampler_band_rows(world_program(world), grid.columns));
        sample_grid(world, &grid, &whole.request);
        assert_true(
            sampler_begin_bands(sampler, world_program(world), &grid, &band.request, &error));
        size_t done = 0;
        for (uint32_t rows; (rows = sampler_next_band(sampler)) > 0; done += rows)
            for (unsigned layer = 0; layer < whole.request.count; layer++)
                assert_memory_equal(band.outputs[layer], whole.outputs[layer] + done * grid.columns,
                                    rows * grid.columns * sizeof(float));
        assert_int_equal(done, grid.rows);
        result_close(&whole);
        result_close(&band);
    }
    world_release(world);
}

/* One layer alone, in any order, twice: company changes nothing. */
static void layers_together_and_alone(const struct world *world, const struct sample_grid *grid)
{
    struct result all, alone;
    size_t count = (size_t)grid->columns * grid->rows;
    result_open(&all, world, count);
    result_open(&alone, world, count);
    sample_grid(world, grid, &all.request);
    for (unsigned i = all.request.count; i-- > 0;) {
        const struct sample_request one = {&alone.layers[i], &alone.outputs[i], 1};
        sample_grid(world, grid, &one);
    }
    assert_same(world, &all, &alone, "layers together and alone");
    unsigned last = all.request.count - 1;
    const unsigned twice[] = {last, 0, last};
    float *outputs[] = {alone.outputs[0], alone.outputs[1], alone.outputs[2]};
    sample_grid(world, grid, &(struct sample_request){twice, outputs, 3});
    assert_memory_equal(outputs[0], all.outputs[last], count * sizeof(float));
    assert_memory_equal(outputs[1], all.outputs[0], count * sizeof(float));
    assert_memory_equal(outputs[2], all.outputs[last], count * sizeof(float));
    result_close(&all);
    result_close(&alone);
}

static void layers_alone_equal_together(void **unused)
{
    (void)unused;
    struct world *worlds[] = {world_of_file("config/worlds/terra.json"), world_of_everything()};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        for (int zoom = 1; zoom <= TILE_ZOOM_MAX; zoom += 6) {
            const struct sample_grid grid = random_grid(zoom, zoom % 3);
            layers_together_and_alone(worlds[i], &grid);
        }
        world_release(worlds[i]);
    }
}

/* A sampler that has done other things before is as good as new. */
static void samplers_keep_no_state(void **unused)
{
    (void)unused;
    struct world *world = world_of_everything();
    const struct sample_grid grid = random_grid(11, 1);
    struct result used, fresh;
    result_open(&used, world, (size_t)grid.columns * grid.rows);
    result_open(&fresh, world, (size_t)grid.columns * grid.rows);
    sample_grid(world, &grid, &used.request);
    struct sampler *old = sampler;
    sampler = sampler_new();
    sample_grid(world, &grid, &fresh.request);
    sampler_free(sampler);
    sampler = old;
    assert_same(world, &used, &fresh, "a used sampler and a new one");
    result_close(&used);
    result_close(&fresh);
    world_release(world);
}

/* A choice may skip what no sample of a band needs, but never what one does. */
static void choices_at_the_edge_of_a_band(void **unused)
{
    (void)unused;
    struct world *world =
        world_of_text("{\"generator\":1,\"layers\":{\"a\":\"perlin(50)\",\"b\":\"2 + value(50)\","
                      "\"height\":\"x > 5000 && y > 300 ? a * 2 : b + 1\","
                      "\"other\":\"y > 300 ? a : x > 5000 ? b : a + b\"}}");
    for (int i = -3; i <= 3; i++) {
        const struct sample_grid grid = {.x = 4900 * PLACE_METRE + i,
                                         .y = (285 + 5 * i) * PLACE_METRE,
                                         .step = PLACE_METRE,
                                         .columns = 200,
                                         .rows = 50};
        assert_grid_equals_points(world, &grid);
        layers_together_and_alone(world, &grid);
    }
    struct result result;
    const struct sample_grid grid = {.x = 4998 * PLACE_METRE,
                                     .y = 299 * PLACE_METRE,
                                     .step = PLACE_METRE,
                                     .columns = 5,
                                     .rows = 3};
    result_open(&result, world, 15);
    sample_grid(world, &grid, &result.request);
    for (unsigned i = 0; i < 15; i++) {
        bool inside = i % 5 > 2 && i / 5 > 1;
        float a = result.outputs[0][i], b = result.outputs[1][i];
        assert_true(result.outputs[2][i] == (inside ? a * 2 : b + 1));
        assert_true(result.outputs[3][i] == (i / 5 > 1 ? a : i % 5 > 2 ? b : a + b));
    }
    result_close(&result);
    world_release(world);
}

static void coordinates_reach_formulas(void **unused)
{
    (void)unused;
    struct world *world = world_of("x + 1000 * y + 1e6 * z + 0.25 * t");
    float values[6], *output = values;
    unsigned layer = 0;
    const struct sample_grid grid = {.x = PLACE_METRE / 2,
                                     .y = -2 * PLACE_METRE,
                                     .step = PLACE_METRE,
                                     .columns = 3,
                                     .rows = 2,
                                     .z = PLACE_METRE,
                                     .t = 2 * PLACE_METRE};
    sample_grid(world, &grid, &(struct sample_request){&layer, &output, 1});
    static const float expected[] = {998001, 998002, 998003, 999001, 999002, 999003};
    for (int i = 0; i < 6; i++)
        assert_true(values[i] == expected[i]);
    world_release(world);
}

/* Far out, a noise is its mean: everything that depends on it, z and t alone has one value. */
static void faded_noises_in_formulas(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"layers\":{\"n\":\"perlin(50)\",\"height\":\"n * x + z\","
        "\"chosen\":\"n < 0.5 ? y : warp(perlin(1e6), n, x)\",\"other\":\"n > t ? y : x - n\","
        "\"product\":\"(n + z) * y + (n + 1 < z ? x : 2)\",\"moved\":\"warp(x, n + z, y) + n\"}}");
    const struct sample_grid grid = {.x = 3 * PLACE_METRE,
                                     .y = 5000 * PLACE_METRE,
                                     .step = 1000 * PLACE_METRE,
                                     .columns = 2,
                                     .rows = 2,
                                     .spacing = 1000.0,
                                     .z = 2 * PLACE_METRE,
                                     .t = PLACE_METRE};
    static const float expected[][4] = {{0, 0, 0, 0},
                                        {2, 2, 2, 2},
                                        {5000, 5000, 6000, 6000},
                                        {3, 1003, 3, 1003},
                                        {10003, 11003, 12003, 13003},
                                        {5, 1005, 5, 1005}};
    struct result result;
    result_open(&result, world, 4);
    sample_grid(world, &grid, &result.request);
    for (unsigned layer = 0; layer < result.request.count; layer++)
        for (int i = 0; i < 4; i++)
            assert_true(result.outputs[layer][i] == expected[layer][i]);
    result_close(&result);
    assert_grid_equals_points(world, &grid);
    world_release(world);
}

/* Far out, noises that displace another do so by 0, or one of them by what is added to it: a cell.
 */
static void displacements_that_have_faded(void **unused)
{
    (void)unused;
    enum { SIDE = 6, CELL = 2 };
    struct world *world =
        world_of_text("{\"generator\":1,\"layers\":{\"height\":\"perlin(50)\",\"plain\":\"value("
                      "40000, salt='s')\","
                      "\"both\":\"warp(plain, height, -height)\",\"east\":\"warp(plain, height + "
                      "40000, height)\","
                      "\"south\":\"warp(plain, height, height + 40000)\"}}");
    const struct sample_grid grid = {.x = 123 * PLACE_METRE,
                                     .y = -7654 * PLACE_METRE,
                                     .step = 20000 * PLACE_METRE,
                                     .columns = SIDE,
                                     .rows = SIDE,
                                     .spacing = 1000.0};
    struct result result;
    result_open(&result, world, SIDE * SIDE);
    sample_grid(world, &grid, &result.request);
    const float *plain = result.outputs[1], *both = result.outputs[2], *east = result.outputs[3],
                *south = result.outputs[4];
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_true(both[i] == plain[i]);
    for (int i = 0; i < SIDE * (SIDE - CELL); i++) {
        assert_float_equal(south[i], plain[i + CELL * SIDE], 1e-5);
        if (i % SIDE < SIDE - CELL)
            assert_float_equal(east[i], plain[i + CELL], 1e-5);
    }
    result_close(&result);
    assert_grid_equals_points(world, &grid);
    world_release(world);
}

static bool grid_allowed(int64_t x, int64_t y, int64_t step, uint32_t count)
{
    static float values[4];
    float *output = values;
    unsigned layer = 0;
    struct error error = {0};
    struct world *world = world_of("1");
    const struct sample_grid grid = {.x = x, .y = y, .step = step, .columns = count, .rows = 1};
    bool done = sampler_grid(sampler, world_program(world), &grid,
                             &(struct sample_request){&layer, &output, 1}, &error);
    assert_int_equal(error.code, done ? ERROR_NONE : ERROR_LIMIT);
    world_release(world);
    return done;
}

static void places_beyond_the_limit(void **unused)
{
    (void)unused;
    int64_t end = PLACE_LIMIT + (1LL << 25) * PLACE_METRE;
    assert_true(grid_allowed(end, -end, 1, 1));
    assert_false(grid_allowed(end + 1, 0, 1, 1));
    assert_false(grid_allowed(0, end + 1, 1, 1));
    assert_false(grid_allowed(-end - 1, 0, 1, 1));
    assert_false(grid_allowed(0, -end - 1, 1, 1));
    assert_true(grid_allowed(end - 3, 0, 1, 4));
    assert_false(grid_allowed(end - 2, 0, 1, 4));
    assert_false(grid_allowed(0, 0, INT64_MAX, 4));
    assert_false(grid_allowed(INT64_MIN, 0, 1, 1));
}

int test_sampler(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_equal_points),
        cmocka_unit_test(arbitrary_steps_equal_points),
        cmocka_unit_test(wide_and_tall_grids),
        cmocka_unit_test(bands_equal_the_grid),
        cmocka_unit_test(layers_alone_equal_together),
        cmocka_unit_test(samplers_keep_no_state),
        cmocka_unit_test(choices_at_the_edge_of_a_band),
        cmocka_unit_test(coordinates_reach_formulas),
        cmocka_unit_test(faded_noises_in_formulas),
        cmocka_unit_test(displacements_that_have_faded),
        cmocka_unit_test(places_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
