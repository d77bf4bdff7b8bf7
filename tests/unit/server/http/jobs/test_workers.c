/* The queue of the render threads: its bounds, and how jobs leave it. One thread
 * is kept busy by a job that waits for us. */
#include "server/http/jobs/workers.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/render/tile_task.h"

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

static void prepare(struct errand *errand, uint64_t expected)
{
    memset(errand, 0, sizeof *errand);
    sem_init(&errand->begun, 0, 0);
    sem_init(&errand->go, 0, 0);
    errand->job = (struct job){.loop = &loop, .run = run, .expected = expected};
}

static bool submit(struct workers *workers, struct errand *errand, uint64_t expected)
{
    prepare(errand, expected);
    sem_post(&errand->go);
    return workers_submit(workers, PRIORITY_RENDER, &errand->job);
}

static struct workers *start_threads(unsigned count)
{
    struct error error;
    loop = (struct event_loop){.event = eventfd(0, EFD_NONBLOCK)};
    metrics = metrics_new(1, count);
    assert_non_null(metrics);
    const struct workers_limits limits = {.number = 4, .expected = 100};
    struct workers *workers =
        workers_start((struct workers_threads){.count = count}, limits, metrics, &error);
    assert_non_null(workers);
    return workers;
}

/* One thread, busy with `first` until first->go; four jobs that cost 100 may wait. */
static struct workers *start(struct errand *first)
{
    struct workers *workers = start_threads(1);
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

static void number_and_time_are_bounded(void **state)
{
    (void)state;
    static struct errand first, others[5];
    struct workers *workers = start(&first);
    /* A running job does not count as waiting. A single job may cost more than the limit. */
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 0);
    assert_true(submit(workers, &others[0], 1000));
    assert_false(submit(workers, &others[1], 1));
    assert_true(workers_take_back(workers, &others[0].job));
    assert_true(workers_queue_fill(workers, PRIORITY_RENDER) == 0.0);
    assert_true(submit(workers, &others[0], 60));
    assert_true(workers_queue_fill(workers, PRIORITY_RENDER) == 0.6); /* by time */
    assert_false(submit(workers, &others[1], 41));
    for (int i = 1; i < 4; i++)
        assert_true(submit(workers, &others[i], 10));
    assert_true(workers_queue_fill(workers, PRIORITY_RENDER) == 1.0); /* by number */
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
    workers_set_limits(workers, (struct workers_limits){.number = 5, .expected = 100});
    assert_true(submit(workers, &others[4], 10));
    workers_set_limits(workers, (struct workers_limits){.number = 2, .expected = 1000});
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 5);
    assert_false(submit(workers, &others[5], 1));
    workers_set_limits(workers, (struct workers_limits){.number = 9, .expected = 50});
    assert_false(submit(workers, &others[5], 1));
    workers_set_limits(workers, (struct workers_limits){.number = 9, .expected = 51});
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

static void abandoned_jobs_make_room_and_do_not_run(void **state)
{
    (void)state;
    static struct errand first, others[5];
    struct workers *workers = start(&first);
    for (int i = 0; i < 4; i++)
        assert_true(submit(workers, &others[i], 10));
    assert_false(submit(workers, &others[4], 10));
    for (int i = 0; i < 2; i++)
        workers_abandon(workers, &others[0].job);
    workers_abandon(workers, &others[3].job);
    workers_abandon(workers, &first.job);
    assert_int_equal(workers_queue_length(workers, PRIORITY_RENDER), 2);
    assert_int_equal(notices(), 2);
    assert_true(submit(workers, &others[4], 10));
    stop(workers, &first);
    for (int i = 0; i < 5; i++) {
        const bool abandoned = i == 0 || i == 3;
        assert_int_equal(others[i].ran, !abandoned);
        assert_int_equal(others[i].job.abandoned, abandoned);
    }
    assert_int_equal(notices(), 6);
}

/* The completions are a stack: the newest first. */
static void assert_completed_before(const struct errand *a, const struct errand *b)
{
    for (struct completion *at = loop.posted_completions; at != &b->job.completion; at = at->next)
        assert_ptr_not_equal(at, &a->job.completion);
}

static void jobs_moved_to_the_last_queue_make_room_and_run_last(void **state)
{
    (void)state;
    static struct errand first, moved[3], others[4];
    struct workers *workers = start(&first);
    for (int i = 0; i < 3; i++) {
        assert_true(submit(workers, &moved[i], 10));
        for (int twice = 0; twice < 2; twice++)
            workers_move(workers, PRIORITY_LAST, &moved[i].job);
    }
    assert_int_equal(workers_queue_length(workers, PRIORITY_LAST), 3);
    for (int i = 0; i < 3; i++)
        assert_true(submit(workers, &others[i], 10));
    /* One comes back, to the end of its queue; one is taken back. */
    workers_move(workers, PRIORITY_RENDER, &moved[0].job);
    assert_false(submit(workers, &others[3], 10));
    assert_true(workers_take_back(workers, &moved[2].job));
    stop(workers, &first);
    assert_int_equal(notices(), 6);
    assert_completed_before(&others[2], &moved[0]);
    assert_completed_before(&moved[0], &moved[1]);
    assert_int_equal(moved[1].ran, 1);
    assert_int_equal(moved[2].ran, 0);
}

static void jobs_beyond_the_limit_of_the_last_queue_are_abandoned(void **state)
{
    (void)state;
    static struct errand first, left[40], stays[4];
    struct workers *workers = start(&first);
    for (int i = 0; i < 40; i++) {
        assert_true(submit(workers, &left[i], 10));
        workers_move(workers, PRIORITY_LAST, &left[i].job);
    }
    assert_int_equal(notices(), 36);
    for (int i = 0; i < 4; i++)
        assert_true(submit(workers, &stays[i], 10));
    /* A job that finds its queue full stays in the last one. */
    workers_move(workers, PRIORITY_RENDER, &left[0].job);
    assert_int_equal(workers_queue_length(workers, PRIORITY_LAST), 4);
    stop(workers, &first);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(left[i].ran, i < 4);
        assert_int_equal(left[i].job.abandoned, i >= 4);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(stays[i].ran, 1);
    assert_int_equal(notices(), 45);
}

/* The thread always has another job to begin, so that the last queue has no turn. 65,536 is the
 * number of its cells. */
static void jobs_taken_back_from_the_last_queue_leave_no_trace(void **state)
{
    (void)state;
    enum { ROUNDS = 70000 };
    static struct errand jobs[ROUNDS], left;
    struct errand *busy = &left;
    struct workers *workers = start(busy);
    for (int i = 0; i < ROUNDS; i++) {
        struct errand *next = &jobs[i];
        struct errand last;
        prepare(next, 1);
        assert_true(workers_submit(workers, PRIORITY_RENDER, &next->job));
        prepare(&last, 1);
        assert_true(workers_submit(workers, PRIORITY_LAST, &last.job));
        assert_true(workers_take_back(workers, &last.job));
        sem_post(&busy->go);
        busy = next;
        sem_wait(&busy->begun);
    }
    sem_post(&busy->go);
    sem_post(&left.go);
    workers_stop(workers);
    metrics_free(metrics);
    close(loop.event);
}

/* A tile in halves; the barrier is null if they need not run at the same time. */
struct tile_errand {
    struct errand errand; /* first member */
    pthread_barrier_t *barrier;
    unsigned halves; /* atomic: how many have run */
    bool shared;
    struct tile_errand *previous;
};

static void run_half(struct tile_maker *maker, void *half)
{
    struct tile_errand *tile = half;
    assert_non_null(maker);
    if (tile->barrier)
        pthread_barrier_wait(tile->barrier);
    __atomic_fetch_add(&tile->halves, 1, __ATOMIC_SEQ_CST);
}

static void run_tile(struct job *job, struct worker_context *worker)
{
    struct tile_errand *tile = (struct tile_errand *)job;
    const struct tile_threads *threads = &worker->maker->threads;
    run(job, worker);
    tile->shared = threads->run_halves(threads->context, run_half, (void *[]){tile, tile});
    sem_post(&tile->errand.begun);
}

static void submit_tile(struct workers *workers, struct tile_errand *tile)
{
    prepare(&tile->errand, 50);
    tile->errand.job.run = run_tile;
    assert_true(workers_submit(workers, PRIORITY_RENDER, &tile->errand.job));
    sem_wait(&tile->errand.begun);
}

static void end_tiles(struct workers *workers)
{
    workers_stop(workers);
    metrics_free(metrics);
    close(loop.event);
}

/* Each half waits for the other one. A thread may not be idle yet, so tiles are made until one is
 * shared; the threads may use each of them until they end. */
static void a_tile_is_shared_with_an_idle_thread(void **state)
{
    (void)state;
    struct workers *workers = start_threads(2);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    struct tile_errand *tile = NULL;
    do {
        struct tile_errand *next = calloc(1, sizeof *next);
        assert_non_null(next);
        *next = (struct tile_errand){.barrier = &barrier, .previous = tile};
        tile = next;
        submit_tile(workers, tile);
        sem_post(&tile->errand.go);
        sem_wait(&tile->errand.begun);
    } while (!tile->shared);
    assert_int_equal(tile->halves, 2);
    end_tiles(workers);
    pthread_barrier_destroy(&barrier);
    for (struct tile_errand *previous; tile; tile = previous) {
        previous = tile->previous;
        free(tile);
    }
}

static void a_tile_is_not_shared_while_a_job_waits(void **state)
{
    (void)state;
    struct workers *workers = start_threads(2);
    struct tile_errand tile = {0};
    struct errand other, waiting;
    submit_tile(workers, &tile);
    prepare(&other, 1);
    prepare(&waiting, 1);
    assert_true(workers_submit(workers, PRIORITY_RENDER, &other.job));
    sem_wait(&other.begun);
    assert_true(workers_submit(workers, PRIORITY_LAST, &waiting.job));
    sem_post(&tile.errand.go);
    sem_wait(&tile.errand.begun);
    assert_false(tile.shared);
    assert_int_equal(tile.halves, 0);
    sem_post(&other.go);
    sem_post(&waiting.go);
    end_tiles(workers);
}

/* With one thread there is none to share with. */
static void a_tile_is_not_shared_by_a_single_thread(void **state)
{
    (void)state;
    struct workers *workers = start_threads(1);
    struct tile_errand tile = {0};
    submit_tile(workers, &tile);
    sem_post(&tile.errand.go);
    sem_wait(&tile.errand.begun);
    assert_false(tile.shared);
    assert_int_equal(workers_queue_length(workers, PRIORITY_LAST), 0);
    end_tiles(workers);
}

int test_workers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_and_time_are_bounded),
        cmocka_unit_test(new_limits_apply_to_new_jobs),
        cmocka_unit_test(the_queue_holds_the_maximum_of_the_setting),
        cmocka_unit_test(a_cancelled_job_does_not_run),
        cmocka_unit_test(abandoned_jobs_make_room_and_do_not_run),
        cmocka_unit_test(jobs_moved_to_the_last_queue_make_room_and_run_last),
        cmocka_unit_test(jobs_beyond_the_limit_of_the_last_queue_are_abandoned),
        cmocka_unit_test(jobs_taken_back_from_the_last_queue_leave_no_trace),
        cmocka_unit_test(a_tile_is_shared_with_an_idle_thread),
        cmocka_unit_test(a_tile_is_not_shared_while_a_job_waits),
        cmocka_unit_test(a_tile_is_not_shared_by_a_single_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
