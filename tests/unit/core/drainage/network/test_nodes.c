/* Cells and nodes: how many levels and pieces there are, that nodes stay in the middle of their
 * cells, and rectangles of cells. Expected values are arithmetic by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/drainage/network/nodes.h"
#include "core/drainage/network/rect.h"

static const struct drainage_network network = {.key = 0x5EED, .spacing_log2 = 17};

/* Level 0 is 2¹⁷ = 131072 m wide, the finest level 64 m; a cell has 16 samples or more. */
static void level_has_sixteen_samples_a_cell(void **unused)
{
    (void)unused;
    assert_int_equal(drainage_level(17, 0.0), 11);
    assert_int_equal(drainage_level(17, 4.0), 11);
    assert_int_equal(drainage_level(17, 4.001), 10);
    assert_int_equal(drainage_level(17, 8.0), 10);
    assert_int_equal(drainage_level(17, 2048.0), 2);
    assert_int_equal(drainage_level(17, 4096.0), 2); /* but 8 in one of levels 1 and 2 */
    assert_int_equal(drainage_level(17, 8192.0), 1);
    assert_int_equal(drainage_level(17, 8193.0), 0);
    assert_int_equal(drainage_level(17, 1e6), 0);
    assert_int_equal(drainage_cell_log2(17, 11), 6);
}

static void wide_cells_have_more_segments(void **unused)
{
    (void)unused;
    const unsigned expected[] = {1, 1, 2, 4, 8, 8, 8, 8, 16, 32};
    for (unsigned i = 0; i < 10; i++) {
        const unsigned level = 17 - (8 + i);
        assert_int_equal(drainage_segments(8 + i), expected[i]);
        assert_int_equal(segments_of_level(&network, level), expected[i]);
        assert_int_equal(drainage_segments_in_view(17, 0.0, level), expected[i]);
    }
}

/* Streams of the finest level of a view have 2 pieces at most; those of the level above 4, if cells
 * of the finest have less than 16 samples, which only levels 0 to 2 allow; and where cells are 32
 * km wide or wider, all others 8 at most. */
static void streams_with_few_samples_have_few_segments(void **unused)
{
    (void)unused;
    const struct {
        double metres;
        bool coarse;
        unsigned segments[6]; /* by level, to the finest */
    } views[] = {
        {16384.0, true, {2}},
        {8192.0, true, {4, 2}},
        {4096.0, true, {8, 4, 2}},
        {2048.0, false, {8, 8, 2}},
        {1024.0, false, {32, 16, 8, 2}},
        {512.0, false, {32, 16, 8, 8, 2}},
        {256.0, false, {32, 16, 8, 8, 8, 2}},
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const double metres = views[i].metres;
        assert_int_equal(drainage_view_is_coarse(17, metres), views[i].coarse);
        for (unsigned level = 0; level <= drainage_level(17, metres); level++)
            assert_int_equal(drainage_segments_in_view(17, metres, level),
                             views[i].segments[level]);
    }
}

/* The share of a cell's width by which a node is away from its middle on an axis. */
static double share_off(int64_t place, int64_t cell, unsigned shift)
{
    const double width = (double)((int64_t)1 << shift);
    const double off = ((double)(place - cell * ((int64_t)1 << shift)) - width / 2.0) / width;
    return off < 0.0 ? -off : off;
}

/* At most 77/256 widths on level 0, else 107/256; and some come near to that. */
static void nodes_keep_to_the_middle_of_their_cells(void **unused)
{
    (void)unused;
    for (unsigned level = 0; level < 12; level++) {
        const double limit = level == 0 ? 77.0 / 256.0 : 107.0 / 256.0;
        double most = 0.0;
        for (int64_t y = -20; y < 20; y++)
            for (int64_t x = -20; x < 20; x++) {
                const struct place node = node_place(&network, level, x, y);
                const unsigned shift = cell_shift(&network, level);
                const double u = share_off(node.x, x, shift), v = share_off(node.y, y, shift);
                assert_true(u <= limit && v <= limit);
                most = u > most ? u : most;
            }
        assert_true(most > 0.98 * limit);
    }
}

static void check_rect(struct cell_rect rect, int64_t west, int64_t north, int64_t east,
                       int64_t south)
{
    assert_int_equal(rect.low[0], west);
    assert_int_equal(rect.low[1], north);
    assert_int_equal(rect.high[0], east);
    assert_int_equal(rect.high[1], south);
}

static void rects_grow_and_change_their_level(void **unused)
{
    (void)unused;
    const struct cell_rect rect = {{-3, 4}, {5, 4}}, empty = {{0, 0}, {-1, -1}};
    assert_int_equal(rect_count(&rect), 9);
    check_rect(rect_grow(rect, 2), -5, 2, 7, 6);
    check_rect(rect_ancestors(rect, 2), -1, 1, 1, 1);
    check_rect(rect_descendants(rect, 1), -6, 8, 11, 9);
    check_rect(rect_union(rect, (struct cell_rect){{0, -1}, {9, 0}}), -3, -1, 9, 4);
    check_rect(rect_union(rect, empty), -3, 4, 5, 4);
    const struct cell_rect grown = rect_grow(empty, 3), parents = rect_ancestors(empty, 1);
    assert_true(rect_is_empty(&grown) && rect_is_empty(&parents));
}

int test_nodes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_has_sixteen_samples_a_cell),
        cmocka_unit_test(wide_cells_have_more_segments),
        cmocka_unit_test(streams_with_few_samples_have_few_segments),
        cmocka_unit_test(nodes_keep_to_the_middle_of_their_cells),
        cmocka_unit_test(rects_grow_and_change_their_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
