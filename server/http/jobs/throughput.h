/* The throughput of a render thread, measured over the last seconds of its work, and the estimate
 * from it of how long the waiting jobs will take.
 *
 * Pure: durations are handed in. A struct belongs to one thread, which may publish its rate. */
#ifndef TERRANE_SERVER_HTTP_JOBS_THROUGHPUT_H
#define TERRANE_SERVER_HTTP_JOBS_THROUGHPUT_H

#include <stdint.h>

enum {
    THROUGHPUT_WINDOW = 4000000, /* microseconds of work that are remembered, at most */
    THROUGHPUT_RETRY_MAX = 60,   /* seconds */
};
/* The rate that is assumed before any work was done: expected nanoseconds a second. */
#define THROUGHPUT_UNKNOWN ((uint64_t)500000000)

/* Zeroed at first. */
struct throughput {
    uint64_t expected; /* nanoseconds that the jobs should have taken, */
    uint64_t busy;     /* and the microseconds that they took */
};

/* When more than the window is remembered, all that was remembered is halved. */
static inline void throughput_add(struct throughput *throughput, uint64_t expected,
                                  uint64_t microseconds)
{
    throughput->expected += expected;
    throughput->busy += microseconds;
    if (throughput->busy > THROUGHPUT_WINDOW) {
        throughput->expected /= 2;
        throughput->busy /= 2;
    }
}

/* Expected nanoseconds a second, at least 1. */
static inline uint64_t throughput_rate(const struct throughput *throughput)
{
    if (throughput->busy == 0)
        return THROUGHPUT_UNKNOWN;
    const double rate = (double)throughput->expected * 1e6 / (double)throughput->busy;
    return rate < 1.0 ? 1 : rate < 0x1p62 ? (uint64_t)rate : (uint64_t)1 << 62;
}

/* Seconds that work of so many expected nanoseconds takes at that rate: 1 … THROUGHPUT_RETRY_MAX,
 * rounded up. */
static inline unsigned throughput_retry_after(uint64_t expected, uint64_t rate)
{
    const uint64_t per_second = rate > 0 ? rate : 1;
    const uint64_t seconds = expected / per_second + (expected % per_second > 0);
    return seconds < 1                      ? 1
           : seconds > THROUGHPUT_RETRY_MAX ? THROUGHPUT_RETRY_MAX
                                            : (unsigned)seconds;
}

#endif
