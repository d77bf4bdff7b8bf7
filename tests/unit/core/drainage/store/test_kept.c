/* What two tables with one memory give up: what was used least recently, whichever has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/drainage/store/kept.h"

enum { ITEM_BYTES = 1000 };

static struct kept_key key_of(int64_t x)
{
    return (struct kept_key){.x = x, .metres = -1.0};
}

static void add(struct kept_table *table, int64_t x)
{
    const struct kept_key key = key_of(x);
    assert_non_null(kept_add(table, &key, ITEM_BYTES));
}

static bool has(struct kept_table *table, int64_t x)
{
    const struct kept_key key = key_of(x);
    return kept_find(table, &key) != NULL;
}

static void least_recently_used_goes_first(void **state)
{
    (void)state;
    struct kept_table first, second;
    assert_true(kept_init(&first) && kept_init(&second));
    kept_begin_both(&first, &second, SIZE_MAX);
    add(&first, 1);
    add(&second, 2);
    add(&first, 3);
    kept_begin_both(&first, &second, SIZE_MAX);
    add(&second, 4);
    assert_true(has(&first, 1)); /* used again */
    /* Of 3 and 2, used in one request, that of the first table goes. */
    kept_begin_both(&first, &second, 3 * ITEM_BYTES);
    assert_int_equal(first.bytes, ITEM_BYTES);
    assert_int_equal(second.bytes, 2 * ITEM_BYTES);
    kept_begin_both(&first, &second, 2 * ITEM_BYTES);
    assert_int_equal(second.bytes, ITEM_BYTES);
    assert_true(has(&first, 1) && has(&second, 4));
    assert_false(has(&first, 3) || has(&second, 2));
    kept_begin_both(&first, &second, 0);
    assert_int_equal(first.count + second.count, 0);
    kept_free(&first);
    kept_free(&second);
}

int test_kept(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_recently_used_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
