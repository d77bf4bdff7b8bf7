/* The breaker by a clock of the test's. */
#include "server/cache/breaker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct breaker closed_at(int64_t now)
{
    struct breaker breaker;
    breaker_init(&breaker, now);
    assert_true(breaker_begin_probe(&breaker, now));
    breaker_probe_succeeded(&breaker, now);
    return breaker;
}

static void new_breaker_is_probed_at_once(void **state)
{
    (void)state;
    struct breaker breaker;
    breaker_init(&breaker, 5000);
    assert_false(breaker_is_allowing(&breaker));
    assert_int_equal(breaker_next_probe_delay(&breaker, 5000), 0);
    assert_true(breaker_begin_probe(&breaker, 5000));
    assert_false(breaker_is_allowing(&breaker));
    breaker_probe_succeeded(&breaker, 5001);
    assert_true(breaker_is_allowing(&breaker));
    assert_int_equal(breaker_next_probe_delay(&breaker, 5001), -1);
    assert_false(breaker_begin_probe(&breaker, 99999));
}

static void one_failure_opens_the_breaker(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(1000);
    breaker_record_failure(&breaker, 2000);
    assert_false(breaker_is_allowing(&breaker));
    assert_int_equal(breaker_next_probe_delay(&breaker, 2000), 250);
    assert_int_equal(breaker_next_probe_delay(&breaker, 2240), 10);
    assert_int_equal(breaker_next_probe_delay(&breaker, 2400), 0);
    assert_false(breaker_begin_probe(&breaker, 2249));
    assert_true(breaker_begin_probe(&breaker, 2250));
}

static void one_probe_at_a_time(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(0);
    breaker_record_failure(&breaker, 100);
    assert_true(breaker_begin_probe(&breaker, 400));
    assert_int_equal(breaker.state, BREAKER_HALF_OPEN);
    assert_false(breaker_begin_probe(&breaker, 99999));
    assert_int_equal(breaker_next_probe_delay(&breaker, 99999), -1);
    assert_false(breaker_is_allowing(&breaker));
}

static void failures_while_open_are_ignored(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(0);
    breaker_record_failure(&breaker, 100);
    breaker_record_failure(&breaker, 149); /* sent before it opened */
    assert_int_equal(breaker_next_probe_delay(&breaker, 149), 201);
    assert_true(breaker_begin_probe(&breaker, 350));
    breaker_record_failure(&breaker, 351);
    assert_int_equal(breaker.state, BREAKER_HALF_OPEN);
    breaker_probe_succeeded(&breaker, 352);
    assert_true(breaker_is_allowing(&breaker));
}

/* 250, 500, 1000, 2000, 2000 …: what has recovered is found within 2 s. */
static void failing_probes_wait_longer_and_longer(void **state)
{
    (void)state;
    static const int64_t waits[] = {250, 500, 1000, 2000, 2000, 2000};
    struct breaker breaker = closed_at(0);
    int64_t now = 100;
    breaker_record_failure(&breaker, now);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        assert_int_equal(breaker_next_probe_delay(&breaker, now), waits[i]);
        assert_false(breaker_begin_probe(&breaker, now + waits[i] - 1));
        now += waits[i];
        assert_true(breaker_begin_probe(&breaker, now));
        breaker_probe_failed(&breaker, now);
    }
}

/* A server that answers probes and hangs on requests costs fewer and fewer of them. */
static void a_failure_soon_after_closing_doubles_the_delay(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(0);
    breaker_record_failure(&breaker, 100);
    assert_true(breaker_begin_probe(&breaker, 350));
    breaker_probe_succeeded(&breaker, 350);
    breaker_record_failure(&breaker, 400);
    assert_int_equal(breaker_next_probe_delay(&breaker, 400), 500);
    assert_true(breaker_begin_probe(&breaker, 900));
    breaker_probe_succeeded(&breaker, 900);
    breaker_record_failure(&breaker, 900 + BREAKER_RESET_AFTER); /* it was good for long enough */
    assert_int_equal(breaker_next_probe_delay(&breaker, 900 + BREAKER_RESET_AFTER), 250);
}

/* Closed again by a probe, it lets one request through at a time until one is answered. */
static void on_trial_one_request_at_a_time(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(0);
    assert_true(breaker_acquire(&breaker));
    assert_true(breaker_acquire(&breaker));
    breaker_record_failure(&breaker, 100);
    breaker_record_success(&breaker); /* the other, sent before it opened: no news */
    assert_false(breaker_acquire(&breaker));
    assert_true(breaker_begin_probe(&breaker, 350));
    breaker_probe_succeeded(&breaker, 350);
    assert_true(breaker_is_allowing(&breaker));
    assert_true(breaker_acquire(&breaker));
    assert_false(breaker_is_allowing(&breaker));
    assert_false(breaker_acquire(&breaker));
    breaker_record_no_reply(&breaker);
    assert_true(breaker_acquire(&breaker));
    assert_false(breaker_acquire(&breaker));
    breaker_record_failure(&breaker, 400);
    assert_true(breaker_begin_probe(&breaker, 900));
    breaker_probe_succeeded(&breaker, 900);
    assert_true(breaker_acquire(&breaker));
    breaker_record_success(&breaker);
    assert_true(breaker_acquire(&breaker));
    assert_true(breaker_acquire(&breaker));
}

static void four_slow_replies_open_the_breaker(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(0);
    for (int64_t now = 100; now < 103; now++) {
        breaker_record_slow(&breaker, now);
        assert_true(breaker_is_allowing(&breaker));
    }
    breaker_record_slow(&breaker, 103);
    assert_false(breaker_is_allowing(&breaker));
    assert_int_equal(breaker_next_probe_delay(&breaker, 103), 250);
    breaker_record_slow(&breaker, 104); /* sent before it opened */
    assert_int_equal(breaker_next_probe_delay(&breaker, 104), 249);
}

/* Eight fast replies make up for a slow one; a server that is slow now and then is used. */
static void fast_replies_make_up_for_slow_ones(void **state)
{
    (void)state;
    for (int fast = 0; fast <= 8; fast++) {
        struct breaker breaker = closed_at(0);
        int slow = 0;
        for (; slow < 1000 && breaker_is_allowing(&breaker); slow++) {
            breaker_record_slow(&breaker, 100);
            for (int i = 0; i < fast; i++)
                breaker_record_success(&breaker);
        }
        assert_int_equal(slow == 1000, fast == 8);
    }
}

/* On trial two slow replies are enough, one at a time, and the delay grows as after a failure. */
static void two_slow_trials_open_the_breaker(void **state)
{
    (void)state;
    struct breaker breaker = closed_at(0);
    breaker_record_failure(&breaker, 100);
    assert_true(breaker_begin_probe(&breaker, 350));
    breaker_probe_succeeded(&breaker, 350);
    assert_true(breaker_acquire(&breaker));
    breaker_record_slow(&breaker, 400);
    assert_true(breaker_acquire(&breaker));
    assert_false(breaker_acquire(&breaker));
    breaker_record_slow(&breaker, 450);
    assert_false(breaker_is_allowing(&breaker));
    assert_int_equal(breaker_next_probe_delay(&breaker, 450), 500);
    assert_true(breaker_begin_probe(&breaker, 950));
    breaker_probe_succeeded(&breaker, 950);
    assert_true(breaker_acquire(&breaker));
    breaker_record_success(&breaker);
    breaker_record_slow(&breaker, 1000); /* no trial any more */
    breaker_record_slow(&breaker, 1000);
    breaker_record_slow(&breaker, 1000);
    assert_true(breaker_is_allowing(&breaker));
}

int test_breaker(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_breaker_is_probed_at_once),
        cmocka_unit_test(one_failure_opens_the_breaker),
        cmocka_unit_test(one_probe_at_a_time),
        cmocka_unit_test(failures_while_open_are_ignored),
        cmocka_unit_test(failing_probes_wait_longer_and_longer),
        cmocka_unit_test(a_failure_soon_after_closing_doubles_the_delay),
        cmocka_unit_test(on_trial_one_request_at_a_time),
        cmocka_unit_test(four_slow_replies_open_the_breaker),
        cmocka_unit_test(fast_replies_make_up_for_slow_ones),
        cmocka_unit_test(two_slow_trials_open_the_breaker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
