/* The server with prices that are wrong: a job may take what is set here, whatever it is priced at.
 * Linked with -Wl,--wrap=job_guard_begin.
 *
 * TERRANE_JOB_WORK are nanoseconds of work as the core counts it; TERRANE_JOB_TIME are nanoseconds
 * of processor time. What is not set remains as the price allows. */
#include <stdlib.h>

#include "core/world/sampler.h"
#include "server/http/jobs/job_guard.h"

void __real_job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t cost);
void __wrap_job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t cost);

void __wrap_job_guard_begin(struct job_guard *guard, struct sampler *sampler, uint64_t cost)
{
    const char *work = getenv("TERRANE_JOB_WORK"), *time = getenv("TERRANE_JOB_TIME");
    __real_job_guard_begin(guard, sampler, cost);
    struct work_limit limit = sampler_meter(sampler)->limit;
    if (work)
        limit.most = strtoull(work, NULL, 10);
    if (time)
        guard->most = strtoll(time, NULL, 10);
    sampler_set_limit(sampler, &limit);
}
