/* Waits that end at an absolute time of clock_milliseconds(). An exchange with a peer passes the
 * same limit to each of its waits, so a peer that sends a byte now and then cannot extend it. */
#ifndef TERRANE_SERVER_BASE_WAIT_H
#define TERRANE_SERVER_BASE_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wait_limit {
    int64_t deadline; /* milliseconds of clock_milliseconds() */
    int cancel;       /* becomes readable when all waits are to end at once; -1 for none */
};

static inline struct wait_limit wait_limit_at(int64_t deadline)
{
    return (struct wait_limit){.deadline = deadline, .cancel = -1};
}

/* True if `descriptor` has one of the `events` of poll(), or an error; false if the deadline has
 * passed or the wait is cancelled, whatever the descriptor has. Signals do not end it. */
bool wait_for(int descriptor, short events, struct wait_limit limit);

/* Sends everything over a socket that does not block; false if that fails or takes too long.
 * `flags` are those of send(), such as MSG_MORE if more bytes follow. */
bool wait_to_send(int socket, const void *bytes, size_t length, int flags, struct wait_limit limit);

/* Waits for a signal to the condition, at most until `deadline`; INT64_MAX is no limit. */
void wait_for_signal(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline);

#endif
