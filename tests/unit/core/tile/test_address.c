/* Tile addresses by hand: at zoom z a tile spans 2^(25−z) m and tile (z, 0, 0) begins at −2²⁴ m. */
#include "core/tile/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

static void ranges(void **unused)
{
    (void)unused;
    /* Whole tiles within ±2⁴⁰ m: −(2⁴⁰ − 2²⁴)/span … (2⁴⁰ + 2²⁴)/span − 1, towards the middle. */
    static const struct {
        int zoom;
        int64_t low, high;
    } cases[] = {
        {0, -32767, 32767},
        {1, -65535, 65536},
        {2, -131070, 131073},
        {10, -33553920, 33554943},
        {17, -4294901760, 4295032831},
        {20, -34359214080, 34360262655},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t low, high;
        tile_index_range(cases[i].zoom, &low, &high);
        assert_true(low == cases[i].low && high == cases[i].high);
    }
}

static void spans_and_spacings(void **unused)
{
    (void)unused;
    assert_true(tile_span(0) == (1LL << 25) * PLACE_METRE);
    assert_true(tile_span(17) == 256 * PLACE_METRE);
    assert_true(tile_span(20) == 32 * PLACE_METRE);
    assert_true(tile_spacing(0) == 131072.0);
    assert_true(tile_spacing(17) == 1.0);
    assert_true(tile_spacing(20) == 0.125);
}

static void checks_name_the_range(void **unused)
{
    (void)unused;
    static const struct {
        struct tile_address tile;
        const char *message; /* null: allowed */
    } cases[] = {
        {{0, 0, 0}, NULL},
        {{0, -32767, 32767}, NULL},
        {{20, 34360262655, -34359214080}, NULL},
        {{0, -32768, 0}, "tile x -32768 is out of range; at zoom 0 it goes from -32767 to 32767"},
        {{0, 0, 32768}, "tile y 32768 is out of range; at zoom 0 it goes from -32767 to 32767"},
        {{17, 4295032832, 0}, "tile x 4295032832 is out of range"},
        {{17, 0, -4294901761}, "tile y -4294901761 is out of range"},
        {{5, INT64_MIN, 0}, "tile x -9223372036854775808 is out of range"},
        {{5, 0, INT64_MAX}, "tile y 9223372036854775807 is out of range"},
        {{-1, 0, 0}, "zoom -1 is out of range; zooms go from 0 to 20"},
        {{21, 0, 0}, "zoom 21 is out of range; zooms go from 0 to 20"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        assert_int_equal(tile_check(&cases[i].tile, &error), cases[i].message == NULL);
        if (!cases[i].message)
            continue;
        assert_int_equal(error.code, ERROR_LIMIT);
        if (!strstr(error.message, cases[i].message))
            fail_msg("%s", error.message);
    }
}

static void tiles_are_half_open(void **unused)
{
    (void)unused;
    const int64_t edge = (1LL << 24) * PLACE_METRE;
    static const int64_t west_of_zero = -1;
    const struct {
        int zoom;
        struct place place;
        int64_t x, y;
    } cases[] = {
        {0, {0, 0}, 0, 0},
        {0, {-edge, -edge}, 0, 0},
        {0, {-edge - 1, edge - 1}, -1, 0},
        {0, {edge, -edge - 1}, 1, -1},
        {1, {0, 0}, 1, 1},
        {1, {west_of_zero, 0}, 0, 1},
        {17, {0, 0}, 65536, 65536},
        {17, {-1, 255 * PLACE_METRE}, 65535, 65536},
        {17, {256 * PLACE_METRE, 256 * PLACE_METRE - 1}, 65537, 65536},
        {20, {32 * PLACE_METRE - 1, -32 * PLACE_METRE}, 524288, 524287},
        {20, {PLACE_LIMIT - 1, -PLACE_LIMIT}, 34360262655, -34359214080},
        {0, {-PLACE_LIMIT, PLACE_LIMIT}, -32768, 32768}, /* half a tile beyond the last whole one */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tile_address tile = tile_at(cases[i].zoom, cases[i].place);
        assert_int_equal(tile.zoom, cases[i].zoom);
        assert_true(tile.x == cases[i].x && tile.y == cases[i].y);
    }
}

static void samples_are_at_pixel_centres(void **unused)
{
    (void)unused;
    struct sample_grid grid;
    tile_grid(&(struct tile_address){17, 65536, 65535}, 256, 0, &grid);
    assert_true(grid.x == PLACE_METRE / 2);
    assert_true(grid.y == -256 * PLACE_METRE + PLACE_METRE / 2);
    assert_true(grid.step == PLACE_METRE);
    assert_true(grid.columns == 256 && grid.rows == 256 && grid.spacing == 1.0);
    assert_true(grid.z == 0 && grid.t == 0);

    tile_grid(&(struct tile_address){17, 65536, 65535}, 256, 1, &grid);
    assert_true(grid.x == -PLACE_METRE / 2 && grid.columns == 258 && grid.rows == 258);

    tile_grid(&(struct tile_address){0, 0, -1}, 256, 0, &grid);
    assert_true(grid.step == 131072 * PLACE_METRE);
    assert_true(grid.x == (-(1LL << 24) + 65536) * PLACE_METRE);
    assert_true(grid.y == (-3 * (1LL << 24) + 65536) * PLACE_METRE);

    tile_grid(&(struct tile_address){20, 524288, 524288}, 512, 2, &grid);
    assert_true(grid.step == PLACE_METRE / 16 && grid.spacing == 0.0625);
    assert_true(grid.x == PLACE_METRE / 32 - PLACE_METRE / 8);
    assert_true(grid.columns == 516);
}

static void every_sample_is_in_its_tile(void **unused)
{
    (void)unused;
    uint64_t state = 8;
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++)
        for (int i = 0; i < 50; i++) {
            int64_t low, high;
            struct sample_grid grid;
            tile_index_range(zoom, &low, &high);
            struct tile_address tile = {zoom, random_whole(&state, low, high),
                                        i == 0   ? low
                                        : i == 1 ? high
                                                 : random_whole(&state, low, high)};
            tile_grid(&tile, i % 2 ? 256 : 512, 0, &grid);
            int64_t last = grid.step * (int64_t)(grid.columns - 1);
            struct tile_address first = tile_at(zoom, (struct place){grid.x, grid.y});
            struct tile_address end = tile_at(zoom, (struct place){grid.x + last, grid.y + last});
            assert_true(first.x == tile.x && first.y == tile.y);
            assert_true(end.x == tile.x && end.y == tile.y);
            assert_true(grid.x >= -PLACE_LIMIT && grid.x + last <= PLACE_LIMIT);
        }
}

/* 64 steps of half a metre across a tile of 32 m whose corner is the origin, and a ring. */
static void vertices_are_at_corners(void **unused)
{
    (void)unused;
    struct sample_grid grid;
    tile_vertex_grid(&(struct tile_address){20, 524288, 524288}, 64, 0, &grid);
    assert_true(grid.x == 0 && grid.y == 0 && grid.step == PLACE_METRE / 2);
    assert_true(grid.columns == 65 && grid.rows == 65 && grid.spacing == 0.5);
    tile_vertex_grid(&(struct tile_address){20, 524288, 524288}, 64, 1, &grid);
    assert_true(grid.x == -PLACE_METRE / 2 && grid.y == -PLACE_METRE / 2);
    assert_true(grid.columns == 67 && grid.rows == 67);
}

static void globes_end_at_the_square(void **unused)
{
    (void)unused;
    static const struct tile_address inside[] = {{0, 0, 0}, {3, 7, 0}, {20, 0, 1048575}};
    static const struct tile_address outside[] = {
        {0, 0, 1}, {3, -1, 0}, {3, 8, 0}, {20, 0, 1048576}, {21, 0, 0}};
    struct error error = {0};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        assert_true(tile_check_globe(&inside[i], NULL));
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_false(tile_check_globe(&outside[i], &error));
        assert_int_equal(error.code, ERROR_LIMIT);
    }
}

int test_address(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),
        cmocka_unit_test(spans_and_spacings),
        cmocka_unit_test(checks_name_the_range),
        cmocka_unit_test(tiles_are_half_open),
        cmocka_unit_test(samples_are_at_pixel_centres),
        cmocka_unit_test(every_sample_is_in_its_tile),
        cmocka_unit_test(vertices_are_at_corners),
        cmocka_unit_test(globes_end_at_the_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
