/* Windows of stores that share a cache: what one has made, another does not make again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/core/drainage/store_of.h"

static struct store *open_store(struct drainage_cache *cache)
{
    struct store *store = calloc(1, sizeof *store);
    assert_non_null(store);
    store->cache = drainage_cache_retain(cache);
    return store;
}

/* Loads the streams around a leaf; returns how many levels lacked some of them. */
static int load_leaf(struct store *store, const struct drainage_network *network, int64_t x)
{
    static const struct store_view view = {8, 0.0};
    const struct cell_rect cells = rect_descendants((struct cell_rect){{x, 0}, {x, 0}}, LEAF_LOG2);
    int levels = 0;
    assert_true(store_load(store, network, &cells, view));
    for (unsigned level = 0; level <= view.level; level++)
        levels += !rect_is_empty(&store->levels[level].missing);
    return levels;
}

/* Two stores take turns on the way east. Blocks in the window of the second one are older than what
 * the first has added to them since. */
static void blocks_that_another_store_extended_are_found(void **state)
{
    (void)state;
    const struct drainage_network network = network_of(&rough);
    struct drainage_cache *cache = drainage_cache_new(KEPT);
    struct store *first = open_store(cache), *second = open_store(cache);
    drainage_cache_release(cache);
    for (int64_t x = 0; x < 20; x++) {
        assert_true(load_leaf(first, &network, x) > 0);
        assert_int_equal(load_leaf(second, &network, x), 0);
    }
    close_store(first);
    close_store(second);
}

int test_window(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_another_store_extended_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
