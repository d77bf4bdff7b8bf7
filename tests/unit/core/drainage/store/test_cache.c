/* The cache: what it finds and gives up, and that items live as long as somebody uses them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/drainage/store/cache.h"

enum { ITEM_BYTES = 1000 };

/* An item that says what it was made for. */
struct item {
    struct cached cached;
    int64_t number, copies[64];
};

static struct cache_key key_of(int64_t number)
{
    return (struct cache_key){.x = number, .kind = CACHE_LEAF, .metres = 2.0};
}

static struct cached *add_large(struct drainage_cache *cache, int64_t number, size_t bytes)
{
    const struct cache_key key = key_of(number);
    struct item *item = (struct item *)cache_new_item(cache, &key, bytes);
    assert_non_null(item);
    item->number = number;
    for (int i = 0; i < 64; i++)
        item->copies[i] = number;
    cache_publish(&item->cached);
    return &item->cached;
}

static struct cached *add(struct drainage_cache *cache, int64_t number)
{
    return add_large(cache, number, ITEM_BYTES);
}

static bool has(struct drainage_cache *cache, int64_t number)
{
    const struct cache_key key = key_of(number);
    struct cached *item = cache_find(cache, &key);
    cache_release(item);
    return item != NULL;
}

static void items_are_found_by_all_of_their_key(void **state)
{
    (void)state;
    struct drainage_cache *cache = drainage_cache_new(100 * ITEM_BYTES);
    cache_release(add(cache, 5));
    const struct cache_key key = key_of(5);
    struct cached *found = cache_find(cache, &key);
    assert_non_null(found);
    assert_int_equal(((struct item *)found)->number, 5);
    cache_release(found);
    struct cache_key others[] = {key, key, key, key, key, key, key, key};
    others[0].owner.low = 1;
    others[1].owner.high = 1;
    others[2].x = 6;
    others[3].y = 1;
    others[4].kind = CACHE_STREAMS;
    others[5].level = 1;
    others[6].metres = 4.0;
    others[7].pieces = 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(cache_find(cache, &others[i]));
    drainage_cache_release(cache);
}

static void what_nobody_was_told_of_is_not_found(void **state)
{
    (void)state;
    struct drainage_cache *cache = drainage_cache_new(100 * ITEM_BYTES);
    const struct cache_key key = key_of(1);
    struct cached *item = cache_new_item(cache, &key, ITEM_BYTES);
    assert_false(has(cache, 1));
    cache_release(item);
    drainage_cache_release(cache);
}

static void the_last_item_with_a_key_is_found(void **state)
{
    (void)state;
    struct drainage_cache *cache = drainage_cache_new(100 * ITEM_BYTES);
    const size_t empty = drainage_cache_bytes(cache);
    struct cached *first = add(cache, 1), *second = add(cache, 1);
    const struct cache_key key = key_of(1);
    struct cached *found = cache_find(cache, &key);
    assert_ptr_equal(found, second);
    assert_int_equal(drainage_cache_bytes(cache), empty + (size_t)2 * ITEM_BYTES);
    cache_release(found);
    cache_release(first);
    cache_release(second);
    assert_int_equal(drainage_cache_bytes(cache), empty + ITEM_BYTES);
    drainage_cache_release(cache);
}

static void memory_is_kept_to(void **state)
{
    (void)state;
    enum { ROOM = 50 };
    struct drainage_cache *cache = drainage_cache_new(ROOM * ITEM_BYTES);
    const size_t empty = drainage_cache_bytes(cache);
    for (int64_t i = 0; i < 1000; i++) {
        cache_release(add(cache, i));
        assert_in_range(drainage_cache_bytes(cache) - empty, 1, ROOM * ITEM_BYTES);
    }
    drainage_cache_release(cache);
    /* An item larger than all of the memory is not kept at all. */
    cache = drainage_cache_new(ITEM_BYTES - 1);
    cache_release(add(cache, 1));
    assert_false(has(cache, 1));
    drainage_cache_release(cache);
}

/* Nearly all of the slots are empty: looks at random find none of the items, one time in three. */
static void memory_for_one_item_holds_one(void **state)
{
    (void)state;
    enum { LARGE = 60000 };
    struct drainage_cache *cache = drainage_cache_new(LARGE);
    const size_t empty = drainage_cache_bytes(cache);
    for (int64_t i = 0; i < 1000; i++) {
        cache_release(add_large(cache, i, LARGE));
        has(cache, i);
        assert_in_range(drainage_cache_bytes(cache) - empty, 0, LARGE);
    }
    drainage_cache_release(cache);
}

static void an_item_lives_as_long_as_it_is_used(void **state)
{
    (void)state;
    struct drainage_cache *cache = drainage_cache_new(2 * ITEM_BYTES);
    const size_t empty = drainage_cache_bytes(cache);
    struct cached *used = add(cache, -1);
    for (int64_t i = 0; i < 1000 || has(cache, -1); i++)
        cache_release(add(cache, i));
    assert_int_equal(((struct item *)used)->number, -1);
    cache_release(used);
    assert_in_range(drainage_cache_bytes(cache) - empty, 1, 2 * ITEM_BYTES);
    drainage_cache_release(cache);
}

/* More references at once than a slot counts. */
static void references_may_be_many(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    struct drainage_cache *cache = drainage_cache_new(10 * ITEM_BYTES);
    const size_t empty = drainage_cache_bytes(cache);
    const struct cache_key key = key_of(1);
    struct cached *item = add(cache, 1);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(cache_find(cache, &key), item);
    for (int i = 0; i < MANY; i++)
        cache_release(item);
    assert_true(has(cache, 1));
    cache_release(add(cache, 1)); /* the first is given up, but held */
    assert_int_equal(drainage_cache_bytes(cache), empty + (size_t)2 * ITEM_BYTES);
    cache_release(item);
    assert_int_equal(drainage_cache_bytes(cache), empty + ITEM_BYTES);
    drainage_cache_release(cache);
}

/* A fifth more than there is memory for, again and again in the same order: the least recently used
 * item is always the next one, and a cache that gave it up would find nothing. */
static void cyclic_use_still_finds_items(void **state)
{
    (void)state;
    enum { ROOM = 1000, ITEMS = 1200, ROUNDS = 10 };
    struct drainage_cache *cache = drainage_cache_new((size_t)ROOM * ITEM_BYTES);
    int found = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int64_t i = 0; i < ITEMS; i++) {
            if (has(cache, i))
                found += round > 1;
            else
                cache_release(add(cache, i));
        }
    assert_in_range(found, (ROUNDS - 2) * ITEMS / 3, (ROUNDS - 2) * ROOM);
    drainage_cache_release(cache);
}

static void *use(void *context)
{
    static _Atomic uint64_t threads;
    struct drainage_cache *cache = context;
    uint64_t random = threads++;
    for (int i = 0; i < 20000; i++) {
        random = hash_mix(random + 1);
        const int64_t number = (int64_t)(random % 64);
        const struct cache_key key = key_of(number);
        struct cached *found = cache_find(cache, &key);
        found = found ? found : add(cache, number);
        const struct item *item = (const struct item *)found;
        for (int k = 0; k < 64; k++)
            assert_true(item->number == number && item->copies[k] == number);
        cache_release(found);
    }
    return NULL;
}

static void threads_share_it(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct drainage_cache *cache = drainage_cache_new(40 * ITEM_BYTES);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, cache), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    const size_t held = drainage_cache_bytes(cache);
    for (int64_t i = 0; i < 64; i++)
        cache_release(add(cache, i));
    /* As full as before: nothing that threads gave back is counted any more. */
    assert_in_range(drainage_cache_bytes(cache), held - 3 * ITEM_BYTES, held + 3 * ITEM_BYTES);
    drainage_cache_release(cache);
}

struct finders {
    struct drainage_cache *cache;
    _Atomic int done;
};

static void *find_all_the_time(void *context)
{
    enum { MANY = 5000000 };
    struct finders *finders = context;
    for (int i = 0; i < MANY; i++)
        has(finders->cache, 1);
    finders->done++;
    return NULL;
}

/* Threads take references to an item while another one replaces it: the newer one is found. */
static void a_newer_item_replaces_one_in_use(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    struct finders finders = {.cache = drainage_cache_new(10 * ITEM_BYTES)};
    const size_t empty = drainage_cache_bytes(finders.cache);
    const struct cache_key key = key_of(1);
    int missed = 0;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_all_the_time, &finders), 0);
    while (finders.done < THREADS) {
        struct cached *item = add(finders.cache, 1), *last = cache_find(finders.cache, &key);
        missed += last != item;
        cache_release(last);
        cache_release(item);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(missed, 0);
    assert_int_equal(drainage_cache_bytes(finders.cache), empty + ITEM_BYTES);
    drainage_cache_release(finders.cache);
}

int test_cache(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_found_by_all_of_their_key),
        cmocka_unit_test(what_nobody_was_told_of_is_not_found),
        cmocka_unit_test(the_last_item_with_a_key_is_found),
        cmocka_unit_test(memory_is_kept_to),
        cmocka_unit_test(memory_for_one_item_holds_one),
        cmocka_unit_test(an_item_lives_as_long_as_it_is_used),
        cmocka_unit_test(references_may_be_many),
        cmocka_unit_test(cyclic_use_still_finds_items),
        cmocka_unit_test(threads_share_it),
        cmocka_unit_test(a_newer_item_replaces_one_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
