/* The limits of a job, computed by hand from the time that is expected of it. */
#include "server/http/jobs/job_guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/sampling/sampler.h"
#include "server/base/clock.h"

#define MILLION ((uint64_t)1000000)

static void work_is_limited_by_what_is_expected_and_half_a_second(void **state)
{
    (void)state;
    assert_int_equal(job_guard_work_limit(0), 100 * MILLION);
    assert_int_equal(job_guard_work_limit(10 * MILLION), 140 * MILLION);  /* 4 × 10 + 100 */
    assert_int_equal(job_guard_work_limit(200 * MILLION), 500 * MILLION); /* of 900 */
    assert_int_equal(job_guard_work_limit(400 * MILLION), 500 * MILLION); /* 1.25 × 400 */
    assert_int_equal(job_guard_work_limit(4000 * MILLION), 5000 * MILLION);
}

static void time_is_limited_by_what_is_expected_and_a_second(void **state)
{
    (void)state;
    assert_int_equal(job_guard_time_limit(0, 1.0), 1000 * MILLION);
    assert_int_equal(job_guard_time_limit(100 * MILLION, 1.0), 1000 * MILLION);
    assert_int_equal(job_guard_time_limit(400 * MILLION, 1.0), 3200 * MILLION);
    assert_int_equal(job_guard_time_limit(400 * MILLION, 2.5), 8000 * MILLION);
    assert_true(job_guard_time_limit((uint64_t)1 << 62, 100.0) > 0);
}

static void no_machine_counts_as_fast(void **state)
{
    (void)state;
    assert_true(job_guard_measure_slowness() >= 1.0);
}

/* Work that is counted, a review of the clock now and then among it. */
static bool work(struct sampler *sampler, uint64_t nanoseconds)
{
    return work_add((struct work_meter *)sampler_meter(sampler), nanoseconds);
}

static void a_job_is_stopped_by_its_work(void **state)
{
    (void)state;
    bool cancelled = false;
    struct sampler *sampler = sampler_new();
    struct job_guard guard = {.cancelled = &cancelled, .slowness = 1.0};
    job_guard_begin(&guard, sampler, 0);
    assert_true(work(sampler, 99 * MILLION));
    assert_int_equal(job_guard_end(&guard), 0);
    assert_false(work(sampler, 2 * MILLION));
    assert_int_equal(job_guard_end(&guard), 101 * MILLION);
    job_guard_begin(&guard, sampler, 0);
    assert_true(work(sampler, 99 * MILLION));
    sampler_free(sampler);
}

static void a_job_is_stopped_by_its_time(void **state)
{
    (void)state;
    bool cancelled = false;
    struct sampler *sampler = sampler_new();
    struct job_guard guard = {.cancelled = &cancelled, .slowness = 1e-6}; /* 1 µs */
    job_guard_begin(&guard, sampler, 0);
    const int64_t begun = clock_thread_nanoseconds();
    while (clock_thread_nanoseconds() < begun + 1000)
        ;
    assert_false(work(sampler, MILLION));
    assert_true(job_guard_end(&guard) >= 1000);
    assert_true(job_guard_used(&guard) >= 1000 * MILLION); /* 1 µs, a million times as fast */
    sampler_free(sampler);
}

static void a_cancelled_job_was_not_stopped(void **state)
{
    (void)state;
    bool cancelled = false;
    struct error error = {0};
    struct sampler *sampler = sampler_new();
    struct job_guard guard = {.cancelled = &cancelled, .slowness = 1.0};
    job_guard_begin(&guard, sampler, 0);
    cancelled = true;
    assert_false(work(sampler, MILLION));
    assert_false(work_fail(sampler_meter(sampler), &error));
    assert_int_equal(error.code, ERROR_CANCELLED);
    assert_int_equal(job_guard_end(&guard), 0);
    sampler_free(sampler);
}

int test_job_guard(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_limited_by_what_is_expected_and_half_a_second),
        cmocka_unit_test(time_is_limited_by_what_is_expected_and_a_second),
        cmocka_unit_test(no_machine_counts_as_fast),
        cmocka_unit_test(a_job_is_stopped_by_its_work),
        cmocka_unit_test(a_job_is_stopped_by_its_time),
        cmocka_unit_test(a_cancelled_job_was_not_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
