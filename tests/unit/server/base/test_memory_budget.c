/* Memory set aside for large answers. */
#include "server/base/memory_budget.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void reservations_never_exceed_the_limit(void **state)
{
    (void)state;
    struct memory_budget budget = {.limit = 100};
    assert_true(memory_budget_reserve(&budget, 60));
    assert_false(memory_budget_reserve(&budget, 41));
    assert_true(memory_budget_reserve(&budget, 40));
    assert_true(memory_budget_reserve(&budget, 0));
    assert_false(memory_budget_reserve(&budget, 1));
    memory_budget_release(&budget, 60);
    assert_true(memory_budget_reserve(&budget, 60));
    memory_budget_release(&budget, 100);
    assert_int_equal(budget.used, 0);
    assert_false(memory_budget_reserve(&budget, 101));
    assert_false(memory_budget_reserve(&budget, SIZE_MAX));
    assert_int_equal(budget.used, 0);
}

static void the_limit_may_drop_below_the_used_memory(void **state)
{
    (void)state;
    struct memory_budget budget = {.limit = 100};
    assert_true(memory_budget_reserve(&budget, 60));
    memory_budget_set_limit(&budget, 50);
    assert_false(memory_budget_reserve(&budget, 1));
    memory_budget_release(&budget, 20);
    assert_true(memory_budget_reserve(&budget, 10));
    assert_false(memory_budget_reserve(&budget, 1));
    memory_budget_set_limit(&budget, 51);
    assert_true(memory_budget_reserve(&budget, 1));
}

static void *take_and_give(void *context)
{
    struct memory_budget *budget = context;
    size_t max = 0;
    for (int i = 0; i < 20000; i++)
        if (memory_budget_reserve(budget, 7)) {
            const size_t used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
            max = used > max ? used : max;
            memory_budget_release(budget, 7);
        }
    return (void *)max;
}

static void threads_together_never_exceed_the_limit(void **state)
{
    (void)state;
    struct memory_budget budget = {.limit = 20};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &budget), 0);
    for (int i = 0; i < 4; i++) {
        void *max;
        pthread_join(threads[i], &max);
        assert_true((size_t)max <= 14);
    }
    assert_int_equal(budget.used, 0);
}

static void budgets_of_one_account_are_summed(void **state)
{
    (void)state;
    size_t account = 5;
    struct memory_budget first = {.limit = 100, .account = &account};
    struct memory_budget second = {.limit = 10, .account = &account};
    assert_true(memory_budget_reserve(&first, 60));
    assert_true(memory_budget_reserve(&second, 10));
    assert_false(memory_budget_reserve(&second, 1));
    assert_int_equal(account, 75);
    memory_budget_release(&first, 60);
    assert_int_equal(account, 15);
}

int test_memory_budget(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reservations_never_exceed_the_limit),
        cmocka_unit_test(the_limit_may_drop_below_the_used_memory),
        cmocka_unit_test(threads_together_never_exceed_the_limit),
        cmocka_unit_test(budgets_of_one_account_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
