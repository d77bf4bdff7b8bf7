/* Render threads: they do what takes longer than an event loop may wait. They run at idle priority
 * (SCHED_IDLE), so that a hit is answered while misses are being rendered, and share no lock with
 * the loops. */
#ifndef TERRANE_SERVER_HTTP_WORKERS_H
#define TERRANE_SERVER_HTTP_WORKERS_H

#include "server/chunk_maker.h"
#include "server/http/loop.h"
#include "server/tile_maker.h"

/* What one render thread works with. */
struct tools {
    struct tile_maker *maker;
    struct chunk_maker *chunks;
    struct buffer bytes; /* kept from job to job: fresh memory costs page faults */
};

/* A member of a struct of the caller's, who owns it; not to be touched between workers_submit() and
 * the notice. */
struct job {
    struct notice notice; /* acts on `loop` when the job has run */
    struct loop *loop;
    /* On a render thread. `tools` is null if the job was cancelled: then it only says so. */
    void (*run)(struct job *job, struct tools *tools);
};

/* Where a job waits. Questions are short and somebody looks at the clock, so they overtake tiles;
 * but every few jobs a thread looks for a tile first, so that tiles are painted whatever is asked.
 */
enum lane {
    LANE_QUESTIONS,
    LANE_TILES,
    LANES,
};

struct workers;

/* `count` threads with a queue of `limit` for each lane in front. Null on failure. */
struct workers *workers_start(unsigned count, size_t limit, struct error *error);
/* False if the lane is full: nothing happened. */
bool workers_submit(struct workers *workers, enum lane lane, struct job *job);
/* How many jobs wait in the lane, at about this moment. */
size_t workers_waiting(const struct workers *workers, enum lane lane);
/* From now on jobs are run as cancelled; those that are running end as usual. */
void workers_cancel(struct workers *workers);
/* Runs what still waits, ends the threads and frees. Null is allowed. */
void workers_stop(struct workers *workers);

#endif
