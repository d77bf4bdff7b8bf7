#define _GNU_SOURCE /* SCHED_IDLE */

#include "server/http/workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

#include "server/clock.h"
#include "server/http/pace.h"
#include "server/http/queue.h"

enum { TILE_FIRST_EVERY = 8 }; /* jobs */

struct worker {
    struct workers *workers;
    struct tools tools;
    struct pace pace;
    uint64_t rate;  /* atomic: the pace's */
    unsigned looks; /* how often it looked for a job */
    pthread_t thread;
    bool started;
};

/* The queue also holds what does not count any more, until its turn comes. */
struct waiting_room {
    struct queue *queue;
    size_t number; /* atomic, like the cost: of jobs that count */
    uint64_t cost;
};

struct workers {
    struct waiting_room lanes[LANES];
    struct workers_limits limits; /* atomic, each for itself */
    sem_t waiting;                /* one post for each job, and one for each thread at the end */
    bool cancelled;               /* atomic, like `stopping` */
    bool stopping;
    unsigned count;
    struct worker threads[];
};

/* Frees the job's room; false if that was done before. */
static bool stop_counting(struct workers *workers, struct job *job)
{
    if (!__atomic_exchange_n(&job->counts, false, __ATOMIC_ACQ_REL))
        return false;
    struct waiting_room *room = &workers->lanes[job->lane];
    __atomic_fetch_sub(&room->number, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&room->cost, job->cost, __ATOMIC_RELAXED);
    return true;
}

static bool nothing_waits(const struct workers *workers)
{
    for (unsigned i = 0; i < LANES; i++)
        if (__atomic_load_n(&workers->lanes[i].number, __ATOMIC_RELAXED) > 0)
            return false;
    return true;
}

static uint32_t microseconds(int64_t span)
{
    return span < 0 ? 0 : span > UINT32_MAX ? UINT32_MAX : (uint32_t)span;
}

static void run_job(struct worker *worker, struct job *job)
{
    struct workers *workers = worker->workers;
    const bool cancelled = __atomic_load_n(&workers->cancelled, __ATOMIC_RELAXED);
    const int64_t start = clock_microseconds();
    __atomic_store_n(&job->begun, true, __ATOMIC_RELAXED);
    job->waited = microseconds(start - job->submitted);
    const bool wanted = stop_counting(workers, job) || cancelled || nothing_waits(workers);
    if (wanted)
        job->run(job, cancelled ? NULL : &worker->tools);
    else
        job->dropped = true;
    const int64_t took = clock_microseconds() - start;
    job->took = microseconds(took);
    if (wanted && !cancelled) {
        metrics_count_render(worker->tools.counts, job->kind, took);
        pace_add(&worker->pace, job->cost, (uint64_t)took);
        __atomic_store_n(&worker->rate, pace_rate(&worker->pace), __ATOMIC_RELAXED);
    }
    loop_post(job->loop, &job->notice);
}

/* False if there is none. A job that was taken back comes as null. */
static bool next_job(struct worker *worker, void **job)
{
    const struct waiting_room *lanes = worker->workers->lanes;
    enum lane first = ++worker->looks % TILE_FIRST_EVERY == 0 ? LANE_TILES : LANE_QUESTIONS;
    return queue_pop(lanes[first].queue, job) ||
           queue_pop(lanes[first == LANE_TILES ? LANE_QUESTIONS : LANE_TILES].queue, job);
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct workers *workers = worker->workers;
    /* Where the system refuses, renders compete with the loops: slower hits, nothing worse. */
    pthread_setschedparam(pthread_self(), SCHED_IDLE, &(struct sched_param){0});
    for (;;) {
        while (sem_wait(&workers->waiting) != 0 && errno == EINTR)
            ;
        void *job;
        if (next_job(worker, &job)) {
            if (job)
                run_job(worker, job);
        } else if (__atomic_load_n(&workers->stopping, __ATOMIC_ACQUIRE)) {
            return NULL;
        } else {
            /* An older push is half done. */
            sem_post(&workers->waiting);
            sched_yield();
        }
    }
}

static bool worker_start(struct worker *worker, struct error *error)
{
    worker->tools.maker = tile_maker_new();
    worker->tools.chunks = chunk_maker_new();
    if (!worker->tools.maker || !worker->tools.chunks)
        return error_memory(error);
    worker->started = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    return worker->started || error_set(error, ERROR_IO, "cannot start a render thread");
}

struct workers *workers_start(const struct workers_options *options, struct error *error)
{
    const unsigned count = options->count;
    struct workers *workers = calloc(1, sizeof *workers + count * sizeof(struct worker));
    if (!workers) {
        error_memory(error);
        return NULL;
    }
    sem_init(&workers->waiting, 0, 0);
    workers->count = count;
    workers->limits = options->limits;
    bool done = true;
    for (unsigned i = 0; i < LANES && done; i++) {
        workers->lanes[i].queue = queue_new(2 * WORKERS_QUEUE_MAX);
        done = workers->lanes[i].queue || error_memory(error);
    }
    for (unsigned i = 0; i < count; i++) {
        workers->threads[i].workers = workers;
        workers->threads[i].rate = pace_rate(&workers->threads[i].pace);
        workers->threads[i].tools.counts = metrics_thread(options->metrics, options->first + i);
    }
    for (unsigned i = 0; i < count && done; i++)
        done = worker_start(&workers->threads[i], error);
    if (done)
        return workers;
    workers_stop(workers);
    return NULL;
}

void workers_limit(struct workers *workers, struct workers_limits limits)
{
    __atomic_store_n(&workers->limits.number, limits.number, __ATOMIC_RELAXED);
    __atomic_store_n(&workers->limits.cost, limits.cost, __ATOMIC_RELAXED);
}

static bool take_room(struct workers *workers, struct job *job)
{
    const size_t most = __atomic_load_n(&workers->limits.number, __ATOMIC_RELAXED);
    const uint64_t dearest = __atomic_load_n(&workers->limits.cost, __ATOMIC_RELAXED);
    struct waiting_room *room = &workers->lanes[job->lane];
    const size_t number = __atomic_fetch_add(&room->number, 1, __ATOMIC_RELAXED);
    const uint64_t cost = __atomic_fetch_add(&room->cost, job->cost, __ATOMIC_RELAXED);
    __atomic_store_n(&job->counts, true, __ATOMIC_RELEASE);
    if (number < most && (number == 0 || (cost <= dearest && job->cost <= dearest - cost)))
        return true;
    stop_counting(workers, job);
    return false;
}

bool workers_submit(struct workers *workers, enum lane lane, struct job *job)
{
    job->lane = lane;
    job->dropped = false;
    job->submitted = clock_microseconds();
    __atomic_store_n(&job->begun, false, __ATOMIC_RELAXED);
    if (!take_room(workers, job))
        return false;
    if (!queue_push(workers->lanes[lane].queue, job, &job->place)) {
        stop_counting(workers, job);
        return false;
    }
    sem_post(&workers->waiting);
    return true;
}

void workers_forgo(struct workers *workers, struct job *job)
{
    stop_counting(workers, job);
}

bool workers_withdraw(struct workers *workers, struct job *job)
{
    const size_t place = __atomic_load_n(&job->place, __ATOMIC_RELAXED);
    if (!queue_take_back(workers->lanes[job->lane].queue, place, job))
        return false;
    stop_counting(workers, job);
    return true;
}

bool workers_have_begun(const struct job *job)
{
    return __atomic_load_n(&job->begun, __ATOMIC_RELAXED);
}

size_t workers_waiting(const struct workers *workers, enum lane lane)
{
    return __atomic_load_n(&workers->lanes[lane].number, __ATOMIC_RELAXED);
}

unsigned workers_retry_after(const struct workers *workers)
{
    uint64_t cost = 0, rate = 0;
    for (unsigned i = 0; i < LANES; i++)
        cost += __atomic_load_n(&workers->lanes[i].cost, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < workers->count; i++)
        rate += __atomic_load_n(&workers->threads[i].rate, __ATOMIC_RELAXED);
    return pace_retry_after(cost, rate);
}

void workers_cancel(struct workers *workers)
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
        tile_maker_free(worker->tools.maker);
        chunk_maker_free(worker->tools.chunks);
        buffer_free(&worker->tools.bytes);
    }
    for (unsigned i = 0; i < LANES; i++)
        queue_free(workers->lanes[i].queue);
    sem_destroy(&workers->waiting);
    free(workers);
}
