/* The part of each loop in a drain: until the drain ends, the loop goes on with ordinary turns,
 * under a condition that changes from phase to phase (drain.h).
 *
 * All loops leave the phase of answering together, as a request of one may wait for work that
 * another loop has to complete. Deadlines may be moved nearer while a phase runs, so they are read
 * again for each turn. */
#include "server/http/connection/drain.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "server/base/clock.h"
#include "server/http/connection/event_loop.h"

enum {
    TURN_MS = 20,
    /* A client may have sent its next request before it saw that the connection ends. */
    LINGER_MS = 100,
    FLUSH_MS = 500, /* for responses that are still being sent after the deadline */
};

bool drain_has_begun(const struct drain *drain)
{
    return __atomic_load_n(&drain->begun, __ATOMIC_ACQUIRE);
}

bool drain_is_refusing(const struct drain *drain)
{
    return __atomic_load_n(&drain->refusing, __ATOMIC_RELAXED);
}

void drain_loop_ended(struct event_loops *group)
{
    __atomic_add_fetch(&group->drain.loops_ended, 1, __ATOMIC_RELEASE);
    eventfd_write(group->event, 1); /* one that is full is readable already */
}

/* Milliseconds until that time; 0 if it has passed. */
static int64_t milliseconds_until(const int64_t *then)
{
    int64_t left = __atomic_load_n(then, __ATOMIC_RELAXED) - clock_milliseconds();
    return left > 0 ? left : 0;
}

static bool has_unaccepted_connections(const struct event_loop *loop)
{
    for (unsigned i = 0; i < loop->group->endpoint_count; i++) {
        struct pollfd listener = {.fd = loop->listeners[i].socket, .events = POLLIN};
        if (poll(&listener, 1, 0) > 0 && (listener.revents & POLLIN))
            return true;
    }
    return false;
}

static bool shares_all_sockets(const struct event_loops *group)
{
    for (unsigned i = 0; i < group->endpoint_count; i++)
        if (!group->endpoints[i].inherited)
            return false;
    return true;
}

/* When the last process closes a listening socket the kernel resets the connections that wait on
 * it, so they are accepted first. Where another process has the socket too, that one accepts them.
 */
static void stop_accepting(struct event_loop *loop)
{
    const struct drain *drain = &loop->group->drain;
    while (!shares_all_sockets(loop->group) && has_unaccepted_connections(loop) &&
           milliseconds_until(&drain->deadline) > 0)
        event_loop_run_once(loop, 1);
    for (unsigned i = 0; i < loop->group->endpoint_count; i++) {
        struct listener *listener = &loop->listeners[i];
        event_loop_watch_listener(loop, listener, false);
        listen_release(listener->endpoint, loop->index);
        listener->endpoint = NULL;
    }
}

static void wait_grace_period(struct event_loop *loop)
{
    const struct drain *drain = &loop->group->drain;
    while (milliseconds_until(&drain->grace_end) > 0)
        event_loop_run_once(loop, TURN_MS);
    stop_accepting(loop);
    const int64_t end = clock_milliseconds() + LINGER_MS;
    while (loop->connections > 0 && milliseconds_until(&end) > 0 &&
           milliseconds_until(&drain->deadline) > 0)
        event_loop_run_once(loop, TURN_MS);
}

/* True if no loop has a request or work under way. */
static bool all_drained(struct event_loop *loop)
{
    const struct event_loops *group = loop->group;
    __atomic_store_n(&loop->drained, loop->active + loop->pending_completions == 0,
                     __ATOMIC_RELAXED);
    for (unsigned i = 0; i < group->count; i++)
        if (!__atomic_load_n(&group->loops[i].drained, __ATOMIC_RELAXED))
            return false;
    return true;
}

/* Suspended connections are waited for even past the deadline: the library aborts the process if
 * one is left when it stops. */
void drain_loop(struct event_loop *loop)
{
    struct event_loops *group = loop->group;
    wait_grace_period(loop);
    while (!all_drained(loop) && milliseconds_until(&group->drain.deadline) > 0)
        event_loop_run_once(loop, TURN_MS);
    if (loop->active + loop->pending_completions > 0) {
        __atomic_store_n(&group->drain.refusing, true, __ATOMIC_RELAXED);
        group->handlers->cancel_jobs(group);
    }
    while (loop->suspended > 0 || loop->pending_completions > 0)
        event_loop_run_once(loop, TURN_MS);
    const int64_t end = clock_milliseconds() + FLUSH_MS;
    while (loop->active > 0 && milliseconds_until(&end) > 0)
        event_loop_run_once(loop, TURN_MS);
}
