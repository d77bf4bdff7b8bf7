/* The time that waiting jobs will take, computed by hand. */
#include "server/http/jobs/throughput.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_rate_is_what_was_expected_by_time(void **state)
{
    (void)state;
    struct throughput throughput = {0};
    assert_int_equal(throughput_rate(&throughput), THROUGHPUT_UNKNOWN);
    throughput_add(&throughput, 3000, 1000); /* in a millisecond */
    assert_int_equal(throughput_rate(&throughput), 3000000);
    throughput_add(&throughput, 1000, 1000);
    assert_int_equal(throughput_rate(&throughput), 2000000);
}

static void older_work_has_less_weight(void **state)
{
    (void)state;
    struct throughput throughput = {0};
    /* 4.1 seconds at 1000 a second are more than the window: half of it stays. */
    throughput_add(&throughput, 4100, 4100000);
    assert_int_equal(throughput.busy, 2050000);
    assert_int_equal(throughput_rate(&throughput), 1000);
    /* 2050 in 2.05 s and 9950 in 1.95 s: 12000 in 4 s. */
    throughput_add(&throughput, 9950, 1950000);
    assert_int_equal(throughput_rate(&throughput), 3000);
}

static void a_rate_is_at_least_1(void **state)
{
    (void)state;
    struct throughput throughput = {0};
    throughput_add(&throughput, 0, 5000000);
    assert_int_equal(throughput_rate(&throughput), 1);
}

static void waiting_is_rounded_up_and_bounded(void **state)
{
    (void)state;
    assert_int_equal(throughput_retry_after(0, 1000), 1);
    assert_int_equal(throughput_retry_after(999, 1000), 1);
    assert_int_equal(throughput_retry_after(1001, 1000), 2);
    assert_int_equal(throughput_retry_after(8000, 1000), 8);
    assert_int_equal(throughput_retry_after(61000, 1000), 60);
    assert_int_equal(throughput_retry_after(UINT64_MAX, 1), 60);
}

int test_throughput(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_what_was_expected_by_time),
        cmocka_unit_test(older_work_has_less_weight),
        cmocka_unit_test(a_rate_is_at_least_1),
        cmocka_unit_test(waiting_is_rounded_up_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
