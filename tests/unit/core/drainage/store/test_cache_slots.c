/* The words in the cache's slots, in states that threads bring about only by rare accidents: so the
 * test has the source of the cache, not its interface alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/drainage/store/cache.c"

enum { ITEM_SIZE = 1000 };

static const struct cache_key KEY = {.x = 5, .kind = CACHE_LEAF};

static struct cached *add(struct drainage_cache *cache)
{
    struct cached *item = cache_new_item(cache, &KEY, ITEM_SIZE);
    assert_non_null(item);
    cache_publish(item);
    return item;
}

/* 65,535 threads have each taken a reference, and none has settled the count yet: the next one
 * finds nothing, makes the item itself, and others find that. */
static void a_full_count_does_not_reach_the_address(void **state)
{
    (void)state;
    enum { TAKEN = 65535 };
    struct drainage_cache *cache = drainage_cache_new((size_t)10 * ITEM_SIZE);
    const size_t empty = drainage_cache_bytes(cache);
    struct cached *first = add(cache), *found;
    const size_t slot = find_slot(cache, &KEY, hash_of(&KEY), &found);
    assert_ptr_equal(found, first); /* one is taken */
    cache->slots[slot] += TAKEN - 1;
    assert_null(cache_find(cache, &KEY));
    assert_ptr_equal(item_in(cache, slot), first);
    struct cached *second = add(cache);
    found = cache_find(cache, &KEY);
    assert_ptr_equal(found, second);
    cache_release(found);
    cache_release(second);
    assert_true(replace_item(cache, slot, first, NULL));
    assert_int_equal(drainage_cache_bytes(cache), empty + (size_t)2 * ITEM_SIZE);
    add_references(first, -TAKEN - 1); /* and that of who made it */
    assert_int_equal(drainage_cache_bytes(cache), empty + ITEM_SIZE);
    drainage_cache_release(cache);
}

/* An address that a word would cut: of 57 bits, with a tag in the highest byte, or odd. */
static void addresses_are_kept_whole_or_not_at_all(void **state)
{
    (void)state;
    static const uint64_t fit[] = {0x5581A0C3F2A0, 0x7FFFFFFFFFF8, 0x7FFFFFFFFFFF8};
    static const uint64_t unfit[] = {0x8000000000000, 0x1FFFFFFFFFFFFF0, 0xB400007A12345670,
                                     0x7FFC};
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        assert_true(fits_slot((const struct cached *)(uintptr_t)(fit[i] & UINTPTR_MAX)));
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if ((uintptr_t)unfit[i] == unfit[i]) /* not on machines of 32 bits */
            assert_false(fits_slot((const struct cached *)(uintptr_t)unfit[i]));
}

int test_cache_slots(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_count_does_not_reach_the_address),
        cmocka_unit_test(addresses_are_kept_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
