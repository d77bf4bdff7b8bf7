#define _GNU_SOURCE /* SCHED_IDLE */

#include "server/http/workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

#include "server/http/queue.h"

enum { TILE_FIRST_EVERY = 8 }; /* jobs */

struct worker {
    struct workers *workers;
    struct tools tools;
    unsigned looks; /* how often it looked for a job */
    pthread_t thread;
    bool started;
};

struct workers {
    struct queue *lanes[LANES];
    sem_t waiting;  /* one post for each job, and one for each thread at the end */
    bool cancelled; /* atomic, like `stopping` */
    bool stopping;
    unsigned count;
    struct worker threads[];
};

static void run_job(struct worker *worker, struct job *job)
{
    bool cancelled = __atomic_load_n(&worker->workers->cancelled, __ATOMIC_RELAXED);
    job->run(job, cancelled ? NULL : &worker->tools);
    loop_post(job->loop, &job->notice);
}

static struct job *next_job(struct worker *worker)
{
    struct queue *const *lanes = worker->workers->lanes;
    enum lane first = ++worker->looks % TILE_FIRST_EVERY == 0 ? LANE_TILES : LANE_QUESTIONS;
    struct job *job = queue_pop(lanes[first]);
    return job ? job : queue_pop(lanes[first == LANE_TILES ? LANE_QUESTIONS : LANE_TILES]);
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
        struct job *job = next_job(worker);
        if (job) {
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

struct workers *workers_start(unsigned count, size_t limit, struct error *error)
{
    struct workers *workers = calloc(1, sizeof *workers + count * sizeof(struct worker));
    if (!workers) {
        error_memory(error);
        return NULL;
    }
    sem_init(&workers->waiting, 0, 0);
    workers->count = count;
    bool done = true;
    for (unsigned i = 0; i < LANES && done; i++) {
        workers->lanes[i] = queue_new(limit);
        done = workers->lanes[i] || error_memory(error);
    }
    for (unsigned i = 0; i < count; i++)
        workers->threads[i].workers = workers;
    for (unsigned i = 0; i < count && done; i++)
        done = worker_start(&workers->threads[i], error);
    if (done)
        return workers;
    workers_stop(workers);
    return NULL;
}

bool workers_submit(struct workers *workers, enum lane lane, struct job *job)
{
    if (!queue_push(workers->lanes[lane], job))
        return false;
    sem_post(&workers->waiting);
    return true;
}

size_t workers_waiting(const struct workers *workers, enum lane lane)
{
    return queue_length(workers->lanes[lane]);
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
        queue_free(workers->lanes[i]);
    sem_destroy(&workers->waiting);
    free(workers);
}
