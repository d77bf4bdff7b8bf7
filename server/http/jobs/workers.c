/* Render threads and the queues in front of them.
 *
 * There is a queue for each priority. All are lock-free (queue.h), since a thread of low priority
 * may be stopped by the system anywhere, and an event loop must not wait for a lock that it holds.
 * A semaphore counts the jobs of all queues; a thread that has passed it takes a job from the one
 * of the first two that it prefers, else from the other, and from the last if both are empty.
 *
 * Two counts belong to each queue: how many jobs wait and how long they should take together. They
 * decide whether a job is accepted, and the time says how long the queue will take (Retry-After). A
 * job leaves the counts when it begins or is taken back; its cell in the queue stays, empty, so
 * that nothing has to be searched.
 *
 * A thread that makes a tile while another thread is idle and no job waits gives it half of the
 * tile, as a job of PRIORITY_LAST; if none has begun with it by the time the first half is done, it
 * takes the job back. */
#include "server/http/jobs/workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

#include "core/base/extremes.h"
#include "core/drainage/store/cache_share.h"
#include "core/sampling/sampler.h"
#include "server/base/clock.h"
#include "server/base/priority.h"
#include "server/http/jobs/job_guard.h"
#include "server/http/jobs/queue.h"
#include "server/http/jobs/throughput.h"

/* Once in so many polls a thread looks into the queue of PRIORITY_RENDER before that of
 * PRIORITY_SHORT; otherwise after it. */
enum { RENDER_FIRST_EVERY = 8 };

struct worker {
    struct workers *workers;
    struct worker_context context;
    struct job_guard guard;
    struct job *job; /* that it runs */
    struct throughput throughput;
    uint64_t rate;  /* atomic: throughput_rate() of its throughput */
    unsigned polls; /* how often it has looked for a job */
    pthread_t thread;
    bool started;
};

struct job_queue {
    struct queue *queue;
    size_t number; /* atomic, like `expected`: of the jobs that wait */
    uint64_t expected;
};

struct workers {
    struct job_queue queues[PRIORITY_COUNT];
    struct workers_limits limits; /* atomic, each for itself */
    sem_t waiting;                /* one post for each job, and one for each thread at the end */
    unsigned idle_threads;        /* atomic: how many threads wait for a job */
    bool cancelled;               /* atomic, like `stopping` */
    bool stopping;
    enum priority_share share;
    unsigned count;
    struct drainage_cache *network; /* of all threads */
    struct worker threads[];
};

/* Takes a job that has left its queue out of the counts. */
static void release_queue_space(struct workers *workers, const struct job *job)
{
    struct job_queue *job_queue =
        &workers->queues[__atomic_load_n(&job->priority, __ATOMIC_RELAXED)];
    __atomic_fetch_sub(&job_queue->number, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&job_queue->expected, job->expected, __ATOMIC_RELAXED);
}

static uint32_t microseconds(int64_t span)
{
    return span < 0 ? 0 : span > UINT32_MAX ? UINT32_MAX : (uint32_t)span;
}

/* Half of a tile, given away by the thread that makes the other half, which owns it. */
struct half_tile {
    struct job job; /* first member; it has no loop */
    tile_half_function *run;
    void *half;
    bool done;
    sem_t finished;
};

static void run_half(struct job *job, struct worker_context *worker)
{
    struct half_tile *half = (struct half_tile *)job;
    half->done = worker != NULL;
    if (worker)
        half->run(worker->maker, half->half);
}

static void finish(struct job *job)
{
    if (job->loop)
        event_loop_post(job->loop, &job->completion);
    else
        sem_post(&((struct half_tile *)job)->finished);
}

static void run_job(struct worker *worker, struct job *job)
{
    struct workers *workers = worker->workers;
    const bool cancelled = __atomic_load_n(&workers->cancelled, __ATOMIC_RELAXED);
    const int64_t start = clock_microseconds();
    __atomic_store_n(&job->begun, true, __ATOMIC_RELAXED);
    job->waited = microseconds(start - job->submitted);
    release_queue_space(workers, job);
    worker->job = job;
    job_guard_begin(&worker->guard, canvas_sampler(tile_maker_canvas(worker->context.maker)),
                    job->expected);
    job->stopped = job->used = 0;
    job->run(job, cancelled ? NULL : &worker->context);
    if (job->stopped == 0) {
        job->stopped = job_guard_end(&worker->guard);
        job->stopped_by_time = job_guard_stopped_by_time(&worker->guard);
    }
    job->used += job_guard_used(&worker->guard);
    const int64_t took = clock_microseconds() - start;
    job->took = microseconds(took);
    if (!cancelled) {
        metrics_count_render(worker->context.counts, job->kind, took);
        /* What was given away counts for the thread that has the whole tile. */
        throughput_add(&worker->throughput, job->loop ? job->expected : 0, (uint64_t)took);
        __atomic_store_n(&worker->rate, throughput_rate(&worker->throughput), __ATOMIC_RELAXED);
    }
    finish(job);
}

/* False if there is no job. One that was taken back comes as null. */
static bool next_job(struct worker *worker, void **job)
{
    const struct job_queue *queues = worker->workers->queues;
    enum priority first =
        ++worker->polls % RENDER_FIRST_EVERY == 0 ? PRIORITY_RENDER : PRIORITY_SHORT;
    return queue_pop(queues[first].queue, job) ||
           queue_pop(queues[first == PRIORITY_RENDER ? PRIORITY_SHORT : PRIORITY_RENDER].queue,
                     job) ||
           queue_pop(queues[PRIORITY_LAST].queue, job);
}

/* While the other queues have jobs, nobody pops PRIORITY_LAST: so with each job one of its cells
 * goes whose job was taken back, and its post of the semaphore, else they would fill the queue. */
static void drop_empty_cell(struct workers *workers)
{
    if (sem_trywait(&workers->waiting) == 0 &&
        !queue_pop_taken_back(workers->queues[PRIORITY_LAST].queue))
        sem_post(&workers->waiting);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR)
        ;
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct workers *workers = worker->workers;
    priority_lower(workers->share);
    for (;;) {
        __atomic_fetch_add(&workers->idle_threads, 1, __ATOMIC_RELAXED);
        wait_for(&workers->waiting);
        __atomic_fetch_sub(&workers->idle_threads, 1, __ATOMIC_RELAXED);
        void *job;
        if (next_job(worker, &job)) {
            drop_empty_cell(workers);
            if (job)
                run_job(worker, job);
        } else if (__atomic_load_n(&workers->stopping, __ATOMIC_ACQUIRE)) {
            return NULL;
        } else {
            /* A push to the head of the queue is half done. */
            sem_post(&workers->waiting);
            sched_yield();
        }
    }
}

void workers_set_limits(struct workers *workers, struct workers_limits limits)
{
    __atomic_store_n(&workers->limits.number, limits.number, __ATOMIC_RELAXED);
    __atomic_store_n(&workers->limits.expected, limits.expected, __ATOMIC_RELAXED);
}

static bool claim_queue_space(struct workers *workers, const struct job *job)
{
    const size_t max_jobs = __atomic_load_n(&workers->limits.number, __ATOMIC_RELAXED);
    const uint64_t max_expected = __atomic_load_n(&workers->limits.expected, __ATOMIC_RELAXED);
    struct job_queue *job_queue =
        &workers->queues[__atomic_load_n(&job->priority, __ATOMIC_RELAXED)];
    const size_t number = __atomic_fetch_add(&job_queue->number, 1, __ATOMIC_RELAXED);
    const uint64_t expected =
        __atomic_fetch_add(&job_queue->expected, job->expected, __ATOMIC_RELAXED);
    if (number < max_jobs &&
        (number == 0 || (expected <= max_expected && job->expected <= max_expected - expected)))
        return true;
    release_queue_space(workers, job);
    return false;
}

static bool enqueue(struct workers *workers, enum priority priority, struct job *job)
{
    __atomic_store_n(&job->priority, priority, __ATOMIC_RELAXED);
    if (!claim_queue_space(workers, job))
        return false;
    if (!queue_push(workers->queues[priority].queue, job, &job->queue_position)) {
        release_queue_space(workers, job);
        return false;
    }
    sem_post(&workers->waiting);
    return true;
}

bool workers_submit(struct workers *workers, enum priority priority, struct job *job)
{
    job->abandoned = false;
    job->submitted = clock_microseconds();
    __atomic_store_n(&job->begun, false, __ATOMIC_RELAXED);
    return enqueue(workers, priority, job);
}

/* Of a job that is in no queue. */
static void complete_abandoned(struct job *job)
{
    job->abandoned = true;
    event_loop_post(job->loop, &job->completion);
}

void workers_move(struct workers *workers, enum priority priority, struct job *job)
{
    if (__atomic_load_n(&job->priority, __ATOMIC_RELAXED) == priority ||
        !workers_take_back(workers, job))
        return;
    if (!enqueue(workers, priority, job) && !enqueue(workers, PRIORITY_LAST, job))
        complete_abandoned(job);
}

void workers_abandon(struct workers *workers, struct job *job)
{
    if (workers_take_back(workers, job))
        complete_abandoned(job);
}

/* The position may be that of an earlier push: then the job is not found. */
bool workers_take_back(struct workers *workers, struct job *job)
{
    const enum priority priority = __atomic_load_n(&job->priority, __ATOMIC_RELAXED);
    const size_t queue_position = __atomic_load_n(&job->queue_position, __ATOMIC_RELAXED);
    if (!queue_take_back(workers->queues[priority].queue, queue_position, job))
        return false;
    release_queue_space(workers, job);
    return true;
}

bool workers_job_has_begun(const struct job *job)
{
    return __atomic_load_n(&job->begun, __ATOMIC_RELAXED);
}

double workers_queue_fill(const struct workers *workers, enum priority priority)
{
    const struct job_queue *job_queue = &workers->queues[priority];
    const double max_jobs = (double)__atomic_load_n(&workers->limits.number, __ATOMIC_RELAXED);
    const double max_expected =
        (double)__atomic_load_n(&workers->limits.expected, __ATOMIC_RELAXED);
    return double_max((double)__atomic_load_n(&job_queue->number, __ATOMIC_RELAXED) / max_jobs,
                      (double)__atomic_load_n(&job_queue->expected, __ATOMIC_RELAXED) /
                          max_expected);
}

size_t workers_queue_length(const struct workers *workers, enum priority priority)
{
    return __atomic_load_n(&workers->queues[priority].number, __ATOMIC_RELAXED);
}

static bool thread_is_free(const struct workers *workers)
{
    size_t jobs = 0;
    for (unsigned i = 0; i < PRIORITY_COUNT; i++)
        jobs += workers_queue_length(workers, i);
    return jobs == 0 && __atomic_load_n(&workers->idle_threads, __ATOMIC_RELAXED) > 0;
}

/* On the thread of the worker that makes the tile. A job that was cancelled has not run. */
static bool run_halves(void *context, tile_half_function *run, void *const halves[2])
{
    struct worker *worker = context;
    struct half_tile second = {
        .job = {.run = run_half, .kind = METRICS_NOTHING, .expected = worker->job->expected},
        .run = run,
        .half = halves[1],
    };
    if (!thread_is_free(worker->workers))
        return false;
    sem_init(&second.finished, 0, 0);
    const bool shared = workers_submit(worker->workers, PRIORITY_LAST, &second.job);
    if (shared) {
        run(worker->context.maker, halves[0]);
        if (!workers_take_back(worker->workers, &second.job))
            wait_for(&second.finished);
        worker->job->stopped = second.job.stopped;
        worker->job->used = second.job.used; /* 0 of a half that was taken back */
        worker->job->stopped_by_time = second.job.stopped_by_time;
        if (!second.done)
            run(worker->context.maker, halves[1]);
    }
    sem_destroy(&second.finished);
    return shared;
}

static bool worker_start(struct worker *worker, struct error *error)
{
    worker->context.maker = tile_maker_new();
    if (worker->context.maker)
        worker->context.chunks = chunk_maker_new(tile_maker_canvas(worker->context.maker));
    if (!worker->context.maker || !worker->context.chunks)
        return error_memory(error);
    sampler_set_cache(canvas_sampler(tile_maker_canvas(worker->context.maker)),
                      worker->workers->network);
    tile_maker_set_threads(worker->context.maker, &(struct tile_threads){run_halves, worker});
    worker->started = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    return worker->started || error_set(error, ERROR_IO, "cannot start a render thread");
}

struct workers *workers_start(struct workers_threads threads, struct workers_limits limits,
                              struct metrics *metrics, struct error *error)
{
    struct workers *workers = calloc(1, sizeof *workers + threads.count * sizeof(struct worker));
    if (!workers)
        return error_memory_null(error);
    sem_init(&workers->waiting, 0, 0);
    workers->share = threads.share;
    workers->count = threads.count;
    workers->limits = limits;
    workers->network = drainage_cache_new(threads.network_memory);
    const double slowness = job_guard_measure_slowness();
    bool done = workers->network || error_memory(error);
    for (unsigned i = 0; i < PRIORITY_COUNT && done; i++) {
        workers->queues[i].queue = queue_new(2 * WORKERS_QUEUE_MAX);
        done = workers->queues[i].queue || error_memory(error);
    }
    for (unsigned i = 0; i < threads.count && done; i++) {
        workers->threads[i].workers = workers;
        workers->threads[i].guard =
            (struct job_guard){.cancelled = &workers->cancelled, .slowness = slowness};
        workers->threads[i].rate = throughput_rate(&workers->threads[i].throughput);
        workers->threads[i].context.counts = metrics_thread(metrics, threads.first + i);
        done = worker_start(&workers->threads[i], error);
    }
    if (done)
        return workers;
    workers_stop(workers);
    return NULL;
}

unsigned workers_retry_after(const struct workers *workers)
{
    uint64_t expected = 0, rate = 0;
    for (unsigned i = 0; i < PRIORITY_LAST; i++)
        expected += __atomic_load_n(&workers->queues[i].expected, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < workers->count; i++)
        rate += __atomic_load_n(&workers->threads[i].rate, __ATOMIC_RELAXED);
    return throughput_retry_after(expected, rate);
}

void workers_cancel_all(struct workers *workers)
{
    __atomic_store_n(&workers->cancelled, true, __ATOMIC_RELAXED);
}

void workers_stop(struct workers *workers)
{
    if (!workers)
        return;
    __atomic_store_n(&workers->stopping, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < workers->count; i++)
        sem_post(&workers->waiting);
    for (unsigned i = 0; i < workers->count; i++) {
        struct worker *worker = &workers->threads[i];
        if (worker->started)
            pthread_join(worker->thread, NULL);
        tile_maker_free(worker->context.maker);
        chunk_maker_free(worker->context.chunks);
        buffer_free(&worker->context.bytes);
    }
    for (unsigned i = 0; i < PRIORITY_COUNT; i++)
        queue_free(workers->queues[i].queue);
    sem_destroy(&workers->waiting);
    drainage_cache_release(workers->network);
    free(workers);
}

size_t workers_network_bytes(const struct workers *workers)
{
    return drainage_cache_bytes(workers->network);
}
