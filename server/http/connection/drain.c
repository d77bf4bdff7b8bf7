#include "server/http/connection/drain.h"
#include "server/base/clock.h"

#include <poll.h>
#include <unistd.h>

#include "server/http/server_state.h"

enum {
    TURN_MS = 20,
    /* For clients who have sent their next request when they have not seen yet that the connection
     * is about to end. */
    LINGER_MS = 100,
    FLUSH_MS = 500, /* for answers that are still being sent after the deadline */
};

bool server_is_draining(const struct http_server *server)
{
    return __atomic_load_n(&server->drain.begun, __ATOMIC_ACQUIRE);
}

bool server_is_refusing(const struct http_server *server)
{
    return __atomic_load_n(&server->drain.refusing, __ATOMIC_RELAXED);
}

bool server_is_ready(const struct http_server *server)
{
    return !server_is_draining(server);
}

void drain_loop_ended(struct http_server *server)
{
    const uint64_t one = 1;
    __atomic_add_fetch(&server->drain.loops_ended, 1, __ATOMIC_RELEASE);
    /* A full eventfd is readable already. */
    if (write(server->event, &one, sizeof one) < 0)
        return;
}

/* Milliseconds until then, 0 if it is past. Read anew each time: it may be brought forward. */
static int64_t milliseconds_until(const int64_t *then)
{
    int64_t left = __atomic_load_n(then, __ATOMIC_RELAXED) - clock_milliseconds();
    return left > 0 ? left : 0;
}

static bool has_unaccepted_connections(const struct event_loop *loop)
{
    for (unsigned i = 0; i < loop->server->endpoint_count; i++) {
        struct pollfd listener = {.fd = loop->listeners[i].socket, .events = POLLIN};
        if (poll(&listener, 1, 0) > 0 && (listener.revents & POLLIN))
            return true;
    }
    return false;
}

static bool shares_all_sockets(const struct http_server *server)
{
    for (unsigned i = 0; i < server->endpoint_count; i++)
        if (!server->endpoints[i].inherited)
            return false;
    return true;
}

/* The kernel resets who has connected to a listening socket when the last process closes it; where
 * others have it too, they accept those who come from now on. */
static void stop_accepting(struct event_loop *loop)
{
    const struct drain *drain = &loop->server->drain;
    while (!shares_all_sockets(loop->server) && has_unaccepted_connections(loop) &&
           milliseconds_until(&drain->deadline) > 0)
        event_loop_run_once(loop, 1);
    for (unsigned i = 0; i < loop->server->endpoint_count; i++) {
        struct listener *listener = &loop->listeners[i];
        event_loop_watch_listener(loop, listener, false);
        listen_release(listener->endpoint, loop->index);
        listener->endpoint = NULL;
    }
}

static void wait_grace_period(struct event_loop *loop)
{
    const struct drain *drain = &loop->server->drain;
    while (milliseconds_until(&drain->grace_end) > 0)
        event_loop_run_once(loop, TURN_MS);
    stop_accepting(loop);
    const int64_t end = clock_milliseconds() + LINGER_MS;
    while (loop->connections > 0 && milliseconds_until(&end) > 0 &&
           milliseconds_until(&drain->deadline) > 0)
        event_loop_run_once(loop, TURN_MS);
}

/* Whether nothing is being answered any more, by any loop. */
static bool all_drained(struct event_loop *loop)
{
    struct http_server *server = loop->server;
    __atomic_store_n(&loop->drained, loop->active + loop->pending_completions == 0,
                     __ATOMIC_RELAXED);
    for (unsigned i = 0; i < server->loop_count; i++)
        if (!__atomic_load_n(&server->loops[i].drained, __ATOMIC_RELAXED))
            return false;
    return true;
}

/* Not even past the deadline may a suspended connection be left: the library would abort. */
void drain_loop(struct event_loop *loop)
{
    struct http_server *server = loop->server;
    wait_grace_period(loop);
    while (!all_drained(loop) && milliseconds_until(&server->drain.deadline) > 0)
        event_loop_run_once(loop, TURN_MS);
    if (loop->active > 0) {
        __atomic_store_n(&server->drain.refusing, true, __ATOMIC_RELAXED);
        workers_cancel_all(server->workers);
    }
    while (loop->suspended > 0 || loop->pending_completions > 0)
        event_loop_run_once(loop, TURN_MS);
    const int64_t end = clock_milliseconds() + FLUSH_MS;
    while (loop->active > 0 && milliseconds_until(&end) > 0)
        event_loop_run_once(loop, TURN_MS);
}
