/* Worlds, styles and samples: every allocation fails once, and from there on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/encode/gzip.h"
#include "core/encode/mvt.h"
#include "core/terrain/landmark.h"
#include "core/tile/vector_tile.h"
#include "core/worldfile/world_condition.h"
#include "tests/faults/allocation_faults.h"
#include "tests/faults/fault_cases.h"

static bool case_json(struct error *error)
{
    struct json_document *document =
        json_parse((const char *)fixture.terra.data, fixture.terra.length, NULL, error);
    json_free(document);
    return document != NULL;
}

static bool case_world(struct error *error)
{
    struct world *made = world_parse((const char *)fixture.terra.data, fixture.terra.length,
                                     "terra.json", NULL, error);
    world_release(made);
    return made != NULL;
}

static bool case_reseed(struct error *error)
{
    struct world *made = world_reseed(fixture.world, "another", 7, error);
    world_release(made);
    return made != NULL;
}

static bool case_style(struct error *error)
{
    struct painter *painter = NULL;
    struct style *made = style_parse("relief", (const char *)fixture.relief.data,
                                     fixture.relief.length, "relief.json", error);
    if (made)
        painter = painter_new(made, fixture.world, error);
    style_free(made);
    painter_free(painter);
    return painter != NULL;
}

static bool case_paint(struct error *error)
{
    struct image image;
    struct painter *painter = painter_new(fixture.style, fixture.world, error);
    struct canvas *canvas = painter ? canvas_new() : NULL;
    bool done =
        canvas ? painter_paint(painter, canvas, &fixture.grid, &image, error) : error_memory(error);
    faults_clear();
    if (canvas && !done)
        assert_true(painter_paint(painter, canvas, &fixture.grid, &image, NULL));
    canvas_free(canvas);
    painter_free(painter);
    return done;
}

/* The expected samples come from a sampler that nothing happened to. */
static bool case_grid(struct error *error)
{
    static float expected[SIDE * SIDE];
    float samples[SIDE * SIDE], *outputs[] = {samples};
    unsigned layer = world_height_layer(fixture.world);
    const struct sample_request request = {&layer, outputs, 1};
    struct sampler *sampler = sampler_new();
    bool done = sampler ? sampler_grid(sampler, world_program(fixture.world), &fixture.grid,
                                       &request, error)
                        : error_memory(error);
    faults_clear();
    if (sampler && !done)
        assert_true(
            sampler_grid(sampler, world_program(fixture.world), &fixture.grid, &request, NULL));
    if (sampler && expected[1] == 0.0f)
        memcpy(expected, samples, sizeof samples);
    if (sampler)
        assert_memory_equal(samples, expected, sizeof samples);
    sampler_free(sampler);
    return done;
}

static bool case_points(struct error *error)
{
    static const struct place places[] = {{0, 0}, {PLACE_LIMIT, -PLACE_LIMIT}, {PLACE_METRE, 7}};
    static float expected[3];
    float samples[3], *outputs[] = {samples};
    unsigned layer = world_height_layer(fixture.world);
    const struct sample_request request = {&layer, outputs, 1};
    const struct sample_points points = {.places = places, .count = 3};
    struct sampler *sampler = sampler_new();
    bool done =
        sampler ? sampler_points(sampler, world_program(fixture.world), &points, &request, error)
                : error_memory(error);
    faults_clear();
    if (sampler && !done)
        assert_true(sampler_points(sampler, world_program(fixture.world), &points, &request, NULL));
    if (sampler && expected[0] == 0.0f)
        memcpy(expected, samples, sizeof samples);
    if (sampler)
        assert_memory_equal(samples, expected, sizeof samples);
    sampler_free(sampler);
    return done;
}

/* Samples two layers of a world in a grid and at its places, with a sampler that keeps what was
 * sampled at nodes. */
static bool sample_text(const char *text, double spacing, float expected[SIDE * SIDE],
                        struct error *error)
{
    float samples[2][SIDE * SIDE], *outputs[] = {samples[0], samples[1]};
    struct place places[SIDE * SIDE];
    const unsigned layers[] = {0, 1};
    const struct sample_request request = {layers, outputs, 2};
    const struct sample_grid grid = {
        .step = PLACE_METRE, .columns = SIDE, .rows = SIDE, .spacing = spacing};
    const struct sample_points points = {
        .places = places, .count = SIDE * SIDE, .spacing = spacing};
    for (int64_t i = 0; i < SIDE * SIDE; i++)
        places[i] = (struct place){i % SIDE * PLACE_METRE, i / SIDE * PLACE_METRE};
    struct world *world = world_parse(text, strlen(text), "nodes.json", NULL, error);
    if (!world)
        return false;
    struct sampler *sampler = sampler_new();
    bool done = sampler
                    ? sampler_grid(sampler, world_program(world), &grid, &request, error) &&
                          sampler_points(sampler, world_program(world), &points, &request, error)
                    : error_memory(error);
    faults_clear();
    if (sampler && !done)
        assert_true(sampler_points(sampler, world_program(world), &points, &request, NULL));
    if (sampler && expected[1] == 0.0f)
        memcpy(expected, samples[1], sizeof samples[1]);
    if (sampler)
        assert_memory_equal(samples[1], expected, sizeof samples[1]);
    sampler_free(sampler);
    world_release(world);
    return done;
}

/* Nodes of coarse(), along the grid, moved, turned, nested and for places. */
static bool case_nodes(struct error *error)
{
    static float expected[SIDE * SIDE];
    return sample_text(
        "{\"generator\":1,\"layers\":{\"a\":\"coarse(perlin(700) + coarse(value(9000), 512), 16)\","
        "\"height\":\"a + warp(coarse(perlin(80), 8), 90 * a, 0) + rotate(a, 30)\"}}",
        0.0, expected, error);
}

/* A drainage network with a delta, in two scopes and within coarse(); of its first levels. */
static bool case_drainage(struct error *error)
{
    static float expected[SIDE * SIDE];
    return sample_text(
        "{\"generator\":1,\"drainage\":{\"potential\":\"x / 999\",\"target\":\"coarse((x + y) / "
        "99, 8)\","
        "\"relief\":\"perlin(99)\",\"warp_x\":\"perlin(500)\",\"lakes\":\"1\",\"spacing\":16384,"
        "\"deltas\":1},\"layers\":{"
        "\"a\":\"drainage('height') + drainage('bed')\","
        "\"height\":\"a + rotate(drainage('valley'), 30) + coarse(a, 8192)\"}}",
        500.0, expected, error);
}

/* Landmarks: a peak among few samples, and lakes where the network is too far away to be seen. */
static bool case_landmarks(struct error *error)
{
    static const char text[] =
        "{\"generator\":1,\"drainage\":{\"potential\":\"x / 999\",\"target\":\"y / 9\","
        "\"relief\":\"99\",\"spacing\":16384},\"layers\":{\"height\":\"perlin(7)\"}}";
    const struct locate_search near = {.radius = 8 * PLACE_METRE, .limit = 1};
    const struct locate_search far = {.radius = ((int64_t)1 << 20) * PLACE_METRE, .limit = 1};
    const struct landmark_search peak = {&near, LANDMARK_PEAK}, lake = {&far, LANDMARK_LAKE};
    struct landmarks found;
    struct world *world = world_parse(text, sizeof text - 1, "lake.json", NULL, error);
    struct sampler *sampler = world ? sampler_new() : NULL;
    const bool done = sampler ? landmark_find(sampler, world, &peak, &found, error) &&
                                    landmark_find(sampler, world, &lake, &found, error)
                              : world && error_memory(error);
    faults_clear();
    if (sampler)
        assert_true(landmark_find(sampler, world, &peak, &found, NULL) && found.located.count == 1);
    sampler_free(sampler);
    world_release(world);
    return done;
}

/* A condition of layers, biomes and the slope, and a search for several places. */
static bool case_locate(struct error *error)
{
    struct locate_search search = {
        .radius = 40 * PLACE_METRE, .limit = 3, .octaves_max = UINT64_MAX, .checks_max = 100};
    struct located found = {.count = 0};
    struct condition *condition = world_condition_new(
        fixture.world, "biome >= 0, max(height, 3) > -spline(height, 0, 1, 9, 2), slope < 90",
        error);
    struct sampler *sampler = condition ? sampler_new() : NULL;
    search.condition = condition;
    const bool done = sampler ? locate_nearest(sampler, fixture.world, &search, &found, error)
                              : condition && error_memory(error);
    faults_clear();
    if (done)
        assert_int_equal(found.count, 3);
    sampler_free(sampler);
    condition_free(condition);
    return done;
}

/* After a first call of a size, sampling takes no memory: not for grids, nor places, nor what lies
 * higher and later. */
static void sampling_allocates_nothing(void **state)
{
    (void)state;
    static float samples[2][SIDE * SIDE];
    float *outputs[] = {samples[0], samples[1]};
    const unsigned layers[] = {0, 1};
    const struct sample_request request = {layers, outputs, 2};
    static struct place places[SIDE * SIDE];
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    assert_true(sampler_grid(sampler, world_program(fixture.world), &fixture.grid, &request, NULL));
    faults_inject(FAULT_ONWARDS, 1);
    bool done = true;
    for (int i = 0; i < 50; i++) {
        struct sample_grid other = fixture.grid;
        other.x = i * 777 * PLACE_METRE;
        other.z = i * PLACE_METRE;
        other.t = -i * PLACE_METRE;
        other.columns = (uint32_t)(SIDE - i % 8);
        const struct sample_points points = {places, SIDE * SIDE, 0.0, other.z, other.t};
        done = done &&
               sampler_grid(sampler, world_program(fixture.world), &other, &request, NULL) &&
               sampler_points(sampler, world_program(fixture.world), &points, &request, NULL);
    }
    faults_clear();
    assert_true(done);
    assert_false(faults_triggered());
    sampler_free(sampler);
}

/* A vector tile from its samples to its last byte. */
static bool case_vector(struct error *error)
{
    struct vector_tile_maker *tiler = vector_tile_maker_new();
    struct sampler *sampler = tiler ? sampler_new() : NULL;
    struct gzip_encoder *gzipper = sampler ? gzip_encoder_new() : NULL;
    struct vector_request request = {fixture.world, sampler, fixture.grid, 50};
    struct features features = {0};
    struct buffer tile = {0}, packed = {0};
    request.grid.columns = request.grid.rows = 32;
    features_begin(&features, FEATURES_EXTENT);
    bool done = gzipper ? vector_tile_add(tiler, &request, &features, error) &&
                              mvt_encode(&features, &tile, error) &&
                              gzip_compress(gzipper, GZIP_LEVEL_SERVE, &tile, &packed, error)
                        : error_memory(error);
    faults_clear();
    if (gzipper && !done) { /* everything can be used again */
        features_begin(&features, FEATURES_EXTENT);
        buffer_clear(&tile);
        buffer_clear(&packed);
        assert_true(vector_tile_add(tiler, &request, &features, NULL));
        assert_true(mvt_encode(&features, &tile, NULL));
        assert_true(gzip_compress(gzipper, GZIP_LEVEL_SERVE, &tile, &packed, NULL));
    }
    assert_true(!gzipper || packed.length > 100);
    vector_tile_maker_free(tiler);
    sampler_free(sampler);
    gzip_encoder_free(gzipper);
    features_free(&features);
    buffer_free(&tile);
    buffer_free(&packed);
    return done;
}

FAULT_CASE(json)
FAULT_CASE(world)
FAULT_CASE(reseed)
FAULT_CASE(style)
FAULT_CASE(paint)
FAULT_CASE(grid)
FAULT_CASE(points)
FAULT_CASE(nodes)
FAULT_CASE(drainage)
FAULT_CASE(landmarks)
FAULT_CASE(locate)
FAULT_CASE(vector)

int test_sampling(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampling_allocates_nothing), cmocka_unit_test(json_fails_cleanly),
        cmocka_unit_test(world_fails_cleanly),        cmocka_unit_test(reseed_fails_cleanly),
        cmocka_unit_test(style_fails_cleanly),        cmocka_unit_test(paint_fails_cleanly),
        cmocka_unit_test(grid_fails_cleanly),         cmocka_unit_test(points_fails_cleanly),
        cmocka_unit_test(vector_fails_cleanly),       cmocka_unit_test(nodes_fails_cleanly),
        cmocka_unit_test(drainage_fails_cleanly),     cmocka_unit_test(landmarks_fails_cleanly),
        cmocka_unit_test(locate_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
