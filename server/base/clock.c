/* clock_gettime() in several units. CLOCK_MONOTONIC is not moved by a change of the time of day. */
#include "server/base/clock.h"

#include <time.h>

static int64_t clock_scaled(int64_t per_second)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * per_second + now.tv_nsec / (1000000000 / per_second);
}

int64_t clock_milliseconds(void)
{
    return clock_scaled(1000);
}

int64_t clock_microseconds(void)
{
    return clock_scaled(1000000);
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int64_t clock_thread_nanoseconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * (int64_t)1000000000 + used.tv_nsec;
}
