/* The event loop: how a turn goes, and how libmicrohttpd is run inside it.
 *
 * The library would run epoll and accept itself, but then it stalls when a multiple of 128 events
 * is ready at once, spreads connections badly over threads, and spins without file descriptors
 * (0.9.75 and 1.0.1). So each core has a daemon of its own in external epoll mode, and this loop
 * waits on an epoll of its own over {the daemon's epoll, an eventfd, the listeners, the sockets of
 * suspended connections}. A suspended connection that is resumed does not wake the daemon: whoever
 * posts a completion writes the eventfd instead.
 *
 * One turn: wait; read the clock once; take the newest generation; handle the events; accept again
 * if accepting was paused; close connections that are late; run the completions; expire waiting
 * requests; let the library read, call the handlers and write; set the load gauges.
 *
 * Completions are a lock-free stack: a poster pushes with one compare-and-swap, and only the one
 * that finds the stack empty writes the eventfd. */
#include "server/http/connection/event_loop.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/error.h"
#include "server/base/clock.h"
#include "server/base/priority.h"
#include "server/http/connection/accept.h"
#include "server/http/connection/tls.h"
#include "server/log/metrics.h"

enum {
    /* The library clears this memory for each request, so more of it costs time: 1.8 us of 8.9
     * with the default of 32 KB. A tile's request and response headers need 2 KB, and 8 KB take the
     * longest headers of a browser. */
    CONNECTION_MEMORY = 8 * 1024,
    WAIT_MAX_MS = 1000,    /* the longest turn */
    EVENTS_MAX = 64,       /* of one turn */
    FUTILE_TURNS_MIN = 16, /* before the handlers are told; a power of two */
};

void event_loop_wake(struct event_loop *loop)
{
    eventfd_write(loop->event, 1);
}

void event_loop_post(struct event_loop *loop, struct completion *completion)
{
    struct completion *first = __atomic_load_n(&loop->posted_completions, __ATOMIC_RELAXED);
    do
        completion->next = first;
    while (!__atomic_compare_exchange_n(&loop->posted_completions, &first, completion, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    /* The loop takes the whole list, so it is awake already unless the list was empty. */
    if (!first)
        event_loop_wake(loop);
}

/* Runs all posted completions, the oldest first. */
static void run_completions(struct event_loop *loop)
{
    struct completion *newest =
        __atomic_exchange_n(&loop->posted_completions, NULL, __ATOMIC_ACQUIRE);
    struct completion *oldest = NULL;
    while (newest) {
        struct completion *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        struct completion *next = oldest->next;
        oldest->callback(oldest);
        oldest = next;
    }
}

static int64_t library_timeout(struct MHD_Daemon *daemon, int64_t max)
{
    unsigned long long wanted;
    const bool known = daemon && MHD_get_timeout(daemon, &wanted) == MHD_YES;
    return known && wanted < (unsigned long long)max ? (int64_t)wanted : max;
}

static int epoll_timeout(struct event_loop *loop, int max)
{
    int64_t wait = library_timeout(loop->daemon, max);
    wait = library_timeout(loop->secure, wait);
    wait = accept_timeout(loop, wait);
    wait = loop->group->handlers->timeout(loop, wait);
    return (int)timeouts_next(&loop->timeouts, loop->now, wait);
}

static bool is_listener(const struct event_loop *loop, const void *source)
{
    return (uintptr_t)source - (uintptr_t)loop->listeners < sizeof loop->listeners;
}

/* A TCP connection that was reset, or a unix socket whose other end is closed, hangs up; the end of
 * what a client sends is EPOLLRDHUP alone. */
static void handle_event(struct event_loop *loop, void *source, uint32_t events)
{
    eventfd_t posts;
    if (is_listener(loop, source))
        accept_connections(loop, source);
    else if (source == loop)
        eventfd_read(loop->event, &posts);
    else if (source)
        loop->group->handlers->disconnected(source, events & (EPOLLHUP | EPOLLERR));
}

/* Sending large responses makes many futile turns, too, so the handlers are told after 16, 32, 64 …
 * of them. */
static void count_futile_turn(struct event_loop *loop, bool futile)
{
    loop->futile_turns = futile ? loop->futile_turns + 1 : 0;
    if (loop->futile_turns >= FUTILE_TURNS_MIN &&
        (loop->futile_turns & (loop->futile_turns - 1)) == 0)
        loop->group->handlers->stalled(loop);
}

void event_loop_run_once(struct event_loop *loop, int milliseconds)
{
    struct epoll_event events[EVENTS_MAX];
    const int wait = epoll_timeout(loop, milliseconds);
    const int count = epoll_wait(loop->epoll, events, EVENTS_MAX, wait);
    loop->now_microseconds = clock_microseconds();
    loop->now = loop->now_microseconds / 1000;
    generation_view_advance(&loop->view);
    timeouts_set_limits(&loop->timeouts, &loop->view.current->connections.times);
    /* The library has not run yet, so every watcher among the events is still alive. */
    for (int i = 0; i < count; i++)
        handle_event(loop, events[i].data.ptr, events[i].events);
    accept_resume(loop);
    for (unsigned slow = timeouts_expire(&loop->timeouts, loop->now); slow > 0; slow--)
        metrics_count(loop->counts, SHED_SLOW);
    run_completions(loop);
    loop->group->handlers->expire(loop);
    count_futile_turn(loop, count == 0 && wait == 0);
    MHD_run(loop->daemon);
    if (loop->secure)
        MHD_run(loop->secure);
    metrics_set_load(loop->counts, loop->active, loop->suspended);
}

static void stop_daemons(struct event_loop *loop)
{
    if (loop->daemon)
        MHD_stop_daemon(loop->daemon);
    if (loop->secure)
        MHD_stop_daemon(loop->secure);
    loop->daemon = loop->secure = NULL;
}

static void *event_loop_main(void *argument)
{
    struct event_loop *loop = argument;
    priority_shorten_slice();
    loop->now = clock_milliseconds();
    __atomic_store_n(&loop->running, true, __ATOMIC_RELEASE);
    while (!drain_has_begun(&loop->group->drain))
        event_loop_run_once(loop, WAIT_MAX_MS);
    drain_loop(loop);
    stop_daemons(loop);
    drain_loop_ended(loop->group);
    return NULL;
}

/* The library must not decode the target: the handlers read its raw bytes. */
static size_t keep_target_escaped(void *context, struct MHD_Connection *mhd_connection, char *text)
{
    (void)context;
    (void)mhd_connection;
    return strlen(text);
}

/* While a daemon starts, the first line says why it cannot. */
__attribute__((format(printf, 2, 0))) static void receive_library_log(void *context,
                                                                      const char *format,
                                                                      va_list arguments)
{
    struct event_loop *loop = context;
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    if (loop->started)
        loop->group->handlers->library_log(loop, text, format);
    else if (!loop->startup_error[0])
        snprintf(loop->startup_error, sizeof loop->startup_error, "%.*s", (int)strcspn(text, "\n"),
                 text);
}

/* The daemon never listens, and its own limit of connections is off: accept.c hands it every
 * connection and keeps the limit. */
static struct MHD_Daemon *start_daemon(struct event_loop *loop, unsigned more,
                                       const struct MHD_OptionItem *items)
{
    const struct event_loop_handlers *handlers = loop->group->handlers;
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET |
            more,
        0, NULL, NULL, handlers->handle, loop, MHD_OPTION_EXTERNAL_LOGGER, receive_library_log,
        loop, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_LIMIT, UINT_MAX, MHD_OPTION_URI_LOG_CALLBACK, handlers->begin, loop,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_target_escaped, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        handlers->completed, loop, MHD_OPTION_NOTIFY_CONNECTION, accept_notify, loop,
        MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/* `source` tells the events apart: a listener, the loop itself for its eventfd, a watcher, or null
 * for the library's epoll. */
static bool epoll_add(struct event_loop *loop, int fd, uint32_t events, void *source)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool event_loop_watch_disconnect(struct event_loop *loop, int socket, void *watcher)
{
    return epoll_add(loop, socket, EPOLLRDHUP | EPOLLET, watcher);
}

void event_loop_unwatch(struct event_loop *loop, int socket)
{
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
}

/* With EPOLLEXCLUSIVE a connection to a socket that loops share wakes one loop, not all. */
bool event_loop_watch_listener(struct event_loop *loop, struct listener *listener, bool watched)
{
    if (listener->watched == watched)
        return true;
    if (watched)
        watched = epoll_add(loop, listener->socket, EPOLLIN | EPOLLEXCLUSIVE, listener) ||
                  errno == EEXIST;
    else
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, listener->socket, NULL);
    return (listener->watched = watched);
}

static bool watch_daemon(struct event_loop *loop, struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info && epoll_add(loop, info->epoll_fd, EPOLLIN, NULL);
}

static bool set_up_epoll(struct event_loop *loop)
{
    struct event_loops *group = loop->group;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll < 0 || loop->event < 0 || !loop->daemon || !watch_daemon(loop, loop->daemon) ||
        (loop->secure && !watch_daemon(loop, loop->secure)) ||
        !epoll_add(loop, loop->event, EPOLLIN, loop))
        return false;
    loop->paused_until = loop->now; /* the first turn watches the listeners */
    for (unsigned i = 0; i < group->endpoint_count; i++) {
        struct listener *listener = &loop->listeners[i];
        *listener = (struct listener){&group->endpoints[i],
                                      listen_socket(&group->endpoints[i], loop->index), false};
    }
    return true;
}

bool event_loops_init(struct event_loops *group, unsigned count)
{
    group->loops = calloc(count, sizeof *group->loops);
    if (!group->loops)
        return false;
    group->count = count;
    for (unsigned i = 0; i < count; i++)
        group->loops[i] = (struct event_loop){.group = group, .index = i, .epoll = -1, .event = -1};
    return true;
}

void event_loops_wake(struct event_loops *group)
{
    for (unsigned i = 0; i < group->count; i++)
        if (group->loops[i].started)
            event_loop_wake(&group->loops[i]);
}

bool event_loop_start(struct event_loop *loop, struct error *error)
{
    static const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    loop->now_microseconds = clock_microseconds();
    loop->now = loop->now_microseconds / 1000;
    loop->daemon = start_daemon(loop, 0, none);
    if (loop->daemon && loop->group->secure)
        loop->secure = start_daemon(loop, MHD_USE_TLS, tls_options());
    if (loop->group->secure && !loop->secure)
        return error_set(error, ERROR_IO, "TLS cannot be begun: %s", loop->startup_error);
    if (!set_up_epoll(loop))
        return error_set(error, ERROR_IO, "cannot start an event loop (too few file descriptors?)");
    loop->started = true;
    if (pthread_create(&loop->thread, NULL, event_loop_main, loop) != 0)
        loop->started = false;
    return loop->started || error_set(error, ERROR_IO, "cannot start an event loop's thread");
}

void event_loop_join(struct event_loop *loop)
{
    if (loop->started)
        pthread_join(loop->thread, NULL);
    loop->started = false;
}

void event_loop_free(struct event_loop *loop)
{
    stop_daemons(loop);
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->event >= 0)
        close(loop->event);
    generation_view_end(&loop->view);
}
