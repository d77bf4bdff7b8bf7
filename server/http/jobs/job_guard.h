/* Limits what a render thread spends on a job, whatever was expected of it.
 *
 * The expected time is an upper bound, known before the work. Should it be wrong all the same, two
 * limits end the job, with ERROR_WORK:
 *
 * - the work that the core counts (core/base/work_meter.h): a job may take four times the expected
 *   time and 0.1 s more, but not more than 0.5 s in all, or 1.25 times the expected time if that is
 *   more. The same job ends at the same place on every machine, as far as nothing is kept from jobs
 *   before it.
 * - the processor time of the thread, for what the core does not count or counts wrong: 8 times the
 *   expected time, and 1 s. Both are scaled by how slow this build is on this machine, so that
 *   sanitizers and emulators do not end jobs.
 *
 * Each of two threads that share a tile has these limits for its half.
 *
 * When the server has drained, jobs that have begun end with ERROR_CANCELLED. */
#ifndef TERRANE_SERVER_HTTP_JOBS_JOB_GUARD_H
#define TERRANE_SERVER_HTTP_JOBS_JOB_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct sampler;

/* A member of a render thread's own; zeroed but for the first two at first. */
struct job_guard {
    const bool *cancelled; /* atomic: jobs are to end */
    double slowness;       /* of job_guard_measure_slowness() */
    struct sampler *sampler;
    int64_t begun, most; /* of the thread's processor time, nanoseconds */
};

/* Measures how many times as long as on the machine of tests/bench/README.md sampling takes here:
 * at least 1. Takes some milliseconds. */
double job_guard_measure_slowness(void);

/* The work that a job may take of which so many nanoseconds are expected, in nanoseconds. */
uint64_t job_guard_work_limit(uint64_t expected);
/* The same in processor time. */
int64_t job_guard_time_limit(uint64_t expected, double slowness);

/* Before a job: limits what the sampler may do. */
void job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t expected);
/* The processor time that the thread has spent on it, in nanoseconds of that machine. */
uint64_t job_guard_used(const struct job_guard *guard);
/* After it: the nanoseconds that it had taken when it was stopped for taking too much; else 0. */
uint64_t job_guard_end(const struct job_guard *guard);
/* True if it was the processor time that stopped it, which may have gone elsewhere, and not the
 * work that was counted. */
bool job_guard_stopped_by_time(const struct job_guard *guard);

#endif
