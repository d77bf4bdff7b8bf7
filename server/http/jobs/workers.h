/* Render threads: they do work that takes longer than an event loop may wait. They have a
 * lower priority (server/base/priority.h), so that a hit is answered while misses are being
 * rendered, and share no lock with the loops. The jobs that wait for them are bounded in number and
 * in the time that they should take. */
#ifndef TERRANE_SERVER_HTTP_JOBS_WORKERS_H
#define TERRANE_SERVER_HTTP_JOBS_WORKERS_H

#include "server/base/priority.h"
#include "server/http/connection/event_loop.h"
#include "server/log/metrics.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"

/* The makers, the buffer and the counts of one render thread. */
struct worker_context {
    struct tile_maker *maker;
    struct chunk_maker *chunks;
    struct buffer bytes;           /* kept from job to job: fresh memory costs page faults */
    struct metrics_counts *counts; /* this thread's */
};

/* The queue in which a job waits. Short jobs overtake tiles and whatever takes longer than a tile;
 * but now and then each thread looks for a tile first, so that tiles are rendered under any load.
 * Jobs of PRIORITY_LAST run when no other job waits. */
enum priority {
    PRIORITY_SHORT,
    PRIORITY_RENDER,
    PRIORITY_LAST,
    PRIORITY_COUNT,
};

struct job;
/* On a render thread. A null `worker` means that the server shuts down: no work is done. */
typedef void job_function(struct job *job, struct worker_context *worker);

/* A member of a struct of the caller's, who owns it but must not touch it between workers_submit()
 * and the completion, unless workers_take_back() gives it back. */
struct job {
    struct completion completion; /* posted to `loop` when the job has run or was abandoned */
    struct event_loop *loop;
    job_function *run;
    uint64_t expected;      /* nanoseconds that it should take at most, as `used` counts them */
    enum metrics_kind kind; /* what it is counted as; `run` may change it */
    int64_t submitted;      /* clock_microseconds() */
    /* After it has run, in microseconds: */
    uint32_t waited, took;
    uint32_t encoded; /* part of `took` that went into compressing; filled by `run` */
    /* The nanoseconds that it had taken when job_guard.h stopped it; 0 if it was not. Its errors
     * then are ERROR_WORK. */
    uint64_t stopped;
    bool stopped_by_time;
    /* The processor time that it took, in nanoseconds of the machine of tests/bench/README.md. */
    uint64_t used;
    bool abandoned; /* at the completion: it has not run */
    /* workers.c's, all atomic: */
    enum priority priority;
    size_t queue_position;
    bool begun;
};

struct workers;

enum { WORKERS_QUEUE_MAX = 16384 }; /* as the table of options has it */

struct workers_limits {
    size_t number;     /* jobs that may wait in a queue, at most WORKERS_QUEUE_MAX, */
    uint64_t expected; /* nanoseconds that they should take together; a job alone may take more */
};

/* The threads, whose counts begin at index `first` of the metrics. */
struct workers_threads {
    unsigned count;
    enum priority_share share;
    size_t first;
    size_t network_memory; /* bytes of streams and land that they share */
};

/* Starts the threads. Null on failure. */
struct workers *workers_start(struct workers_threads threads, struct workers_limits limits,
                              struct metrics *metrics, struct error *error);
/* The bytes that streams and land take now. */
size_t workers_network_bytes(const struct workers *workers);
/* Jobs that wait already stay, even if they are more. From any thread. */
void workers_set_limits(struct workers *workers, struct workers_limits limits);
/* False if the queue is full: nothing happened. */
bool workers_submit(struct workers *workers, enum priority priority, struct job *job);
/* The following three may be called by any thread, but not at once for one job, from before its
 * submission to its completion. They do nothing if the job does not wait.
 *
 * Moves the job to the end of the queue of that priority; if that is full, to the end of
 * PRIORITY_LAST; if that is full, too, the job is abandoned. */
void workers_move(struct workers *workers, enum priority priority, struct job *job);
/* Nobody wants the result any more: the job does not run, and its completion is posted. */
void workers_abandon(struct workers *workers, struct job *job);
/* Takes the job back if it has not begun: then it does not run, its completion is not posted, and
 * it is the caller's again. */
bool workers_take_back(struct workers *workers, struct job *job);
/* True if a thread has taken the job. */
bool workers_job_has_begun(const struct job *job);
/* How much of its limits the queue has used, by number or by time: from 1 on it is full, unless
 * the job is alone. Approximate. */
double workers_queue_fill(const struct workers *workers, enum priority priority);
/* The approximate number of jobs that wait in the queue. */
size_t workers_queue_length(const struct workers *workers, enum priority priority);
/* Seconds until the jobs that wait now should be done: 1 … THROUGHPUT_RETRY_MAX. */
unsigned workers_retry_after(const struct workers *workers);
/* From now on jobs run with a null `worker`; those that have begun end as usual. */
void workers_cancel_all(struct workers *workers);
/* Runs the jobs that still wait, ends the threads and frees. Null is allowed. */
void workers_stop(struct workers *workers);

#endif
