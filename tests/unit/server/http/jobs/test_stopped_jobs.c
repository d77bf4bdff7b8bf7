/* What is remembered of stopped jobs, and for how long. */
#include "server/http/jobs/stopped_jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct hash128 asked = {.low = 5, .high = 7}, other = {.low = 5, .high = 8};
static struct event_loop loop;

static bool check(struct stopped_jobs *stopped, struct hash128 hash, int64_t now)
{
    struct problem problem = {0};
    loop.now = now;
    const bool allowed = stopped_jobs_check(stopped, hash, &loop, &problem);
    assert_true(allowed || (problem.kind == PROBLEM_TOO_LARGE &&
                            strstr(problem.detail, "stopped after 0.25 s of computing")));
    return allowed;
}

static void a_stop_by_work_is_remembered_for_ever(void **state)
{
    (void)state;
    struct stopped_jobs *stopped = stopped_jobs_new();
    const struct job job = {.loop = &loop, .expected = 500000, .stopped = 250000000};
    assert_true(check(stopped, asked, 1000));
    stopped_jobs_add(stopped, asked, &job);
    assert_false(check(stopped, asked, 1000));
    assert_false(check(stopped, asked, (int64_t)1 << 60));
    assert_true(check(stopped, other, 1000));
    stopped_jobs_free(stopped);
}

/* 600,000 milliseconds are ten minutes. */
static void a_stop_by_time_is_forgotten_in_ten_minutes(void **state)
{
    (void)state;
    struct stopped_jobs *stopped = stopped_jobs_new();
    const struct job job = {
        .loop = &loop, .expected = 500000, .stopped = 250000000, .stopped_by_time = true};
    loop.now = 1000;
    stopped_jobs_add(stopped, asked, &job);
    assert_false(check(stopped, asked, 600999));
    assert_true(check(stopped, asked, 601000));
    stopped_jobs_free(stopped);
}

/* All have the low half of their hash in common, and four are kept of such. */
static void four_newer_stops_take_the_place_of_an_older_one(void **state)
{
    (void)state;
    struct stopped_jobs *stopped = stopped_jobs_new();
    const struct job job = {.loop = &loop, .expected = 500000, .stopped = 250000000};
    stopped_jobs_add(stopped, asked, &job);
    for (uint64_t high = 8; high < 11; high++)
        stopped_jobs_add(stopped, (struct hash128){.low = 5, .high = high}, &job);
    assert_false(check(stopped, asked, 1000));
    stopped_jobs_add(stopped, (struct hash128){.low = 5, .high = 11}, &job);
    assert_true(check(stopped, asked, 1000));
    for (uint64_t high = 8; high < 12; high++)
        assert_false(check(stopped, (struct hash128){.low = 5, .high = high}, 1000));
    stopped_jobs_free(stopped);
}

int test_stopped_jobs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_by_work_is_remembered_for_ever),
        cmocka_unit_test(a_stop_by_time_is_forgotten_in_ten_minutes),
        cmocka_unit_test(four_newer_stops_take_the_place_of_an_older_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
