/* Limits the log lines about a failure that repeats to one in ten seconds, which says how many were
 * suppressed. May be called by many threads. */
#ifndef TERRANE_SERVER_LOG_LIMITER_H
#define TERRANE_SERVER_LOG_LIMITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed but for the lock. */
struct log_limiter {
    pthread_mutex_t lock;
    int64_t next;        /* milliseconds: when the next line may be written */
    uint64_t suppressed; /* since the last line */
};

/* A warning of kind LOG_CACHE, unless there was one less than ten seconds ago. */
void log_limited(struct log_limiter *limiter, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
