/* The table of equal tiles: what was put in is found, in its order, however the table has grown. */
#include "server/export/spool/equal_table.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* The tiles of a checksum must be first, first + step … up to before end. */
static void check_tiles(const struct equal_table *table, uint32_t checksum, uint64_t first,
                        uint64_t step, uint64_t end)
{
    size_t cursor = 0;
    uint64_t tile;
    for (uint64_t wanted = first; wanted < end; wanted += step) {
        assert_true(equal_table_next(table, checksum, &cursor, &tile));
        assert_int_equal(tile, wanted);
    }
    assert_false(equal_table_next(table, checksum, &cursor, &tile));
}

static void finds_tiles_of_a_checksum(void **state)
{
    (void)state;
    struct equal_table table = {0};
    check_tiles(&table, 7, 0, 1, 0);
    assert_true(equal_table_add(&table, 7, 3));
    assert_true(equal_table_add(&table, 7, 9));
    assert_true(equal_table_add(&table, 8, 4));
    check_tiles(&table, 7, 3, 6, 10);
    check_tiles(&table, 8, 4, 1, 5);
    check_tiles(&table, 9, 0, 1, 0);
    equal_table_clear(&table);
    check_tiles(&table, 7, 0, 1, 0);
    assert_true(equal_table_add(&table, 7, 5));
    check_tiles(&table, 7, 5, 1, 6);
    equal_table_free(&table);
}

/* Checksums at the end of the table go on at its beginning: 2^32 − 1 is in the last slot of tables
 * of any size, and so many tiles of two checksums make it grow several times. */
static void keeps_the_order_when_it_grows(void **state)
{
    (void)state;
    enum { TILES = 40000 };
    struct equal_table table = {0};
    for (uint64_t i = 0; i < TILES; i++)
        assert_true(
            equal_table_add(&table, i % 100 ? (uint32_t)(i * 2654435761u) | 1 : UINT32_MAX, i));
    assert_int_equal(table.used, TILES);
    check_tiles(&table, UINT32_MAX, 0, 100, TILES);
    check_tiles(&table, (uint32_t)(12345 * 2654435761u) | 1, 12345, 1, 12346);
    equal_table_free(&table);
}

static void leaves_out_numbers_that_it_cannot_hold(void **state)
{
    (void)state;
    struct equal_table table = {0};
    assert_true(equal_table_add(&table, 1, UINT32_MAX));
    assert_true(equal_table_add(&table, 1, UINT32_MAX - 1));
    check_tiles(&table, 1, UINT32_MAX - 1, 1, UINT32_MAX);
    equal_table_free(&table);
}

/* A million tiles of one slot would be 5·10^11 steps if all were kept. */
static void tiles_of_one_slot_cost_no_more_time(void **state)
{
    (void)state;
    enum { TILES = 1000000, KEPT_AT_MOST = 1 << 12 };
    struct equal_table table = {0};
    for (uint64_t i = 0; i < TILES; i++)
        assert_true(equal_table_add(&table, 7, i));
    assert_true(table.used > 100 && table.used <= KEPT_AT_MOST);
    check_tiles(&table, 7, 0, 1, table.used);
    assert_true(equal_table_add(&table, 1 << 20 | 4000, TILES));
    check_tiles(&table, 1 << 20 | 4000, TILES, 1, TILES + 1);
    equal_table_free(&table);
}

int test_equal_table(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_tiles_of_a_checksum),
        cmocka_unit_test(keeps_the_order_when_it_grows),
        cmocka_unit_test(leaves_out_numbers_that_it_cannot_hold),
        cmocka_unit_test(tiles_of_one_slot_cost_no_more_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
