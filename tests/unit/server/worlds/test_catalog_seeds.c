/* Worlds with other seeds: compiled when they are needed, kept within a budget of bytes, and shared
 * by threads. */
#include "tests/unit/server/worlds/catalog_fixture.h"

#include <malloc.h>
#include <pthread.h>

static void seeds_make_other_worlds_which_are_kept(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *plain = catalog_acquire(catalog, "alpha", NULL, NULL);
    const struct catalog_world *same = catalog_acquire(catalog, "alpha", "a", NULL);
    const struct catalog_world *other = catalog_acquire(catalog, NULL, "b", NULL);
    const struct catalog_world *again = catalog_acquire(catalog, "alpha", "b", NULL);
    assert_string_equal(world_fingerprint(plain->world), world_fingerprint(same->world));
    assert_string_not_equal(world_fingerprint(plain->world), world_fingerprint(other->world));
    assert_string_equal(other->identity.name, "alpha");
    assert_string_equal(other->identity.seed, "b");
    assert_true(other->identity.is_reseeded);
    assert_string_equal(world_seed(other->world), "b");
    assert_ptr_equal(other, again);
    assert_int_equal(other->painter_count, plain->painter_count);
    catalog_release(plain);
    catalog_release(same);
    catalog_release(other);
    catalog_release(again);
    catalog_free(catalog);
}

static void uncompiled_worlds_are_not_ready(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *plain =
        catalog_acquire_ready(catalog, catalog_find(catalog, "beta", NULL), NULL);
    assert_string_equal(plain->identity.name, "beta");
    assert_null(catalog_acquire_ready(catalog, catalog_find(catalog, "beta", NULL), "new"));
    const struct catalog_world *made = catalog_acquire(catalog, "beta", "new", NULL);
    const struct catalog_world *ready =
        catalog_acquire_ready(catalog, catalog_find(catalog, "beta", NULL), "new");
    assert_ptr_equal(made, ready);
    catalog_release(plain);
    catalog_release(made);
    catalog_release(ready);
    catalog_free(catalog);
}

static void a_world_outlives_its_place_in_the_cache(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *first = catalog_acquire(catalog, "alpha", "first", NULL);
    for (int i = 0; i < CATALOG_RESEEDED_MAX; i++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", i);
        catalog_release(catalog_acquire(catalog, "alpha", seed, NULL));
    }
    const struct catalog_world *again = catalog_acquire(catalog, "alpha", "first", NULL);
    assert_ptr_not_equal(first, again);
    assert_string_equal(world_fingerprint(first->world), world_fingerprint(again->world));
    catalog_release(first);
    catalog_release(again);
    catalog_free(catalog);
}

static void the_least_recently_used_seed_goes(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *kept = catalog_acquire(catalog, "alpha", "kept", NULL);
    for (int i = 0; i < 2 * CATALOG_RESEEDED_MAX; i++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", i);
        catalog_release(catalog_acquire(catalog, "alpha", seed, NULL));
        const struct catalog_world *used = catalog_acquire(catalog, "alpha", "kept", NULL);
        assert_ptr_equal(used, kept);
        catalog_release(used);
    }
    catalog_release(kept);
    catalog_free(catalog);
}

/* Eight that are used twice, and then a thousand that are used once. */
static void new_seeds_do_not_push_out_those_in_use(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    char seed[16];
    for (int i = 0; i < 16; i++) {
        snprintf(seed, sizeof seed, "used%d", i % 8);
        catalog_release(catalog_acquire(catalog, "alpha", seed, NULL));
    }
    for (int i = 0; i < 1000; i++) {
        snprintf(seed, sizeof seed, "new%d", i);
        catalog_release(catalog_acquire(catalog, "alpha", seed, NULL));
    }
    for (int i = 0; i < 8; i++) {
        snprintf(seed, sizeof seed, "used%d", i);
        const struct catalog_world *ready =
            catalog_acquire_ready(catalog, catalog_find(catalog, "alpha", NULL), seed);
        assert_non_null(ready);
        catalog_release(ready);
    }
    catalog_free(catalog);
}

static void only_so_many_seeds_are_in_memory(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *held[CATALOG_RESEEDED_LIVE];
    struct error error;
    char seed[16];
    for (int i = 0; i < CATALOG_RESEEDED_LIVE; i++) {
        snprintf(seed, sizeof seed, "held%d", i);
        held[i] = catalog_acquire(catalog, "alpha", seed, &error);
        assert_non_null(held[i]);
    }
    assert_null(catalog_acquire(catalog, "alpha", "one more", &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_non_null(strstr(error.message, "128"));
    for (int i = 0; i < CATALOG_RESEEDED_LIVE; i++)
        catalog_release(held[i]);
    const struct catalog_world *more = catalog_acquire(catalog, "alpha", "one more", &error);
    assert_non_null(more);
    catalog_release(more);
    catalog_free(catalog);
}

/* By the system's allocator. */
static size_t allocated_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Within a tenth, as the allocator rounds and has a word in front of each block. */
static void counted_bytes_are_those_of_the_allocator(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *held[32];
    struct memory_budget budget = {.limit = SIZE_MAX};
    catalog_set_budget(catalog, &budget);
    catalog_release(catalog_acquire(catalog, "terra", "first", NULL));
    const size_t allocated = allocated_bytes(), counted = budget.used;
    for (int i = 0; i < 32; i++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", i);
        held[i] = catalog_acquire(catalog, "terra", seed, NULL);
    }
    const double actual = (double)(allocated_bytes() - allocated);
    const double ratio = (double)(budget.used - counted) / actual;
    if (actual > 0) /* a sanitizer's allocator does not count */
        assert_true(ratio > 0.9 && ratio < 1.1);
    for (int i = 0; i < 32; i++)
        catalog_release(held[i]);
    catalog_free(catalog);
    assert_int_equal(budget.used, 0);
}

/* Returns the bytes of a world, by one that is alone in the budget. */
static size_t bytes_of_a_world(struct catalog *catalog, struct memory_budget *budget)
{
    catalog_set_budget(catalog, budget);
    catalog_release(catalog_acquire(catalog, "alpha", "00", NULL));
    return budget->used;
}

static void cached_seeds_make_room_in_the_budget(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    struct memory_budget budget = {.limit = SIZE_MAX};
    const size_t each = bytes_of_a_world(catalog, &budget);
    memory_budget_set_limit(&budget, 5 * each);
    catalog_release(catalog_acquire(catalog, "alpha", "00", NULL)); /* used again */
    for (int i = 1; i < 40; i++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%02d", i);
        const struct catalog_world *world = catalog_acquire(catalog, "alpha", seed, NULL);
        assert_non_null(world);
        assert_true(budget.used <= 5 * each);
        catalog_release(world);
    }
    assert_int_equal(budget.used, 5 * each);
    const struct catalog_world *again =
        catalog_acquire_ready(catalog, catalog_find(catalog, "alpha", NULL), "00");
    assert_non_null(again);
    assert_null(catalog_acquire_ready(catalog, catalog_find(catalog, "alpha", NULL), "35"));
    catalog_release(again);
    catalog_free(catalog);
    assert_int_equal(budget.used, 0);
}

static void seeds_in_use_fill_the_budget(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    struct memory_budget budget = {.limit = SIZE_MAX};
    struct error error;
    memory_budget_set_limit(&budget, 2 * bytes_of_a_world(catalog, &budget));
    const struct catalog_world *first = catalog_acquire(catalog, "alpha", "01", &error);
    const struct catalog_world *second = catalog_acquire(catalog, "alpha", "02", &error);
    assert_null(catalog_acquire(catalog, "alpha", "03", &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    catalog_release(second);
    const struct catalog_world *third = catalog_acquire(catalog, "alpha", "03", &error);
    assert_non_null(third);
    catalog_release(first);
    catalog_release(third);
    catalog_free(catalog);
}

static void a_world_larger_than_the_budget_is_alone_in_it(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    struct memory_budget budget = {.limit = SIZE_MAX};
    struct error error;
    const size_t half = bytes_of_a_world(catalog, &budget) / 2;
    memory_budget_set_limit(&budget, half);
    const struct catalog_world *first = catalog_acquire(catalog, "alpha", "01", &error);
    assert_non_null(first);
    assert_int_equal(budget.used, half);
    assert_null(catalog_acquire(catalog, "alpha", "02", &error));
    catalog_release(first);
    catalog_free(catalog);
}

/* As a reload leaves it: worlds go with the requests that use them. */
static void a_catalog_that_stops_caching_keeps_no_memory(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    struct memory_budget budget = {.limit = SIZE_MAX};
    const size_t each = bytes_of_a_world(catalog, &budget);
    const struct catalog_world *used = catalog_acquire(catalog, "alpha", "01", NULL);
    catalog_stop_caching(catalog);
    assert_int_equal(budget.used, each);
    const struct catalog_world *late = catalog_acquire(catalog, "alpha", "02", NULL);
    assert_non_null(late);
    catalog_release(used);
    catalog_release(late);
    assert_int_equal(budget.used, 0);
    catalog_free(catalog);
}

static void *ask_for_seeds(void *argument)
{
    struct catalog *catalog = argument;
    size_t wrong = 0;
    for (int i = 0; i < 300; i++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", i * 7 % 90);
        const struct catalog_world *world = catalog_acquire(catalog, "beta", seed, NULL);
        wrong += !world || strcmp(world_seed(world->world), seed) != 0;
        catalog_release(world);
    }
    return (void *)wrong;
}

static void threads_share_the_seeds(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_seeds, catalog), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    catalog_free(catalog);
}

int test_catalog_seeds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_make_other_worlds_which_are_kept),
        cmocka_unit_test(uncompiled_worlds_are_not_ready),
        cmocka_unit_test(a_world_outlives_its_place_in_the_cache),
        cmocka_unit_test(the_least_recently_used_seed_goes),
        cmocka_unit_test(new_seeds_do_not_push_out_those_in_use),
        cmocka_unit_test(only_so_many_seeds_are_in_memory),
        cmocka_unit_test(counted_bytes_are_those_of_the_allocator),
        cmocka_unit_test(cached_seeds_make_room_in_the_budget),
        cmocka_unit_test(seeds_in_use_fill_the_budget),
        cmocka_unit_test(a_world_larger_than_the_budget_is_alone_in_it),
        cmocka_unit_test(a_catalog_that_stops_caching_keeps_no_memory),
        cmocka_unit_test(threads_share_the_seeds),
    };
    return cmocka_run_group_tests(tests, make_worlds, NULL);
}
