/* Costs of requests: worlds whose octaves can be counted on fingers, and the arithmetic by hand. */
#include "server/render/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Height: 8 octaves of 8192 … 64 m. The layer "both" needs them too, and 4 more, which one
 * operation that is no noise adds. */
static const char text[] = "{\"generator\": 1, \"seed\": 1, \"layers\": {"
                           "\"height\": \"fbm(wavelength=8192, octaves=8)\","
                           "\"both\": \"height + fbm(wavelength=100, octaves=4)\","
                           "\"flat\": \"1\"}}";

static struct world *make_world(void)
{
    struct error error = {0};
    struct world *world = world_parse(text, strlen(text), "test", NULL, &error);
    if (!world)
        fail_msg("%s", error.message);
    return world;
}

enum { LAYER_HEIGHT, LAYER_BOTH, LAYER_FLAT };

/* The cost without octaves: operations that are no noise, four to an octave. They are few
 * here, so costs are compared with their difference. */
static struct chunk_order chunk(const struct world *world, unsigned layer, uint32_t size)
{
    return (struct chunk_order){
        .world = world,
        .format = chunk_format_find("r32f", CHUNK_FLAT),
        .shape = CHUNK_FLAT,
        .size = size,
        .step = (int64_t)1 << 16,
        .layers = {layer},
        .layer_count = 1,
    };
}

static void a_chunk_costs_samples_times_octaves(void **state)
{
    (void)state;
    struct world *world = make_world();
    struct chunk_order flat = chunk(world, LAYER_FLAT, 63), high = chunk(world, LAYER_HEIGHT, 63);
    /* 64 × 64 vertices; a constant is one operation, worth an octave begun. */
    assert_int_equal(cost_chunks(&flat, 1), 64 * 64 * (COST_SAMPLE + 1));
    const uint64_t once = cost_chunks(&high, 1);
    assert_in_range(once, 64 * 64 * (COST_SAMPLE + 8), 64 * 64 * (COST_SAMPLE + 10));
    assert_int_equal(cost_chunks(&high, 10), 10 * once);
    /* An apron of 8 rings: 80 × 80. */
    high.apron = 8;
    assert_int_equal(cost_chunks(&high, 1) * 64 * 64, once * 80 * 80);
    world_release(world);
}

static void faded_octaves_cost_nothing(void **state)
{
    (void)state;
    struct world *world = make_world();
    struct chunk_order fine = chunk(world, LAYER_HEIGHT, 63), coarse = fine;
    /* An octave is gone where its wavelength is at most two steps: of 8192, 4096 … 64 at steps of
     * 512 m those of 8192, 4096 and 2048 are left. */
    coarse.step = (int64_t)512 << 16;
    assert_int_equal(cost_chunks(&fine, 1) - cost_chunks(&coarse, 1), 64 * 64 * 5);
    world_release(world);
}

static void shared_octaves_count_once(void **state)
{
    (void)state;
    struct world *world = make_world();
    const unsigned both[2] = {LAYER_HEIGHT, LAYER_BOTH};
    const struct cost_layers one = {world, both, 1, 0}, two = {world, both, 2, 0};
    /* 4 octaves more, at most one for the sum, and another value to carry. */
    const uint64_t more = cost_grid(&two, 1000) - cost_grid(&one, 1000);
    assert_in_range(more, 1000 * (4 + COST_SAMPLE), 1000 * (6 + COST_SAMPLE));
    assert_int_equal(cost_points(&one, 0), 0);
    assert_true(cost_points(&one, 1000) > cost_grid(&one, 1000));
    world_release(world);
}

static void tiles_cost_by_their_size_and_zoom(void **state)
{
    (void)state;
    struct world *world = make_world();
    struct error error;
    struct painter *painter = painter_of_layer(world, LAYER_HEIGHT, &error);
    struct tile_order order = {
        .world = world,
        .painter = painter,
        .format = format_find("png", 3),
        .address = {.zoom = 17},
        .size = 256,
    };
    const uint64_t near = cost_tile(&order);
    assert_in_range(near, 65536 * (COST_SAMPLE + 8), 65536 * (COST_SAMPLE + 10));
    order.address.zoom = 16;
    order.size = 512; /* pixels of 1 m again */
    assert_int_equal(cost_tile(&order), 4 * near);
    order.address.zoom = 0; /* 65536 m a pixel: nothing is left */
    order.size = 512;
    assert_in_range(cost_tile(&order), 4 * 65536 * COST_SAMPLE, 4 * 65536 * (COST_SAMPLE + 2));
    painter_free(painter);
    world_release(world);
}

static void huge_numbers_do_not_wrap(void **state)
{
    (void)state;
    struct world *world = make_world();
    const unsigned layer = LAYER_HEIGHT;
    const struct cost_layers one = {world, &layer, 1, 0};
    assert_true(cost_grid(&one, UINT64_MAX) >= (uint64_t)1 << 62);
    world_release(world);
}

/* The defaults of --request-cost and --chunk-samples. */
#define REQUEST_DEFAULT (4000 * COST_MILLION)
enum { CHUNK_SAMPLES_DEFAULT = 1 << 22 };

/* Every style in every format and size, and the largest request for each layer. */
static void valid_requests_cost_at_most_the_default(void **state)
{
    (void)state;
    const struct catalog_options options = {0};
    struct error error;
    struct catalog *catalog = catalog_load(&options, &error);
    assert_non_null(catalog);
    for (size_t w = 0; w < catalog_world_count(catalog); w++) {
        const struct catalog_world *world = catalog_world_at(catalog, w);
        struct tile_order tile = {.world = world->world, .size = 512};
        for (size_t p = 0; p < world->painter_count; p++)
            for (size_t f = 0; (tile.format = format_at(f)); f++)
                for (tile.address.zoom = 0; tile.address.zoom <= TILE_ZOOM_MAX;
                     tile.address.zoom++) {
                    tile.painter = world->painters[p];
                    assert_in_range(cost_tile(&tile), 1, REQUEST_DEFAULT);
                }
        for (unsigned i = 0; i < world_layer_count(world->world); i++) {
            struct chunk_order order = chunk(world->world, i, 255);
            order.format = chunk_format_find("json", CHUNK_FLAT);
            order.step = CHUNK_STEP_MIN;
            /* 256 × 256 vertices each. */
            assert_in_range(cost_chunks(&order, CHUNK_SAMPLES_DEFAULT / 65536), 1, REQUEST_DEFAULT);
        }
        assert_in_range(cost_places(world->world, 10000, 0), 1, REQUEST_DEFAULT);
    }
    catalog_free(catalog);
}

int test_cost(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_costs_samples_times_octaves),
        cmocka_unit_test(faded_octaves_cost_nothing),
        cmocka_unit_test(shared_octaves_count_once),
        cmocka_unit_test(tiles_cost_by_their_size_and_zoom),
        cmocka_unit_test(valid_requests_cost_at_most_the_default),
        cmocka_unit_test(huge_numbers_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
