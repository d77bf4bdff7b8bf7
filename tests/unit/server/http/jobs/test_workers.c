/* The queue of the render threads: its bounds, and how jobs leave it. One thread
 * is kept busy by a job that waits for us. */
#include "server/http/jobs/workers.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

struct errand {
    struct job job; /* first member */
    sem_t begun, go;
    unsigned ran;
};

static struct metrics *metrics;
static struct event_loop loop; /* nobody runs it: notices stay in its list */

static void run(struct job *job, struct worker_context *worker)
{
    struct errand *errand = (struct errand *)job;
    (void)worker;
    sem_post(&errand->begun);
    sem_wait(&errand->go);
    errand->ran++;
}

static void prepare(struct errand *errand, uint64_t cost)
{
    memset(errand, 0, sizeof *errand);
    sem_init(&errand->begun, 0, 0);
    sem_init(&errand->go, 0, 0);
    errand->job = (struct job){.loop = &loop, .run = run, .cost = cost};
}

static bool submit(struct workers *workers, struct errand *errand, uint64_t cost)
{
    prepare(errand, cost);
    sem_post(&errand->go);
    return workers_submit(workers, PRIORITY_RENDER, &errand->job);
}

/* One thread, busy with `first` until first->go; four jobs that cost 100 may wait. */
static struct workers *start(struct errand *first)
{
    struct error error;
    loop = (struct event_loop){.event = eventfd(0, EFD_NONBLOCK)};
    metrics = metrics_new(1, 1);
    assert_non_null(metrics);
    const struct workers_limits limits = {.number = 4, .cost = 100};
    struct workers *workers = workers_start(1, limits, metrics, 0, &error);
    assert_non_null(workers);
    prepare(first, 50);
    assert_true(workers_submit(workers, PRIORITY_RENDER, &first->job));
    sem_wait(&first->begun);
    assert_true(workers_job_has_begun(&first->job));
    return workers;
}

static void stop(struct workers *workers, struct errand *first)
{
    sem_post(&first->go);
    workers_stop(workers);
    assert_int_equal(first->ran, 1);
    metrics_free(metrics);
    close(loop.event);
}

static unsigned notices(void)
{
    unsigned count = 0;
    for (struct completion *completion = loop.posted_completions; completion;
         completion = completion->next)
        count++;
    return count;
}

static void number_and_cost_are_bounded(void **state)
{
    (void)state;
    static struct errand first, others[5];
    struct workers *workers = start(&first);
    /* A running job does not count as waiting. A single job may cost more than the limit. */
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 0);
    assert_true(submit(workers, &others[0], 1000));
    assert_false(submit(workers, &others[1], 1));
    assert_true(workers_take_back(workers, &others[0].job));
    assert_true(submit(workers, &others[0], 60));
    assert_false(submit(workers, &others[1], 41));
    for (int i = 1; i < 4; i++)
        assert_true(submit(workers, &others[i], 10));
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 4);
    assert_false(submit(workers, &others[4], 1));
    stop(workers, &first);
    for (int i = 0; i < 4; i++)
        assert_int_equal(others[i].ran, 1);
    assert_int_equal(others[4].ran, 0);
    assert_int_equal(notices(), 5);
}

static void new_limits_apply_to_new_jobs(void **state)
{
    (void)state;
    static struct errand first, others[6];
    struct workers *workers = start(&first);
    for (int i = 0; i < 4; i++)
        assert_true(submit(workers, &others[i], 10));
    assert_false(submit(workers, &others[4], 10));
    workers_set_limits(workers, (struct workers_limits){.number = 5, .cost = 100});
    assert_true(submit(workers, &others[4], 10));
    workers_set_limits(workers, (struct workers_limits){.number = 2, .cost = 1000});
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 5);
    assert_false(submit(workers, &others[5], 1));
    workers_set_limits(workers, (struct workers_limits){.number = 9, .cost = 50});
    assert_false(submit(workers, &others[5], 1));
    workers_set_limits(workers, (struct workers_limits){.number = 9, .cost = 51});
    assert_true(submit(workers, &others[5], 1));
    stop(workers, &first);
    for (int i = 0; i < 6; i++)
        assert_int_equal(others[i].ran, 1);
}

/* As many jobs as the settings allow. */
static void the_queue_holds_the_maximum_of_the_setting(void **state)
{
    (void)state;
    static struct errand first, others[WORKERS_QUEUE_MAX + 1];
    struct workers *workers = start(&first);
    workers_set_limits(workers, (struct workers_limits){WORKERS_QUEUE_MAX, UINT64_MAX});
    for (int i = 0; i < WORKERS_QUEUE_MAX; i++)
        assert_true(submit(workers, &others[i], 1));
    assert_false(submit(workers, &others[WORKERS_QUEUE_MAX], 1));
    stop(workers, &first);
    for (int i = 0; i < WORKERS_QUEUE_MAX; i++)
        assert_int_equal(others[i].ran, 1);
}

static void a_cancelled_job_does_not_run(void **state)
{
    (void)state;
    static struct errand first, others[3];
    struct workers *workers = start(&first);
    for (int i = 0; i < 3; i++)
        assert_true(submit(workers, &others[i], 30));
    assert_true(workers_take_back(workers, &others[1].job));
    assert_false(workers_take_back(workers, &others[1].job));
    assert_false(workers_take_back(workers, &first.job));
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 2);
    stop(workers, &first);
    assert_int_equal(others[0].ran, 1);
    assert_int_equal(others[1].ran, 0);
    assert_int_equal(others[2].ran, 1);
    assert_int_equal(notices(), 3);
}

static void abandoned_jobs_make_room_in_the_queue(void **state)
{
    (void)state;
    static struct errand first, others[5];
    struct workers *workers = start(&first);
    for (int i = 0; i < 4; i++)
        assert_true(submit(workers, &others[i], 10));
    assert_false(submit(workers, &others[4], 10));
    workers_abandon(workers, &others[0].job);
    workers_abandon(workers, &others[0].job);
    workers_abandon(workers, &others[3].job);
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 2);
    assert_true(submit(workers, &others[4], 10));
    stop(workers, &first);
    /* The first had others behind it, as had the fourth. */
    assert_int_equal(others[0].ran, 0);
    assert_true(others[0].job.abandoned);
    assert_int_equal(others[3].ran, 0);
    for (int i = 1; i < 5; i += i == 2 ? 2 : 1)
        assert_int_equal(others[i].ran, 1);
    assert_int_equal(notices(), 6);
}

static void abandoned_jobs_do_not_fill_the_queue(void **state)
{
    (void)state;
    static struct errand first, left[40], stays[4];
    struct workers *workers = start(&first);
    for (int i = 0; i < 40; i++) {
        assert_true(submit(workers, &left[i], 10));
        workers_abandon(workers, &left[i].job);
    }
    for (int i = 0; i < 4; i++)
        assert_true(submit(workers, &stays[i], 10));
    stop(workers, &first);
    for (int i = 0; i < 4; i++)
        assert_int_equal(stays[i].ran, 1);
    assert_int_equal(notices(), 45);
}

static void an_abandoned_job_runs_if_no_other_waits(void **state)
{
    (void)state;
    static struct errand first, other;
    struct workers *workers = start(&first);
    assert_true(submit(workers, &other, 10));
    workers_abandon(workers, &other.job);
    stop(workers, &first);
    assert_int_equal(other.ran, 1);
    assert_false(other.job.abandoned);
}

int test_workers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_and_cost_are_bounded),
        cmocka_unit_test(new_limits_apply_to_new_jobs),
        cmocka_unit_test(the_queue_holds_the_maximum_of_the_setting),
        cmocka_unit_test(a_cancelled_job_does_not_run),
        cmocka_unit_test(abandoned_jobs_make_room_in_the_queue),
        cmocka_unit_test(abandoned_jobs_do_not_fill_the_queue),
        cmocka_unit_test(an_abandoned_job_runs_if_no_other_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
