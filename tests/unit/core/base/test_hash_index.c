/* The index of items by hash: every item is found among those of its hash, whatever the index grows
 * to and however badly the hashes collide. */
#include "core/base/hash_index.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ITEMS = 3000 };

static unsigned times_found(const struct hash_index *index, uint64_t hash, int32_t item)
{
    unsigned times = 0;
    uint32_t probe = 0;
    for (int32_t i; (i = hash_index_next(index, hash, &probe)) >= 0;)
        times += i == item;
    return times;
}

static void items_are_found_by_their_hash(void **state)
{
    (void)state;
    static const uint64_t factors[] = {0, 1, 64, 4096, 0x9E3779B97F4A7C15u};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        const uint64_t factor = factors[k];
        const uint32_t items = factor ? ITEMS : 100;
        struct hash_index index = {0};
        for (uint32_t i = 0; i < items; i++)
            assert_true(hash_index_add(&index, i * factor, i));
        for (uint32_t i = 0; i < items; i++)
            assert_int_equal(times_found(&index, i * factor, (int32_t)i), 1);
        assert_int_equal(times_found(&index, 12345678, 5), 0);
        hash_index_free(&index);
    }
}

static void an_empty_index_has_no_items(void **state)
{
    (void)state;
    struct hash_index index = {0};
    uint32_t probe = 0;
    assert_int_equal(hash_index_next(&index, 0, &probe), -1);
    hash_index_free(&index);
}

int test_hash_index(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_found_by_their_hash),
        cmocka_unit_test(an_empty_index_has_no_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
