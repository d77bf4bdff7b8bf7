/* Prices of requests: how they compare for worlds whose octaves can be counted on fingers. How long
 * things take is measured by `make bench-prices`. */
#include "server/render/price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/place_order.h"
#include "server/render/chunk_format.h"
#include "server/render/format.h"
#include "server/worlds/catalog.h"
#include "server/worlds/catalog_world.h"

/* Height: 8 octaves of 8192 … 64 m. The layer "both" needs them too, and 4 more. */
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

static uint64_t coded_chunks_price(const struct chunk_order *order, enum coding coding,
                                   size_t count)
{
    const struct chunk_price price =
        price_chunk(order, coding, (struct chunk_spread){0.0, count, NULL});
    return price_chunks(&price, count);
}

static uint64_t chunk_price(const struct chunk_order *order)
{
    return coded_chunks_price(order, CODING_IDENTITY, 1);
}

static void a_chunk_costs_by_its_samples_and_octaves(void **state)
{
    (void)state;
    struct world *world = make_world();
    struct chunk_order flat = chunk(world, LAYER_FLAT, 255), high = chunk(world, LAYER_HEIGHT, 255);
    const uint64_t once = chunk_price(&high);
    assert_true(once > chunk_price(&flat));
    assert_in_range(coded_chunks_price(&high, CODING_IDENTITY, 10), 10 * once - 10, 10 * once + 10);
    /* 512 × 512 vertices are four times as many. */
    high.size = 511;
    assert_in_range(chunk_price(&high), 3 * once, 4 * once);
    /* An apron of 128 rings makes as many of 256 × 256. */
    high.size = 255;
    high.apron = 128;
    assert_in_range(chunk_price(&high), 3 * once, 4 * once);
    world_release(world);
}

static void text_and_compression_cost_more(void **state)
{
    (void)state;
    struct world *world = make_world();
    struct chunk_order order = chunk(world, LAYER_HEIGHT, 255);
    const uint64_t binary = chunk_price(&order);
    assert_true(coded_chunks_price(&order, CODING_ZSTD, 1) > binary);
    assert_true(coded_chunks_price(&order, CODING_GZIP, 1) >
                coded_chunks_price(&order, CODING_ZSTD, 1));
    order.format = chunk_format_find("json", CHUNK_FLAT);
    assert_true(chunk_price(&order) > 2 * binary);
    assert_true(coded_chunks_price(&order, CODING_GZIP, 1) > chunk_price(&order));
    world_release(world);
}

/* Of 10^-30 each number is written by the general way, of 10^-9 by the quick one. */
static void numbers_far_from_one_cost_more_as_text(void **state)
{
    (void)state;
    static const char far[] = "{\"generator\": 1, \"layers\": {\"height\": \"1e-30 * perlin(99)\","
                              "\"wide\": \"1e30 * perlin(99)\", \"near\": \"1e-9 * perlin(99)\"}}";
    struct error error;
    struct world *world = world_parse(far, strlen(far), "test", NULL, &error);
    assert_non_null(world);
    struct chunk_order orders[3];
    uint64_t costs[3], binary[3];
    for (unsigned i = 0; i < 3; i++) {
        orders[i] = chunk(world, i, 255);
        binary[i] = chunk_price(&orders[i]);
        orders[i].format = chunk_format_find("json", CHUNK_FLAT);
        costs[i] = chunk_price(&orders[i]);
    }
    assert_true(costs[0] > 2 * costs[2] && costs[1] > 2 * costs[2]);
    assert_in_range(binary[0], binary[2] - 10, binary[2] + 10);
    world_release(world);
}

static void chunks_sampled_as_an_area_cost_less(void **state)
{
    (void)state;
    struct world *world = make_world();
    const struct chunk_order order = chunk(world, LAYER_HEIGHT, 16);
    const struct chunk_area area = {.columns = 8, .rows = 8};
    const struct chunk_price price =
        price_chunk(&order, CODING_IDENTITY, (struct chunk_spread){0.0, 1, NULL});
    assert_true(3 * price_chunk_area(&price, &area, 64) < 2 * price_chunks(&price, 64));
    world_release(world);
}

/* An octave is gone where its wavelength is at most two steps: of 8192, 4096 … 64 at steps of 512 m
 * those of 8192, 4096 and 2048 are left, and none at steps of 4096 m. */
static void faded_octaves_cost_nothing(void **state)
{
    (void)state;
    struct world *world = make_world();
    struct chunk_order order = chunk(world, LAYER_HEIGHT, 255);
    const uint64_t all = chunk_price(&order);
    order.step = (int64_t)512 << 16;
    const uint64_t three = chunk_price(&order);
    order.step = (int64_t)4096 << 16;
    const uint64_t none = chunk_price(&order);
    assert_true(none < three && three < all);
    world_release(world);
}

static void shared_octaves_count_once(void **state)
{
    (void)state;
    struct world *world = make_world();
    const unsigned height = LAYER_HEIGHT, both = LAYER_BOTH, layers[2] = {LAYER_HEIGHT, LAYER_BOTH};
    const struct price_layers first = {world, &height, 1, {.step = 1.0}};
    const struct price_layers second = {world, &both, 1, {.step = 1.0}};
    const struct price_layers together = {world, layers, 2, {.step = 1.0}};
    const uint64_t apart = price_grid(&first, 64, 64, 0.0) + price_grid(&second, 64, 64, 0.0);
    /* What is left of the sum is the layer that needs the other one. */
    assert_in_range(price_grid(&together, 64, 64, 0.0), price_grid(&second, 64, 64, 0.0) - 1,
                    price_grid(&second, 64, 64, 0.0) + 1);
    assert_true(price_grid(&together, 64, 64, 0.0) < apart);
    world_release(world);
}

/* 600 places within a kilometre, 600 all over the world, and 300 of each. */
static void places_near_each_other_cost_less(void **state)
{
    (void)state;
    enum { COUNT = 2 * NOISE_ROW_MAX };
    struct world *world = make_world();
    const unsigned layer = LAYER_HEIGHT;
    const struct price_layers places = {world, &layer, 1, {.step = 0.0}};
    struct place near[COUNT], apart[COUNT], mixed[COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        near[i] = (struct place){i << 16, 5 << 16};
        apart[i] = (struct place){i << 40, -(i << 39)};
        mixed[i] = i < NOISE_ROW_MAX ? near[i] : apart[i];
    }
    const uint64_t least = price_place_list(&places, near, COUNT, 0.0),
                   most = price_place_list(&places, apart, COUNT, 0.0),
                   middle = price_place_list(&places, mixed, COUNT, 0.0);
    assert_true(5 * least < 4 * most);
    assert_true(least < middle && middle < most);
    assert_true(price_points(&places, COUNT, 1, 0.0) > price_grid(&places, COUNT, 1, 0.0) / 2);
    world_release(world);
}

/* Places around three villages that are far apart: each has the nodes of its surroundings, however
 * the places of a call are distributed among villages. */
static void clusters_of_places_share_their_nodes(void **state)
{
    (void)state;
    enum { COUNT = 600, VILLAGE = 200 };
    static const char coarse[] = "{\"generator\": 1, \"layers\": {\"height\": "
                                 "\"coarse(fbm(wavelength=65536, octaves=8, damping=1), 1024)\"}}";
    struct error error;
    struct world *world = world_parse(coarse, strlen(coarse), "test", NULL, &error);
    assert_non_null(world);
    const unsigned layer = 0;
    const struct price_layers places = {world, &layer, 1, {.step = 0.0}};
    struct place villages[COUNT], apart[COUNT], hamlets[COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        villages[i] = (struct place){(i / VILLAGE << 40) + (i << 16), 5 << 16};
        hamlets[i] = (struct place){(i / 8 << 36) + (i << 16), 5 << 16};
        apart[i] = (struct place){i << 38, -(i << 37)};
    }
    const uint64_t least = price_place_list(&places, villages, COUNT, 0.0);
    const uint64_t most = price_place_list(&places, apart, COUNT, 0.0);
    assert_true(20 * least < most);
    assert_true(price_place_list(&places, villages, VILLAGE, 0.0) < least);
    assert_true(price_place_list(&places, hamlets, COUNT, 0.0) > 4 * least);
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
    const uint64_t near = price_tile(&order);
    order.address.zoom = 16;
    order.size = 512; /* pixels of 1 m again */
    assert_in_range(price_tile(&order), 4 * near - near / 5, 4 * near + near / 5);
    order.address.zoom = 0; /* 65536 m a pixel: nothing is left */
    assert_true(price_tile(&order) < 4 * near - near / 5);
    painter_free(painter);
    world_release(world);
}

/* Questions for names cost a millisecond where nothing has one, whatever the size of the map. */
static void worlds_without_names_cost_little(void **state)
{
    static const char nameless[] =
        "{\"generator\": 1, \"layers\": {\"height\": \"900 * perlin(9000)\"}, \"names\": false}";
    struct error error = {0};
    struct world *world = world_parse(nameless, strlen(nameless), "test", NULL, &error);
    struct world *named = make_world();
    const struct label_search search = {.radius = (int64_t)100000 * PLACE_METRE, .last = 9};
    (void)state;
    assert_non_null(world);
    assert_int_equal(price_labels(&(struct price_labels){world, 9, 1e6, 1e6}), 1000000);
    assert_int_equal(price_label_search(world, &search), 1000000);
    assert_int_equal(price_label_place(world), 1000000);
    assert_true(price_labels(&(struct price_labels){named, 9, 1e6, 1e6}) > 2000000);
    assert_true(price_label_search(named, &search) > 2000000);
    assert_true(price_label_place(named) > 2000000);
    world_release(named);
    world_release(world);
}

static void huge_numbers_do_not_wrap(void **state)
{
    (void)state;
    struct world *world = make_world();
    const unsigned layer = LAYER_HEIGHT;
    const struct price_layers one = {world, &layer, 1, {.step = 0.0}};
    assert_true(price_points(&one, 1e19, 1, 0.0) >= (uint64_t)1 << 62);
    assert_true(price_grid(&one, UINT32_MAX, UINT32_MAX, 0.0) >= (uint64_t)1 << 62);
    world_release(world);
}

/* The default of --request-cost: 800 halves of a millisecond. */
#define REQUEST_DEFAULT ((uint64_t)400000000)

enum { POINTS_MOST = 10000, DISTRICT_SIDE = 100, DISTRICT_APART = 160 };

/* As many as a request may have: anywhere, or, as a drainage network makes the streams around each
 * single place anew, within 16 km, in the order in which they are sampled. */
static uint64_t most_points_price(const struct price_layers *layer)
{
    static struct place places[POINTS_MOST];
    static uint32_t ranks[POINTS_MOST];
    if (!world_has_drainage(layer->world))
        return price_points(layer, POINTS_MOST, 1, PRICE_TEXT);
    for (int64_t i = 0; i < POINTS_MOST; i++)
        places[i] = (struct place){(i % DISTRICT_SIDE * DISTRICT_APART) << PLACE_BITS,
                                   (i / DISTRICT_SIDE * DISTRICT_APART) << PLACE_BITS};
    assert_true(place_order_sort(places, ranks, POINTS_MOST));
    assert_in_range(price_points(layer, 100, 1, PRICE_TEXT), 1, REQUEST_DEFAULT);
    return price_place_list(layer, places, POINTS_MOST, PRICE_TEXT);
}

/* Every style in every format and size, the largest chunk of each layer, and the most points. */
static void single_products_cost_at_most_the_default(void **state)
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
                    assert_in_range(price_tile(&tile), 1, REQUEST_DEFAULT);
                }
        for (unsigned i = 0; i < world_layer_count(world->world); i++) {
            struct chunk_order order = chunk(world->world, i, CHUNK_SIZE_MAX);
            order.format = chunk_format_find("json", CHUNK_FLAT);
            order.step = CHUNK_STEP_MIN;
            assert_in_range(coded_chunks_price(&order, CODING_ZSTD, 1), 1, REQUEST_DEFAULT);
            const struct price_layers layer = {world->world, &i, 1, {.step = 0.0}};
            assert_in_range(most_points_price(&layer), 1, REQUEST_DEFAULT);
        }
    }
    catalog_free(catalog);
}

int test_price(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_costs_by_its_samples_and_octaves),
        cmocka_unit_test(text_and_compression_cost_more),
        cmocka_unit_test(numbers_far_from_one_cost_more_as_text),
        cmocka_unit_test(chunks_sampled_as_an_area_cost_less),
        cmocka_unit_test(faded_octaves_cost_nothing),
        cmocka_unit_test(shared_octaves_count_once),
        cmocka_unit_test(places_near_each_other_cost_less),
        cmocka_unit_test(clusters_of_places_share_their_nodes),
        cmocka_unit_test(tiles_cost_by_their_size_and_zoom),
        cmocka_unit_test(single_products_cost_at_most_the_default),
        cmocka_unit_test(worlds_without_names_cost_little),
        cmocka_unit_test(huge_numbers_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
