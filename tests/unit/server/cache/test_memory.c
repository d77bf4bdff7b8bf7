/* The memory cache: what is kept, what goes, and that it stays within its bytes. */
#include "server/cache/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int alive; /* atomic: values not destroyed yet */

struct number {
    struct cache_value value;
    uint64_t number;
};

static void number_destroy(struct cache_value *value)
{
    __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
    free(value);
}

static struct number *number_new(uint64_t number, size_t size)
{
    struct number *made = malloc(sizeof *made);
    assert_non_null(made);
    cache_value_init(&made->value, size, number_destroy);
    made->number = number;
    __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
    return made;
}

static struct cache_key key_of(uint64_t number)
{
    struct cache_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.bytes, &number, sizeof number);
    cache_key_seal(&key);
    return key;
}

static void put(struct memory_cache *cache, uint64_t number, size_t size)
{
    struct cache_key key = key_of(number);
    struct number *value = number_new(number, size);
    memory_cache_put(cache, &key, &value->value);
    cache_value_release(&value->value);
}

static bool has(struct memory_cache *cache, uint64_t number)
{
    struct cache_key key = key_of(number);
    struct cache_value *value = memory_cache_get(cache, &key);
    if (!value)
        return false;
    bool same = ((struct number *)value)->number == number;
    cache_value_release(value);
    assert_true(same);
    return true;
}

/* One shard with room for three of them: charges elsewhere take the room of one, and never of more
 * than half the cache. */
static void charges_take_room_from_entries(void **state)
{
    (void)state;
    size_t charges = 0;
    struct memory_cache *cache = memory_cache_new(400000);
    memory_cache_share_capacity(cache, &charges);
    for (uint64_t i = 1; i <= 3; i++)
        put(cache, i, 120000);
    assert_int_equal(memory_cache_statistics(cache).entries, 3);
    charges = 100000;
    put(cache, 4, 120000);
    assert_int_equal(memory_cache_statistics(cache).entries, 2);
    assert_true(has(cache, 3) && has(cache, 4));
    charges = 10000000;
    put(cache, 5, 120000);
    assert_int_equal(memory_cache_statistics(cache).entries, 1);
    assert_true(has(cache, 5));
    memory_cache_resize(cache, 800000);
    charges = 0;
    for (uint64_t i = 6; i <= 10; i++)
        put(cache, i, 120000);
    assert_int_equal(memory_cache_statistics(cache).entries, 6);
    memory_cache_free(cache);
    assert_int_equal(alive, 0);
}

/* One shard, since it is small; room for three. */
static void the_least_recently_used_is_evicted(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new(400000);
    for (uint64_t i = 1; i <= 3; i++)
        put(cache, i, 120000);
    assert_true(has(cache, 1));
    put(cache, 4, 120000);
    assert_true(has(cache, 1));
    assert_false(has(cache, 2));
    assert_true(has(cache, 3));
    assert_true(has(cache, 4));
    assert_int_equal(memory_cache_statistics(cache).evictions, 1);
    assert_int_equal(memory_cache_statistics(cache).entries, 3);
    assert_int_equal(alive, 3);
    memory_cache_free(cache);
    assert_int_equal(alive, 0);
}

static void a_new_value_replaces_the_old(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new(400000);
    put(cache, 1, 1000);
    put(cache, 1, 2000);
    assert_int_equal(memory_cache_statistics(cache).entries, 1);
    assert_true(memory_cache_statistics(cache).bytes >= 2000);
    assert_true(memory_cache_statistics(cache).bytes < 3000);
    assert_int_equal(alive, 1);
    memory_cache_free(cache);
}

static void the_capacity_may_be_changed(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new(1 << 20);
    for (uint64_t i = 0; i < 500; i++)
        put(cache, i, 1000);
    assert_int_equal(memory_cache_statistics(cache).entries, 500);
    memory_cache_resize(cache, 100 << 10);
    assert_true(memory_cache_statistics(cache).bytes <= 100 << 10);
    assert_true(has(cache, 499)); /* the oldest have gone */
    assert_false(has(cache, 0));
    put(cache, 1000, 60000);
    put(cache, 1001, 60000);
    assert_false(has(cache, 1000));
    memory_cache_resize(cache, 0);
    assert_int_equal(memory_cache_statistics(cache).entries, 0);
    assert_int_equal(alive, 0);
    put(cache, 1, 10);
    assert_false(has(cache, 1));
    memory_cache_resize(cache, 1 << 20);
    put(cache, 1, 10);
    assert_true(has(cache, 1));
    memory_cache_free(cache);
}

static void a_value_outlives_its_eviction(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new(200000);
    struct cache_key key = key_of(1);
    put(cache, 1, 150000);
    struct cache_value *value = memory_cache_get(cache, &key);
    assert_non_null(value);
    put(cache, 2, 150000);
    assert_false(has(cache, 1));
    assert_int_equal(((struct number *)value)->number, 1);
    assert_int_equal(alive, 2);
    cache_value_release(value);
    assert_int_equal(alive, 1);
    memory_cache_free(cache);
}

static void too_large_values_are_not_kept(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new(100000), *none = memory_cache_new(0);
    put(cache, 1, 50000);
    put(cache, 2, 100000); /* more than all with its overhead */
    assert_true(has(cache, 1));
    assert_false(has(cache, 2));
    put(none, 1, 1);
    assert_false(has(none, 1));
    memory_cache_free(cache);
    memory_cache_free(none);
    assert_int_equal(alive, 0);
}

/* Keys with one hash must not be taken for each other. */
static void the_whole_key_counts(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new(1 << 20);
    struct cache_key a = key_of(1), b = key_of(2);
    b.hash = a.hash;
    struct number *value = number_new(1, 10);
    memory_cache_put(cache, &a, &value->value);
    assert_null(memory_cache_get(cache, &b));
    cache_value_release(&value->value);
    memory_cache_free(cache);
}

static void many_entries_stay_within_the_bytes(void **state)
{
    (void)state;
    const size_t capacity = (size_t)64 << 20;
    struct memory_cache *cache = memory_cache_new(capacity);
    uint64_t random = 1;
    for (uint64_t i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        put(cache, i, 64 + (random >> 50));
        if (i % 1000 == 0)
            assert_true(memory_cache_statistics(cache).bytes <= capacity);
    }
    struct memory_statistics statistics = memory_cache_statistics(cache);
    assert_true(statistics.bytes <= capacity);
    assert_true(statistics.bytes > capacity - capacity / 20);
    assert_int_equal(statistics.entries + statistics.evictions, 200000);
    assert_int_equal(alive, statistics.entries);
    for (uint64_t i = 0; i < 200000; i++)
        has(cache, i);
    memory_cache_free(cache);
    assert_int_equal(alive, 0);
}

/* In one shard; each time that its table is full, entries go to a larger one little by little. */
static void entries_are_found_while_the_table_grows(void **state)
{
    (void)state;
    enum { ENTRIES = 5000, COST = 100 };
    struct memory_cache *cache = memory_cache_new((8 << 20) - 1);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        put(cache, i, COST);
        for (uint64_t k = i; k > 0; k /= 2)
            assert_true(has(cache, k));
        if (i % 7 == 0)
            put(cache, i / 2, COST); /* in place of the older one */
    }
    for (uint64_t i = 0; i < ENTRIES; i++)
        assert_true(has(cache, i));
    assert_false(has(cache, ENTRIES));
    assert_int_equal(memory_cache_statistics(cache).entries, ENTRIES);
    assert_int_equal(alive, ENTRIES);
    /* An evicted entry may be in either of the two hash tables. */
    for (uint64_t i = ENTRIES; i < ENTRIES + 200; i++)
        put(cache, i, COST);
    memory_cache_resize(cache, 0);
    assert_int_equal(memory_cache_statistics(cache).entries, 0);
    assert_int_equal(memory_cache_statistics(cache).bytes, 0);
    assert_int_equal(alive, 0);
    memory_cache_free(cache);
}

/* Ends while the larger table has half of them. */
static void a_growing_table_is_freed(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new((8 << 20) - 1);
    for (uint64_t i = 0; i < 64 + 3; i++)
        put(cache, i, 100);
    memory_cache_free(cache);
    assert_int_equal(alive, 0);
}

static void *hammer(void *argument)
{
    struct memory_cache *cache = argument;
    for (uint64_t i = 0; i < 30000; i++) {
        uint64_t number = i * 7919 % 500;
        if (!has(cache, number))
            put(cache, number, 30000);
    }
    return NULL;
}

static void threads_share_a_cache(void **state)
{
    (void)state;
    struct memory_cache *cache = memory_cache_new((size_t)10 << 20);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, cache), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(alive, memory_cache_statistics(cache).entries);
    memory_cache_free(cache);
    assert_int_equal(alive, 0);
}

int test_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_used_is_evicted),
        cmocka_unit_test(charges_take_room_from_entries),
        cmocka_unit_test(a_new_value_replaces_the_old),
        cmocka_unit_test(the_capacity_may_be_changed),
        cmocka_unit_test(a_value_outlives_its_eviction),
        cmocka_unit_test(too_large_values_are_not_kept),
        cmocka_unit_test(the_whole_key_counts),
        cmocka_unit_test(many_entries_stay_within_the_bytes),
        cmocka_unit_test(entries_are_found_while_the_table_grows),
        cmocka_unit_test(a_growing_table_is_freed),
        cmocka_unit_test(threads_share_a_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
