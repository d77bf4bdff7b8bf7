/* Counting work: the limit, the questions in between, and what stays stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/work_meter.h"

struct host {
    unsigned questions;
    enum work_verdict verdict;
};

static enum work_verdict answer(void *context)
{
    struct host *host = context;
    host->questions++;
    return host->verdict;
}

static void work_up_to_the_limit_is_done(void **unused)
{
    (void)unused;
    struct work_meter meter;
    struct error error = {0};
    work_begin(&meter, &(struct work_limit){.most = 3000000});
    assert_true(work_add(&meter, 2999999));
    assert_false(work_add(&meter, 1));
    assert_false(work_fail(&meter, &error));
    assert_int_equal(error.code, ERROR_WORK);
    assert_string_equal(error.message, "stopped after 3 ms of computing: more than it may take");
}

static void what_has_stopped_stays_so_until_it_begins_again(void **unused)
{
    (void)unused;
    struct work_meter meter;
    work_begin(&meter, &(struct work_limit){.most = 10});
    assert_false(work_add(&meter, 10));
    assert_false(work_add(&meter, 0));
    work_begin(&meter, &(struct work_limit){.most = 10});
    assert_int_equal(meter.done, 0);
    assert_true(work_add(&meter, 9));
}

static void without_a_limit_all_goes_on(void **unused)
{
    (void)unused;
    struct work_meter meter;
    struct error error = {0};
    work_begin(&meter, &(struct work_limit){.most = WORK_UNLIMITED});
    assert_true(work_add(&meter, UINT64_MAX / 2));
    assert_false(work_fail(&meter, &error)); /* so it must have been something else */
    assert_int_equal(error.code, ERROR_MEMORY);
}

static void the_host_is_asked_now_and_then(void **unused)
{
    (void)unused;
    struct work_meter meter;
    struct host host = {0, WORK_GO_ON};
    work_begin(&meter,
               &(struct work_limit){1000 * (uint64_t)WORK_BETWEEN_QUESTIONS, answer, &host});
    for (int i = 0; i < 1000; i++) /* 100 times the distance of two questions */
        assert_true(work_add(&meter, WORK_BETWEEN_QUESTIONS / 10));
    assert_int_equal(host.questions, 100);
}

static void the_host_can_stop_it(void **unused)
{
    (void)unused;
    static const struct {
        enum work_verdict verdict;
        enum error_code code;
    } cases[] = {{WORK_TOO_MUCH, ERROR_WORK}, {WORK_CANCELLED, ERROR_CANCELLED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct work_meter meter;
        struct error error = {0};
        struct host host = {0, cases[i].verdict};
        work_begin(&meter, &(struct work_limit){WORK_UNLIMITED, answer, &host});
        assert_true(work_add(&meter, WORK_BETWEEN_QUESTIONS - 1));
        assert_false(work_add(&meter, 1));
        assert_false(work_add(&meter, 1));
        assert_int_equal(host.questions, 1);
        work_fail(&meter, &error);
        assert_int_equal(error.code, cases[i].code);
    }
}

int test_work_meter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_up_to_the_limit_is_done),
        cmocka_unit_test(what_has_stopped_stays_so_until_it_begins_again),
        cmocka_unit_test(without_a_limit_all_goes_on),
        cmocka_unit_test(the_host_is_asked_now_and_then),
        cmocka_unit_test(the_host_can_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
