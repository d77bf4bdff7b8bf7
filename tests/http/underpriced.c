/* The server with prices that are wrong: a job may take what is set here, whatever it is priced at.
 * Linked with -Wl,--wrap=job_guard_begin.
 *
 * TERRANE_JOB_WORK are nanoseconds of work as the core counts it; TERRANE_JOB_TIME are nanoseconds
 * of processor time; TERRANE_JOBS is how many jobs have these limits, from the first on. What is
 * not set remains as the price allows, or is all jobs. */
#include <stdlib.h>

#include "core/sampling/sampler.h"
#include "server/http/jobs/job_guard.h"

void __real_job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t expected);
void __wrap_job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t expected);

void __wrap_job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t expected)
{
    static unsigned long begun; /* atomic */
    const char *work = getenv("TERRANE_JOB_WORK"), *time = getenv("TERRANE_JOB_TIME");
    const char *jobs = getenv("TERRANE_JOBS");
    __real_job_guard_begin(guard, sampler, expected);
    if (jobs && __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED) >= strtoul(jobs, NULL, 10))
        return;
    struct work_limit limit = sampler_meter(sampler)->limit;
    if (work)
        limit.most = strtoull(work, NULL, 10);
    if (time)
        guard->most = strtoll(time, NULL, 10);
    sampler_set_limit(sampler, &limit);
}
