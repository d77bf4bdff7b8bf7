/* A table of fixed size, some entries for each value of some bits of the hash: a job that is
 * overwritten there is only stopped once more. The loops share a lock, which no render thread ever
 * holds; while there are no entries, none takes it. */
#include "server/http/jobs/stopped_jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/log/log.h"

enum {
    SETS = 1024,
    WAYS = 4,              /* entries for the same bits of a hash */
    BY_TIME_KEPT = 600000, /* milliseconds that a stop by processor time is remembered */
};

struct entry {
    struct hash128 asked;
    uint64_t took, expected; /* of struct job; `took` is 0 in an entry without a job */
    int64_t end;             /* by the loop's clock */
};

struct stopped_jobs {
    pthread_mutex_t lock;
    bool any;                         /* atomic: there is an entry */
    struct entry entries[SETS][WAYS]; /* in each the newest first */
};

struct stopped_jobs *stopped_jobs_new(void)
{
    struct stopped_jobs *stopped = calloc(1, sizeof *stopped);
    if (stopped)
        pthread_mutex_init(&stopped->lock, NULL);
    return stopped;
}

void stopped_jobs_free(struct stopped_jobs *stopped)
{
    if (!stopped)
        return;
    pthread_mutex_destroy(&stopped->lock);
    free(stopped);
}

struct hash128 stopped_jobs_hash(const struct http_request *request)
{
    const char *world = request->worlds[0].identity.fingerprint; /* "" without a world */
    const struct hash128 parts[] = {
        hash_bytes(world, strlen(world), request->method),
        hash_bytes(request->raw_target, strlen(request->raw_target), 0),
        hash_bytes(request->body.data, request->body.length, request->generation->number),
    };
    return hash_bytes(parts, sizeof parts, 0);
}

static bool refuse(uint64_t took, uint64_t expected, struct problem *problem)
{
    problem_set(problem, PROBLEM_TOO_LARGE,
                "stopped after %.2f s of computing, as its cost was reckoned as %.4f s: ask for "
                "less at once, or for another place",
                (double)took * 1e-9, (double)expected * 1e-9);
    problem->shed_reason = SHED_OVERRUN;
    return false;
}

/* The newest entry of a job, or an empty one. */
static struct entry find(const struct entry *set, struct hash128 asked)
{
    for (int i = 0; i < WAYS; i++)
        if (set[i].took != 0 && set[i].asked.low == asked.low && set[i].asked.high == asked.high)
            return set[i];
    return (struct entry){0};
}

bool stopped_jobs_check(struct stopped_jobs *stopped, struct hash128 asked,
                        const struct event_loop *loop, struct problem *problem)
{
    if (!__atomic_load_n(&stopped->any, __ATOMIC_ACQUIRE))
        return true;
    pthread_mutex_lock(&stopped->lock);
    const struct entry entry = find(stopped->entries[asked.low % SETS], asked);
    pthread_mutex_unlock(&stopped->lock);
    return entry.took == 0 || loop->now >= entry.end ? true
                                                     : refuse(entry.took, entry.expected, problem);
}

void stopped_jobs_add(struct stopped_jobs *stopped, struct hash128 asked, const struct job *job)
{
    const int64_t end = job->stopped_by_time ? job->loop->now + BY_TIME_KEPT : INT64_MAX;
    pthread_mutex_lock(&stopped->lock);
    struct entry *set = stopped->entries[asked.low % SETS];
    memmove(set + 1, set, (WAYS - 1) * sizeof *set);
    set[0] = (struct entry){asked, job->stopped, job->expected, end};
    pthread_mutex_unlock(&stopped->lock);
    __atomic_store_n(&stopped->any, true, __ATOMIC_RELEASE);
}

bool stopped_jobs_report(const struct job *job, const struct http_request *request,
                         struct problem *problem)
{
    log_write(LOG_SERVER, LOG_WARNING,
              "a job was stopped after %.2f s of computing, at a price of %.4f s, for %s",
              (double)job->stopped * 1e-9, (double)job->expected * 1e-9,
              request ? request->raw_target : "a client that has left");
    return refuse(job->stopped, job->expected, problem);
}
