/* Kept nodes: a block is found by all that decides over its nodes, and never in place of another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/sampling/node_store.h"

static const struct node_field field = {{1, 2}, 3, 4};

static int open_store(void **store)
{
    return (*store = node_store_new()) ? 0 : -1;
}

static int close_store(void **store)
{
    node_store_free(*store);
    return 0;
}

static void blocks_are_found_by_all_parts_of_their_key(void **store)
{
    const struct node_field others[] = {
        {{9, 2}, 3, 4}, {{1, 9}, 3, 4}, {{1, 2}, 9, 4}, {{1, 2}, 3, 9}};
    struct node_block *block = node_store_take(*store, &field, -5, 6);
    assert_int_equal(block->known, 0);
    block->known = 1;
    block->values[0] = 7.0f;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(node_store_find(*store, &others[i], -5, 6));
    assert_null(node_store_find(*store, &field, 5, 6));
    assert_null(node_store_find(*store, &field, -5, -6));
    assert_ptr_equal(node_store_find(*store, &field, -5, 6), block);
    assert_ptr_equal(node_store_take(*store, &field, -5, 6), block);
    assert_int_equal(block->known, 1);
}

/* Many more blocks than there is room for: each is as it was left, or gone; the last ones are
 * there. */
static void full_sets_give_up_their_oldest_block(void **store)
{
    enum { MANY = 4 * NODE_STORE_BLOCKS, LAST = NODE_STORE_BLOCKS / 8 };
    uint32_t kept = 0, last = 0;
    for (int64_t i = 0; i < MANY; i++) {
        struct node_block *block = node_store_take(*store, &field, i, -i * i);
        assert_int_equal(block->known, 0);
        block->known = (uint32_t)i + 1;
    }
    for (int64_t i = 0; i < MANY; i++) {
        const struct node_block *block = node_store_find(*store, &field, i, -i * i);
        if (!block)
            continue;
        assert_int_equal(block->known, i + 1);
        kept++;
        last += i >= MANY - LAST;
    }
    assert_in_range(kept, NODE_STORE_BLOCKS - NODE_STORE_BLOCKS / 20, NODE_STORE_BLOCKS);
    assert_in_range(last, LAST - LAST / 20, LAST);
}

/* A block that is used again and again stays, whatever else its set sees. */
static void used_blocks_stay(void **store)
{
    node_store_take(*store, &field, 0, 0)->known = 1;
    for (int64_t i = 1; i < 8 * NODE_STORE_BLOCKS; i++) {
        node_store_take(*store, &field, i, i);
        if (i % 1024 == 0)
            assert_non_null(node_store_find(*store, &field, 0, 0));
    }
}

int test_node_store(void);
int test_node_store(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_are_found_by_all_parts_of_their_key, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(full_sets_give_up_their_oldest_block, open_store,
                                        close_store),
        cmocka_unit_test_setup_teardown(used_blocks_stay, open_store, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
