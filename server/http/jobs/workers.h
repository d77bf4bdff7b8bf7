/* Render threads: they do what takes longer than an event loop may wait. They run at idle priority
 * (SCHED_IDLE), so that a hit is answered while misses are being rendered, and share no lock with
 * the loops.
 *
 * What waits for them is bounded twice: in number and in cost. */
#ifndef TERRANE_SERVER_HTTP_JOBS_WORKERS_H
#define TERRANE_SERVER_HTTP_JOBS_WORKERS_H

#include "server/http/connection/event_loop.h"
#include "server/log/metrics.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"

/* What one render thread works with. */
struct worker_context {
    struct tile_maker *maker;
    struct chunk_maker *chunks;
    struct buffer bytes;           /* kept from job to job: fresh memory costs page faults */
    struct metrics_counts *counts; /* this thread's */
};

/* Where a job waits. Short questions, at which somebody looks at the clock, overtake tiles and what
 * costs more than a tile; but every few jobs a thread looks for a tile first, so that tiles are
 * painted whatever is asked. */
enum priority {
    PRIORITY_SHORT,
    PRIORITY_RENDER,
    PRIORITY_COUNT,
};

/* A member of a struct of the caller's, who owns it; not to be touched between workers_submit() and
 * the notice, unless workers_take_back() gives it back. */
struct job {
    struct completion completion; /* acts on `loop` when the job has run, or was dropped */
    struct event_loop *loop;
    /* On a render thread. `worker` is null if the job was cancelled: then it only says so. */
    void (*run)(struct job *job, struct worker_context *worker);
    uint64_t cost; /* of running it: see server/render/cost.h */
    /* What it is counted as; `run` may change it. */
    enum metrics_kind kind;
    int64_t submitted; /* clock_microseconds() */
    /* Of what has run, in microseconds: how long it waited, and how long it took. */
    uint32_t waited, took;
    uint32_t encoded; /* of that, for compressing: for `run` to fill, 0 if there was none */
    bool abandoned;   /* at the notice: it was not run, for nobody cared and others waited */
    /* workers.c's: */
    enum priority priority;
    size_t queue_position; /* atomic */
    bool counts;           /* atomic: it takes up room in its lane */
    bool begun;            /* atomic */
};

struct workers;

enum { WORKERS_QUEUE_MAX = 16384 }; /* as the table of options has it */

struct workers_limits {
    size_t number; /* jobs that may wait in a lane, at most WORKERS_QUEUE_MAX, */
    uint64_t cost; /* and their cost together; one alone may cost more */
};

struct workers_options {
    unsigned count; /* threads */
    struct workers_limits limits;
    struct metrics *metrics; /* the threads' counts begin at index `first` */
    size_t first;
};

/* Null on failure. */
struct workers *workers_start(const struct workers_options *options, struct error *error);
/* What waits already stays, even if it is more. From any thread. */
void workers_set_limits(struct workers *workers, struct workers_limits limits);
/* False if the lane is full: nothing happened. */
bool workers_submit(struct workers *workers, enum priority priority, struct job *job);
/* Nobody cares for the job any more: it takes up no room from now on, and when its turn comes it is
 * run only if nothing else waits. From any thread, at any time between submission and notice. */
void workers_abandon(struct workers *workers, struct job *job);
/* Takes the job back if it has not begun: then it neither runs nor is there a notice, and it is the
 * caller's again. */
bool workers_take_back(struct workers *workers, struct job *job);
/* Whether a thread has taken it. */
bool workers_job_has_begun(const struct job *job);
/* How many jobs wait in the lane, at about this moment. */
size_t workers_queue_length(const struct workers *workers, enum priority priority);
/* Seconds until what waits now should be done: 1 … THROUGHPUT_RETRY_MAX. */
unsigned workers_retry_after(const struct workers *workers);
/* From now on jobs are run as cancelled; those that are running end as usual. */
void workers_cancel_all(struct workers *workers);
/* Runs what still waits, ends the threads and frees. Null is allowed. */
void workers_stop(struct workers *workers);

#endif
