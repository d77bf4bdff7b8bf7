/* The numbers of tiles against the function of the PMTiles specification's reference, written anew
 * here from its text; the tiles of a range against all tiles of the square in that order. */
#include "server/export/archives/tile_range.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* The place on the Hilbert curve, from the highest bit of the coordinates to the lowest: each step
 * turns what is left. */
static uint64_t reference_id(int zoom, int64_t x, int64_t y)
{
    uint64_t id = 0;
    for (int z = 0; z < zoom; z++)
        id += (uint64_t)1 << 2 * z;
    for (int64_t side = ((int64_t)1 << zoom) / 2; side > 0; side /= 2) {
        const int64_t east = (x & side) != 0, south = (y & side) != 0;
        id += (uint64_t)(side * side * ((3 * east) ^ south));
        if (south == 0) {
            const int64_t before = x;
            x = east ? side - 1 - y : y;
            y = east ? side - 1 - before : before;
        }
    }
    return id;
}

static void numbers_are_those_of_the_specification(void **state)
{
    (void)state;
    /* The examples of the specification. */
    assert_int_equal(tile_id((struct tile_address){0, 0, 0}), 0);
    assert_int_equal(tile_id((struct tile_address){1, 0, 0}), 1);
    assert_int_equal(tile_id((struct tile_address){1, 0, 1}), 2);
    assert_int_equal(tile_id((struct tile_address){1, 1, 1}), 3);
    assert_int_equal(tile_id((struct tile_address){1, 1, 0}), 4);
    assert_int_equal(tile_id((struct tile_address){2, 0, 0}), 5);
    assert_int_equal(tile_id((struct tile_address){12, 3423, 1763}), 19078479);
    for (int zoom = 0; zoom <= 6; zoom++)
        for (int64_t y = 0; y < 1 << zoom; y++)
            for (int64_t x = 0; x < 1 << zoom; x++)
                assert_int_equal(tile_id((struct tile_address){zoom, x, y}),
                                 reference_id(zoom, x, y));
}

/* Whether the tile touches the range's rectangle. */
static bool touches(const struct tile_range *range, struct tile_address tile)
{
    const int64_t span = tile_span(tile.zoom), half = (int64_t)1 << 40;
    const int64_t west = tile.x * span - half, north = tile.y * span - half;
    return west < range->east && west + span > range->west && north < range->south &&
           north + span > range->north;
}

static void a_range_has_the_tiles_that_touch_it_in_order(void **state)
{
    (void)state;
    const int64_t metre = 65536;
    const int64_t boxes[][4] = {
        {-3000000 * metre, -7000000 * metre, 9000000 * metre, 100 * metre},
        {-16777216 * metre, -16777216 * metre, 16777216 * metre, 16777216 * metre},
        {5 * metre, 5 * metre, 6 * metre, 6 * metre},
        {16000000 * metre, 0, 16777216 * metre, 2000000 * metre}, /* up to the edge */
    };
    for (unsigned b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        struct tile_range range;
        uint64_t count = 0, last = 0;
        assert_true(tile_range_init(&range, boxes[b], (const int[]){2, 6}, false, NULL));
        for (int zoom = 2; zoom <= 6; zoom++)
            for (int64_t i = 0; i < (int64_t)1 << 2 * zoom; i++)
                count +=
                    touches(&range, (struct tile_address){zoom, i >> zoom, i & ((1 << zoom) - 1)});
        assert_int_equal(tile_range_count(&range), count);
        for (uint64_t i = 0; i < count; i++) {
            const struct tile_address tile = tile_range_at(&range, i);
            assert_true(touches(&range, tile));
            assert_true(tile_id(tile) > last);
            last = tile_id(tile);
        }
    }
}

static void expect_moved(const int64_t box[4])
{
    struct tile_range range;
    struct error error = {0};
    assert_false(tile_range_init(&range, box, (const int[]){8, 10}, false, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_true(tile_range_init(&range, box, (const int[]){8, 10}, true, &error));
    assert_true(tile_range_count(&range) > 0);
    for (uint64_t i = 0; i < tile_range_count(&range); i++) {
        const struct tile_address tile = tile_range_at(&range, i);
        const int64_t side = (int64_t)1 << tile.zoom;
        assert_true(tile.x >= 0 && tile.x < side && tile.y >= 0 && tile.y < side);
        assert_true(touches(&range, tile_range_world(&range, tile)));
    }
}

static void a_rectangle_outside_is_moved_by_whole_tiles(void **state)
{
    (void)state;
    const int64_t metre = 65536;
    const int64_t over_the_edge[4] = {16700000 * metre, 0, 16800000 * metre, 50000 * metre};
    const int64_t east[4] = {999999000 * metre, -5 * metre, 1000001000 * metre, 5 * metre};
    const int64_t north_west[4] = {-1000001000 * metre, -500001000 * metre, -999999000 * metre,
                                   -499999000 * metre};
    struct tile_range range;
    struct error error = {0};
    expect_moved(over_the_edge);
    expect_moved(east);
    expect_moved(north_west);
    /* Wider than the square, it cannot be moved. */
    const int64_t wide[4] = {99000000 * metre, 0, 999000000 * metre, metre};
    assert_false(tile_range_init(&range, wide, (const int[]){8, 10}, true, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
}

int test_tile_range(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_specification),
        cmocka_unit_test(a_range_has_the_tiles_that_touch_it_in_order),
        cmocka_unit_test(a_rectangle_outside_is_moved_by_whole_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
