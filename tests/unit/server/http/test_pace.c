/* How long what waits will take: by hand. */
#include "server/http/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_rate_is_cost_by_time(void **state)
{
    (void)state;
    struct pace pace = {0};
    assert_int_equal(pace_rate(&pace), PACE_UNKNOWN);
    pace_add(&pace, 3000, 1000); /* in a millisecond */
    assert_int_equal(pace_rate(&pace), 3000000);
    pace_add(&pace, 1000, 1000);
    assert_int_equal(pace_rate(&pace), 2000000);
}

static void what_is_long_ago_counts_less(void **state)
{
    (void)state;
    struct pace pace = {0};
    /* 4.1 seconds at 1000 a second are more than the window: half of it stays. */
    pace_add(&pace, 4100, 4100000);
    assert_int_equal(pace.busy, 2050000);
    assert_int_equal(pace_rate(&pace), 1000);
    /* 2050 in 2.05 s and 9950 in 1.95 s: 12000 in 4 s. */
    pace_add(&pace, 9950, 1950000);
    assert_int_equal(pace_rate(&pace), 3000);
}

static void a_rate_is_never_nothing(void **state)
{
    (void)state;
    struct pace pace = {0};
    pace_add(&pace, 0, 5000000);
    assert_int_equal(pace_rate(&pace), 1);
}

static void waiting_is_rounded_up_and_bounded(void **state)
{
    (void)state;
    assert_int_equal(pace_retry_after(0, 1000), 1);
    assert_int_equal(pace_retry_after(999, 1000), 1);
    assert_int_equal(pace_retry_after(1001, 1000), 2);
    assert_int_equal(pace_retry_after(8000, 1000), 8);
    assert_int_equal(pace_retry_after(61000, 1000), 60);
    assert_int_equal(pace_retry_after(UINT64_MAX, 1), 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_cost_by_time),
        cmocka_unit_test(what_is_long_ago_counts_less),
        cmocka_unit_test(a_rate_is_never_nothing),
        cmocka_unit_test(waiting_is_rounded_up_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
