/* Each wait is given what is left until the deadline, again after every signal and every byte. */
#define _GNU_SOURCE /* pthread_cond_clockwait() */
#include "server/base/wait.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include "server/base/clock.h"

bool wait_for(int descriptor, short events, struct wait_limit limit)
{
    struct pollfd polled[] = {
        {.fd = descriptor, .events = events},
        {.fd = limit.cancel, .events = POLLIN}, /* poll() ignores -1 */
    };
    for (;;) {
        const int64_t left = limit.deadline - clock_milliseconds();
        if (left <= 0)
            return false;
        const int ready = poll(polled, 2, left < INT32_MAX ? (int)left : INT32_MAX);
        if (ready > 0)
            return polled[1].revents == 0;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

bool wait_to_send(int socket, const void *bytes, size_t length, int flags, struct wait_limit limit)
{
    const char *next = bytes;
    while (length > 0) {
        const ssize_t count = send(socket, next, length, flags | MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        next += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
        if (length > 0 && !wait_for(socket, POLLOUT, limit))
            return false;
    }
    return true;
}

void wait_for_signal(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline)
{
    const struct timespec until = {deadline / 1000, deadline % 1000 * 1000000};
    if (deadline == INT64_MAX)
        pthread_cond_wait(condition, lock);
    else
        pthread_cond_clockwait(condition, lock, CLOCK_MONOTONIC, &until);
}
