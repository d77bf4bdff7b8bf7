/* Requests whose jobs were stopped because they took more than is allowed (job_guard.h).
 * They are remembered by a hash of what was asked for, so that the same request is refused at once
 * the next time, until the server ends or the entry is overwritten by a newer one. Those that were
 * stopped by their processor time, which may be a matter of the machine, are so for ten minutes.
 *
 * All on the threads of event loops. */
#ifndef TERRANE_SERVER_HTTP_JOBS_STOPPED_JOBS_H
#define TERRANE_SERVER_HTTP_JOBS_STOPPED_JOBS_H

#include "core/base/hash.h"
#include "server/http/jobs/http_request.h"

struct stopped_jobs;

struct stopped_jobs *stopped_jobs_new(void);          /* null when memory is out */
void stopped_jobs_free(struct stopped_jobs *stopped); /* null is allowed */

/* The hash of a request by its worlds, target and body: for those that have no cache key. It is
 * another one after a reload, as a target may name several worlds. */
struct hash128 stopped_jobs_hash(const struct http_request *request);

/* True if the same was not stopped before; else false with 413. The job's loop says what time it
 * is. */
bool stopped_jobs_check(struct stopped_jobs *stopped, struct hash128 asked,
                        const struct event_loop *loop, struct problem *problem);

/* Remembers a job that has `stopped` set. */
void stopped_jobs_add(struct stopped_jobs *stopped, struct hash128 asked, const struct job *job);
/* Logs a line with the target of its request, which may be null, and fills the problem: 413 with
 * what the job took and what was expected. Returns false. */
bool stopped_jobs_report(const struct job *job, const struct http_request *request,
                         struct problem *problem);

#endif
