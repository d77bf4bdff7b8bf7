/* Single flight: one leader, everybody is told, in order. */
#include "server/cache/single_flight.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct cache_key key_of(uint64_t number)
{
    struct cache_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.bytes, &number, sizeof number);
    cache_key_seal(&key);
    return key;
}

static void first_waiter_is_leader(void **state)
{
    (void)state;
    struct single_flight_table *table = single_flight_table_new();
    struct cache_key a = key_of(1), b = key_of(2);
    struct single_flight_waiter waiters[4];
    b.hash = a.hash; /* same bucket */
    assert_int_equal(single_flight_join(table, &a, &waiters[0], NULL), SINGLE_FLIGHT_LEADER);
    assert_int_equal(single_flight_join(table, &b, &waiters[3], NULL), SINGLE_FLIGHT_LEADER);
    assert_int_equal(single_flight_join(table, &a, &waiters[1], NULL), SINGLE_FLIGHT_FOLLOWER);
    assert_int_equal(single_flight_join(table, &a, &waiters[2], NULL), SINGLE_FLIGHT_FOLLOWER);
    struct single_flight_waiter *first = single_flight_end(table, &a, false);
    assert_ptr_equal(first, &waiters[0]);
    assert_ptr_equal(first->next, &waiters[1]);
    assert_ptr_equal(first->next->next, &waiters[2]);
    assert_null(first->next->next->next);
    assert_null(single_flight_end(table, &a, false));
    assert_int_equal(single_flight_join(table, &a, &waiters[0], NULL), SINGLE_FLIGHT_LEADER);
    assert_ptr_equal(single_flight_end(table, &a, false), &waiters[0]);
    assert_ptr_equal(single_flight_end(table, &b, false), &waiters[3]);
    single_flight_table_free(table);
}

static void count(void *owner)
{
    ++*(unsigned *)owner;
}

static void detached_waiter_is_not_counted(void **state)
{
    (void)state;
    struct single_flight_table *table = single_flight_table_new();
    struct cache_key key = key_of(1);
    struct single_flight_waiter waiters[3];
    unsigned abandoned = 0, other = 0;
    assert_int_equal(single_flight_join(table, &key, &waiters[0], &abandoned),
                     SINGLE_FLIGHT_LEADER);
    assert_int_equal(single_flight_join(table, &key, &waiters[1], &other), SINGLE_FLIGHT_FOLLOWER);
    assert_true(waiters[0].is_leader);
    assert_false(waiters[1].is_leader);
    single_flight_detach(table, &waiters[0], count);
    single_flight_detach(table, &waiters[0], count);
    assert_int_equal(abandoned, 0);
    assert_null(single_flight_end(table, &key, true));
    single_flight_detach(table, &waiters[1], count);
    assert_int_equal(abandoned, 1);
    assert_int_equal(single_flight_join(table, &key, &waiters[2], &other), SINGLE_FLIGHT_FOLLOWER);
    assert_null(single_flight_end(table, &key, true));
    single_flight_detach(table, &waiters[2], count);
    assert_int_equal(abandoned, 2);
    assert_ptr_equal(single_flight_end(table, &key, true), &waiters[0]);
    assert_ptr_equal(waiters[0].next, &waiters[1]);
    assert_ptr_equal(waiters[1].next, &waiters[2]);
    assert_null(waiters[2].next);
    /* A late leaver has no part in the next flight of that key. */
    assert_int_equal(single_flight_join(table, &key, &waiters[1], &other), SINGLE_FLIGHT_LEADER);
    single_flight_detach(table, &waiters[0], count);
    assert_int_equal(other, 0);
    assert_ptr_equal(single_flight_end(table, &key, false), &waiters[1]);
    assert_null(single_flight_end(table, &key, true));
    single_flight_table_free(table);
}

static void check_abandoned_after_detach(void **state)
{
    (void)state;
    struct single_flight_table *table = single_flight_table_new();
    struct cache_key key = key_of(1), none = key_of(2);
    struct single_flight_waiter waiters[2];
    unsigned abandoned = 0;
    single_flight_join(table, &key, &waiters[0], &abandoned);
    single_flight_join(table, &key, &waiters[1], NULL);
    single_flight_check_abandoned(table, &key, count);
    single_flight_detach(table, &waiters[0], count);
    single_flight_check_abandoned(table, &key, count);
    assert_int_equal(abandoned, 0);
    single_flight_detach(table, &waiters[1], count);
    assert_int_equal(abandoned, 1);
    single_flight_check_abandoned(table, &key, count);
    assert_int_equal(abandoned, 2);
    single_flight_check_abandoned(table, &none, count);
    single_flight_check_wanted(table, &waiters[1], count);
    assert_int_equal(abandoned, 3);
    assert_non_null(single_flight_end(table, &key, false));
    single_flight_check_abandoned(table, &key, count);
    single_flight_check_wanted(table, &waiters[1], count);
    assert_int_equal(abandoned, 3);
    single_flight_table_free(table);
}

struct owner {
    bool agrees;
    unsigned asked, last, abandoned;
};

static void abandon(void *context)
{
    struct owner *owner = context;
    owner->abandoned++;
}

static bool release(void *context, bool last)
{
    struct owner *owner = context;
    owner->asked++;
    owner->last += last;
    return owner->agrees;
}

static void removed_waiter_is_not_returned(void **state)
{
    (void)state;
    struct single_flight_table *table = single_flight_table_new();
    struct cache_key key = key_of(1);
    struct single_flight_waiter waiters[4];
    struct owner owner = {.agrees = false};
    void *found = NULL;
    for (int i = 0; i < 4; i++)
        single_flight_join(table, &key, &waiters[i], &owner);
    assert_int_equal(single_flight_remove_waiter(table, &waiters[0], release, count, &found),
                     SINGLE_FLIGHT_NOT_REMOVED);
    owner.agrees = true;
    /* The first, one in the middle, and the last in the list. */
    assert_int_equal(single_flight_remove_waiter(table, &waiters[0], release, count, &found),
                     SINGLE_FLIGHT_REMOVED);
    assert_ptr_equal(found, &owner);
    assert_int_equal(single_flight_remove_waiter(table, &waiters[2], release, count, &found),
                     SINGLE_FLIGHT_REMOVED);
    assert_int_equal(single_flight_remove_waiter(table, &waiters[3], release, count, &found),
                     SINGLE_FLIGHT_REMOVED);
    assert_int_equal(single_flight_remove_waiter(table, &waiters[3], release, count, &found),
                     SINGLE_FLIGHT_NOT_REMOVED);
    assert_int_equal(owner.last, 0);
    assert_int_equal(single_flight_join(table, &key, &waiters[3], NULL), SINGLE_FLIGHT_FOLLOWER);
    struct single_flight_waiter *first = single_flight_end(table, &key, false);
    assert_ptr_equal(first, &waiters[1]);
    assert_ptr_equal(first->next, &waiters[3]);
    assert_null(first->next->next);
    /* After the end nobody is asked any more. */
    owner.asked = 0;
    assert_int_equal(single_flight_remove_waiter(table, &waiters[1], release, count, &found),
                     SINGLE_FLIGHT_NOT_REMOVED);
    assert_int_equal(owner.asked, 0);
    single_flight_table_free(table);
}

static void removing_the_last_waiter_ends_the_flight(void **state)
{
    (void)state;
    struct single_flight_table *table = single_flight_table_new();
    struct cache_key key = key_of(1);
    struct single_flight_waiter waiters[2];
    struct owner owner = {.agrees = true};
    unsigned left = 0;
    void *found = NULL;
    single_flight_join(table, &key, &waiters[0], &left);
    single_flight_join(table, &key, &waiters[1], NULL);
    single_flight_detach(table, &waiters[0], count);
    single_flight_detach(table, &waiters[1], count);
    assert_int_equal(left, 1);
    assert_int_equal(single_flight_end(table, &key, false) == &waiters[0], true);
    single_flight_join(table, &key, &waiters[0], &owner);
    single_flight_join(table, &key, &waiters[1], NULL);
    assert_int_equal(single_flight_remove_waiter(table, &waiters[0], release, count, &found),
                     SINGLE_FLIGHT_REMOVED);
    assert_int_equal(single_flight_remove_waiter(table, &waiters[1], release, count, &found),
                     SINGLE_FLIGHT_REMOVED_LAST);
    assert_ptr_equal(found, &owner);
    assert_int_equal(owner.last, 1);
    assert_null(single_flight_end(table, &key, false));
    assert_int_equal(single_flight_join(table, &key, &waiters[1], &owner), SINGLE_FLIGHT_LEADER);
    assert_ptr_equal(single_flight_end(table, &key, false), &waiters[1]);
    single_flight_table_free(table);
}

/* A detached waiter alone does not keep the flight in its turn, however the others have left. */
static void removing_the_last_attached_waiter_abandons_the_flight(void **state)
{
    (void)state;
    struct single_flight_table *table = single_flight_table_new();
    struct cache_key key = key_of(1);
    struct single_flight_waiter waiters[4];
    struct owner owner = {.agrees = true};
    void *found = NULL;
    for (int i = 0; i < 4; i++)
        single_flight_join(table, &key, &waiters[i], &owner);
    single_flight_detach(table, &waiters[0], abandon);
    single_flight_detach(table, &waiters[1], abandon);
    single_flight_remove_waiter(table, &waiters[2], release, abandon, &found);
    assert_int_equal(owner.abandoned, 0);
    single_flight_remove_waiter(table, &waiters[3], release, abandon, &found);
    assert_int_equal(owner.abandoned, 1);
    single_flight_remove_waiter(table, &waiters[0], release, abandon, &found);
    assert_int_equal(owner.abandoned, 1);
    assert_ptr_equal(single_flight_end(table, &key, true), &waiters[1]);
    single_flight_table_free(table);
}

enum { THREADS = 4, ROUNDS = 5000 };

struct joiner {
    struct single_flight_waiter waiter; /* first member */
    unsigned finished_flights;          /* atomic */
};

static struct single_flight_table *shared_table;

/* Leaders land everybody at once; followers wait until somebody has. */
static void *join_many_flights(void *argument)
{
    struct joiner *joiner = argument;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct cache_key key = key_of(round);
        if (single_flight_join(shared_table, &key, &joiner->waiter, NULL) == SINGLE_FLIGHT_LEADER) {
            struct single_flight_waiter *waiter = single_flight_end(shared_table, &key, false),
                                        *next;
            for (; waiter; waiter = next) {
                next = waiter->next;
                __atomic_fetch_add(&((struct joiner *)waiter)->finished_flights, 1,
                                   __ATOMIC_RELEASE);
            }
        }
        while (__atomic_load_n(&joiner->finished_flights, __ATOMIC_ACQUIRE) <= round)
            sched_yield();
    }
    return NULL;
}

static void every_waiter_is_returned(void **state)
{
    (void)state;
    static struct joiner joiners[THREADS];
    pthread_t threads[THREADS];
    shared_table = single_flight_table_new();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, join_many_flights, &joiners[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(joiners[i].finished_flights, ROUNDS);
    single_flight_table_free(shared_table);
}

int test_single_flight(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_waiter_is_leader),
        cmocka_unit_test(detached_waiter_is_not_counted),
        cmocka_unit_test(check_abandoned_after_detach),
        cmocka_unit_test(removed_waiter_is_not_returned),
        cmocka_unit_test(removing_the_last_waiter_ends_the_flight),
        cmocka_unit_test(removing_the_last_attached_waiter_abandons_the_flight),
        cmocka_unit_test(every_waiter_is_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
