/* SCHED_BATCH and, unless the share is normal, nice 5 for threads that work for long. SCHED_IDLE
 * yields to event loops sooner, but to every other program, too: beside four busy processes of the
 * same session or container no tile was rendered for seconds. tests/bench/README.md has the
 * figures.
 *
 * A thread that wakes must wait until the running one has used up its slice, of 1.4 ms on two cores
 * and up to the next tick, unless its own slice is shorter. So event loops have the shortest slice.
 * A slice is no limit: it only says how often the system chooses again. */
#define _GNU_SOURCE /* SCHED_BATCH, syscall() */

#include "server/base/priority.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first version of the struct of sched_setattr(2), for which glibc has no declaration before
 * 2.41. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* ns; the first is the slice */
};

/* A thread that was started under another policy keeps it. */
void priority_shorten_slice(void)
{
    struct attributes attributes;
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
        attributes.policy != SCHED_OTHER)
        return;
    attributes.runtime = PRIORITY_SLICE_NANOSECONDS;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

enum priority_share priority_share_of(const char *name)
{
    static const char *const names[PRIORITY_SHARES] = {PRIORITY_SHARE_NAMES};
    enum priority_share share = PRIORITY_LOW;
    while (share + 1 < PRIORITY_SHARES && strcmp(names[share], name) != 0)
        share++;
    return share;
}

void priority_lower(enum priority_share share)
{
    if (share == PRIORITY_IDLE) {
        pthread_setschedparam(pthread_self(), SCHED_IDLE, &(struct sched_param){0});
        return;
    }
    const int thread = (int)syscall(SYS_gettid);
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &(struct sched_param){0});
    if (share == PRIORITY_LOW)
        setpriority(PRIO_PROCESS, (id_t)thread,
                    getpriority(PRIO_PROCESS, (id_t)thread) + PRIORITY_LOWER_BY);
}
