/* Memory set aside for large answers. */
#include "server/http/reserve.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void no_more_is_taken_than_there_is(void **state)
{
    (void)state;
    struct reserve reserve = {.limit = 100};
    assert_true(reserve_take(&reserve, 60));
    assert_false(reserve_take(&reserve, 41));
    assert_true(reserve_take(&reserve, 40));
    assert_true(reserve_take(&reserve, 0));
    assert_false(reserve_take(&reserve, 1));
    reserve_give(&reserve, 60);
    assert_true(reserve_take(&reserve, 60));
    reserve_give(&reserve, 100);
    assert_int_equal(reserve.taken, 0);
    assert_false(reserve_take(&reserve, 101));
    assert_false(reserve_take(&reserve, SIZE_MAX));
    assert_int_equal(reserve.taken, 0);
}

static void less_may_be_left_than_is_taken(void **state)
{
    (void)state;
    struct reserve reserve = {.limit = 100};
    assert_true(reserve_take(&reserve, 60));
    reserve_limit(&reserve, 50);
    assert_false(reserve_take(&reserve, 1));
    reserve_give(&reserve, 20);
    assert_true(reserve_take(&reserve, 10));
    assert_false(reserve_take(&reserve, 1));
    reserve_limit(&reserve, 51);
    assert_true(reserve_take(&reserve, 1));
}

static void *take_and_give(void *context)
{
    struct reserve *reserve = context;
    size_t most = 0;
    for (int i = 0; i < 20000; i++)
        if (reserve_take(reserve, 7)) {
            const size_t taken = __atomic_load_n(&reserve->taken, __ATOMIC_RELAXED);
            most = taken > most ? taken : most;
            reserve_give(reserve, 7);
        }
    return (void *)most;
}

static void threads_never_exceed_it(void **state)
{
    (void)state;
    struct reserve reserve = {.limit = 20};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &reserve), 0);
    for (int i = 0; i < 4; i++) {
        void *most;
        pthread_join(threads[i], &most);
        assert_true((size_t)most <= 14);
    }
    assert_int_equal(reserve.taken, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_is_taken_than_there_is),
        cmocka_unit_test(less_may_be_left_than_is_taken),
        cmocka_unit_test(threads_never_exceed_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
