/* Single flight: one leader, everybody is told, in order. */
#include "server/cache/flight.h"

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

static void the_first_leads_and_all_are_returned(void **state)
{
    (void)state;
    struct flights *flights = flights_new();
    struct cache_key a = key_of(1), b = key_of(2);
    struct flight_waiter waiters[4];
    b.hash = a.hash; /* same bucket */
    assert_int_equal(flight_join(flights, &a, &waiters[0], NULL), FLIGHT_LEADS);
    assert_int_equal(flight_join(flights, &b, &waiters[3], NULL), FLIGHT_LEADS);
    assert_int_equal(flight_join(flights, &a, &waiters[1], NULL), FLIGHT_FOLLOWS);
    assert_int_equal(flight_join(flights, &a, &waiters[2], NULL), FLIGHT_FOLLOWS);
    struct flight_waiter *first = flight_finish(flights, &a);
    assert_ptr_equal(first, &waiters[0]);
    assert_ptr_equal(first->next, &waiters[1]);
    assert_ptr_equal(first->next->next, &waiters[2]);
    assert_null(first->next->next->next);
    assert_null(flight_finish(flights, &a));
    assert_int_equal(flight_join(flights, &a, &waiters[0], NULL), FLIGHT_LEADS);
    assert_ptr_equal(flight_finish(flights, &a), &waiters[0]);
    assert_ptr_equal(flight_finish(flights, &b), &waiters[3]);
    flights_free(flights);
}

static void count(void *owner)
{
    ++*(unsigned *)owner;
}

static void who_leaves_is_not_counted(void **state)
{
    (void)state;
    struct flights *flights = flights_new();
    struct cache_key key = key_of(1);
    struct flight_waiter waiters[3];
    unsigned abandoned = 0, other = 0;
    assert_int_equal(flight_join(flights, &key, &waiters[0], &abandoned), FLIGHT_LEADS);
    assert_int_equal(flight_join(flights, &key, &waiters[1], &other), FLIGHT_FOLLOWS);
    assert_true(waiters[0].leads);
    assert_false(waiters[1].leads);
    flight_leave(flights, &waiters[0], count);
    flight_leave(flights, &waiters[0], count);
    assert_int_equal(abandoned, 0);
    assert_null(flight_abandon(flights, &key));
    flight_leave(flights, &waiters[1], count);
    assert_int_equal(abandoned, 1);
    assert_int_equal(flight_join(flights, &key, &waiters[2], &other), FLIGHT_FOLLOWS);
    assert_null(flight_abandon(flights, &key));
    flight_leave(flights, &waiters[2], count);
    assert_int_equal(abandoned, 2);
    assert_ptr_equal(flight_abandon(flights, &key), &waiters[0]);
    assert_ptr_equal(waiters[0].next, &waiters[1]);
    assert_ptr_equal(waiters[1].next, &waiters[2]);
    assert_null(waiters[2].next);
    /* A late leaver has no part in the next flight of that key. */
    assert_int_equal(flight_join(flights, &key, &waiters[1], &other), FLIGHT_LEADS);
    flight_leave(flights, &waiters[0], count);
    assert_int_equal(other, 0);
    assert_ptr_equal(flight_finish(flights, &key), &waiters[1]);
    assert_null(flight_abandon(flights, &key));
    flights_free(flights);
}

static void an_owner_may_ask_late_whether_all_have_left(void **state)
{
    (void)state;
    struct flights *flights = flights_new();
    struct cache_key key = key_of(1), none = key_of(2);
    struct flight_waiter waiters[2];
    unsigned abandoned = 0;
    flight_join(flights, &key, &waiters[0], &abandoned);
    flight_join(flights, &key, &waiters[1], NULL);
    flight_check(flights, &key, count);
    flight_leave(flights, &waiters[0], count);
    flight_check(flights, &key, count);
    assert_int_equal(abandoned, 0);
    flight_leave(flights, &waiters[1], count);
    assert_int_equal(abandoned, 1);
    flight_check(flights, &key, count);
    assert_int_equal(abandoned, 2);
    flight_check(flights, &none, count);
    assert_non_null(flight_finish(flights, &key));
    flight_check(flights, &key, count);
    assert_int_equal(abandoned, 2);
    flights_free(flights);
}

struct owner {
    bool agrees;
    unsigned asked, last;
};

static bool release(void *context, bool last)
{
    struct owner *owner = context;
    owner->asked++;
    owner->last += last;
    return owner->agrees;
}

static void who_withdraws_is_out(void **state)
{
    (void)state;
    struct flights *flights = flights_new();
    struct cache_key key = key_of(1);
    struct flight_waiter waiters[4];
    struct owner owner = {.agrees = false};
    void *found = NULL;
    for (int i = 0; i < 4; i++)
        flight_join(flights, &key, &waiters[i], &owner);
    assert_int_equal(flight_withdraw(flights, &waiters[0], release, &found), FLIGHT_STAYS);
    owner.agrees = true;
    /* The first, one in the middle, and the last in the list. */
    assert_int_equal(flight_withdraw(flights, &waiters[0], release, &found), FLIGHT_LEFT);
    assert_ptr_equal(found, &owner);
    assert_int_equal(flight_withdraw(flights, &waiters[2], release, &found), FLIGHT_LEFT);
    assert_int_equal(flight_withdraw(flights, &waiters[3], release, &found), FLIGHT_LEFT);
    assert_int_equal(flight_withdraw(flights, &waiters[3], release, &found), FLIGHT_STAYS);
    assert_int_equal(owner.last, 0);
    assert_int_equal(flight_join(flights, &key, &waiters[3], NULL), FLIGHT_FOLLOWS);
    struct flight_waiter *first = flight_finish(flights, &key);
    assert_ptr_equal(first, &waiters[1]);
    assert_ptr_equal(first->next, &waiters[3]);
    assert_null(first->next->next);
    /* After the end nobody is asked any more. */
    owner.asked = 0;
    assert_int_equal(flight_withdraw(flights, &waiters[1], release, &found), FLIGHT_STAYS);
    assert_int_equal(owner.asked, 0);
    flights_free(flights);
}

static void the_last_who_withdraws_ends_it(void **state)
{
    (void)state;
    struct flights *flights = flights_new();
    struct cache_key key = key_of(1);
    struct flight_waiter waiters[2];
    struct owner owner = {.agrees = true};
    unsigned left = 0;
    void *found = NULL;
    flight_join(flights, &key, &waiters[0], &left);
    flight_join(flights, &key, &waiters[1], NULL);
    flight_leave(flights, &waiters[0], count);
    flight_leave(flights, &waiters[1], count);
    assert_int_equal(left, 1);
    assert_int_equal(flight_finish(flights, &key) == &waiters[0], true);
    flight_join(flights, &key, &waiters[0], &owner);
    flight_join(flights, &key, &waiters[1], NULL);
    assert_int_equal(flight_withdraw(flights, &waiters[0], release, &found), FLIGHT_LEFT);
    assert_int_equal(flight_withdraw(flights, &waiters[1], release, &found), FLIGHT_ENDED);
    assert_ptr_equal(found, &owner);
    assert_int_equal(owner.last, 1);
    assert_null(flight_finish(flights, &key));
    assert_int_equal(flight_join(flights, &key, &waiters[1], &owner), FLIGHT_LEADS);
    assert_ptr_equal(flight_finish(flights, &key), &waiters[1]);
    flights_free(flights);
}

enum { THREADS = 4, ROUNDS = 5000 };

struct passenger {
    struct flight_waiter waiter; /* first member */
    unsigned landed;             /* atomic */
};

static struct flights *shared;

/* Leaders land everybody at once; followers wait until somebody has. */
static void *fly(void *argument)
{
    struct passenger *passenger = argument;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct cache_key key = key_of(round);
        if (flight_join(shared, &key, &passenger->waiter, NULL) == FLIGHT_LEADS) {
            struct flight_waiter *waiter = flight_finish(shared, &key), *next;
            for (; waiter; waiter = next) {
                next = waiter->next;
                __atomic_fetch_add(&((struct passenger *)waiter)->landed, 1, __ATOMIC_RELEASE);
            }
        }
        while (__atomic_load_n(&passenger->landed, __ATOMIC_ACQUIRE) <= round)
            sched_yield();
    }
    return NULL;
}

static void nobody_is_left_behind(void **state)
{
    (void)state;
    static struct passenger passengers[THREADS];
    pthread_t threads[THREADS];
    shared = flights_new();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fly, &passengers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(passengers[i].landed, ROUNDS);
    flights_free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_leads_and_all_are_returned),
        cmocka_unit_test(who_leaves_is_not_counted),
        cmocka_unit_test(an_owner_may_ask_late_whether_all_have_left),
        cmocka_unit_test(who_withdraws_is_out),
        cmocka_unit_test(the_last_who_withdraws_ends_it),
        cmocka_unit_test(nobody_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
