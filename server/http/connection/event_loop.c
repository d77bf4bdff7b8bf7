#include "server/http/connection/event_loop.h"
#include "server/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/connection/accept.h"
#include "server/http/connection/tls.h"
#include "server/http/http_request.h"
#include "server/http/request_log.h"
#include "server/http/response/compressed_cache.h"
#include "server/http/server_state.h"

enum {
    /* The library clears the pool of each request; a tile's request and answer need 2 KB, and 8
     * take a browser's longest headers. */
    CONNECTION_MEMORY = 8 * 1024,
    WAIT_MAX_MS = 1000,    /* between two looks at the clock */
    EVENTS_MAX = 64,       /* taken at once */
    FUTILE_TURNS_MIN = 16, /* turns: a power of two */
};

void event_loop_wake(struct event_loop *loop)
{
    uint64_t one = 1;
    while (write(loop->event, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

void event_loop_post(struct event_loop *loop, struct completion *completion)
{
    struct completion *first = __atomic_load_n(&loop->posted_completions, __ATOMIC_RELAXED);
    do
        completion->next = first;
    while (!__atomic_compare_exchange_n(&loop->posted_completions, &first, completion, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    /* Whoever posts onto an empty list wakes the loop, which takes the whole list. */
    if (!first)
        event_loop_wake(loop);
}

/* Acts on all notices, the oldest first. */
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
    MHD_UNSIGNED_LONG_LONG wanted;
    if (!daemon || MHD_get_timeout(daemon, &wanted) != MHD_YES ||
        wanted > (MHD_UNSIGNED_LONG_LONG)max)
        return max;
    return (int64_t)wanted;
}

/* Until the first of those that wait for their turn has waited long enough. */
static int64_t queue_timeout_remaining(const struct event_loop *loop, int64_t max)
{
    const int64_t left =
        loop->waiting_by_deadline ? loop->waiting_by_deadline->deadline - loop->now : max;
    return left < 0 ? 0 : left < max ? left : max;
}

static int epoll_timeout(struct event_loop *loop, int max)
{
    int64_t wait = library_timeout(loop->daemon, max);
    wait = library_timeout(loop->secure, wait);
    wait = accept_timeout(loop, wait);
    wait = queue_timeout_remaining(loop, wait);
    return (int)connection_timeouts_next(&loop->timeouts, loop->now, wait);
}

static bool is_listener(const struct event_loop *loop, const void *source)
{
    uintptr_t offset = (uintptr_t)source - (uintptr_t)loop->listeners;
    return offset < sizeof loop->listeners;
}

static void handle_event(struct event_loop *loop, void *source)
{
    uint64_t posts;
    if (is_listener(loop, source)) {
        accept_connections(loop, source);
    } else if (source == loop) {
        while (read(loop->event, &posts, sizeof posts) < 0 && errno == EINTR)
            ;
    } else if (source) {
        http_request_disconnected(source);
    }
}

/* Many turns in a row are futile where large answers are sent, too: so it is done less and less
 * often. */
static void check_stuck_uploads(struct event_loop *loop, bool futile_turns)
{
    loop->futile_turns = futile_turns ? loop->futile_turns + 1 : 0;
    if (loop->futile_turns >= FUTILE_TURNS_MIN &&
        (loop->futile_turns & (loop->futile_turns - 1)) == 0)
        http_request_end_stuck_uploads(loop);
}

void event_loop_run_once(struct event_loop *loop, int milliseconds)
{
    struct epoll_event events[EVENTS_MAX];
    const int wait = epoll_timeout(loop, milliseconds);
    const int count = epoll_wait(loop->epoll, events, EVENTS_MAX, wait);
    loop->now_microseconds = clock_microseconds();
    loop->now = loop->now_microseconds / 1000;
    generation_view_advance(&loop->view);
    connection_timeouts_set_limits(&loop->timeouts, &loop->view.current->connections.times);
    /* No exchange ends before all events are looked at. */
    for (int i = 0; i < count; i++)
        handle_event(loop, events[i].data.ptr);
    accept_resume(loop);
    for (unsigned slow = connection_timeouts_expire(&loop->timeouts, loop->now); slow > 0; slow--)
        metrics_count(loop->counts, SHED_SLOW);
    run_completions(loop);
    http_request_expire_waits(loop);
    check_stuck_uploads(loop, count == 0 && wait == 0);
    MHD_run(loop->daemon);
    if (loop->secure)
        MHD_run(loop->secure);
    request_log_loop(loop);
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
    loop->now = clock_milliseconds();
    __atomic_store_n(&loop->running, true, __ATOMIC_RELEASE);
    while (!server_is_draining(loop->server))
        event_loop_run_once(loop, WAIT_MAX_MS);
    drain_loop(loop);
    stop_daemons(loop);
    drain_loop_ended(loop->server);
    return NULL;
}

/* Targets are decoded by target.c, from their raw bytes. */
static size_t keep_target_escaped(void *context, struct MHD_Connection *mhd_connection, char *text)
{
    (void)context;
    (void)mhd_connection;
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* What the library says; while a daemon starts, why it does not. */
static void receive_library_log(void *context, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void receive_library_log(void *context, const char *format, va_list arguments)
{
    struct event_loop *loop = context;
    if (loop->started) {
        http_request_on_library_log(loop, format, arguments);
    } else if (!loop->startup_error[0]) {
        vsnprintf(loop->startup_error, sizeof loop->startup_error, format, arguments);
        loop->startup_error[strcspn(loop->startup_error, "\n")] = '\0';
    }
}

/* The library never listens: it is handed its connections, no more of them than may be. */
static struct MHD_Daemon *start_daemon(struct event_loop *loop, unsigned more,
                                       const struct MHD_OptionItem *items)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET |
            more,
        0, NULL, NULL, http_request_handle, loop, MHD_OPTION_EXTERNAL_LOGGER, receive_library_log,
        loop, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_LIMIT, UINT_MAX, MHD_OPTION_URI_LOG_CALLBACK, http_request_begin,
        loop, MHD_OPTION_UNESCAPE_CALLBACK, keep_target_escaped, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        http_request_completed, loop, MHD_OPTION_NOTIFY_CONNECTION, accept_notify, loop,
        MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/* `source` tells the events apart: the loop's own, an exchange's, or null for the library's. */
static bool epoll_add(struct event_loop *loop, int fd, uint32_t events, void *source)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool event_loop_watch_disconnect(struct event_loop *loop, int socket, struct http_request *request)
{
    return epoll_add(loop, socket, EPOLLRDHUP | EPOLLONESHOT, request);
}

void event_loop_unwatch(struct event_loop *loop, int socket)
{
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
}

/* Shared sockets wake one loop for each client, not all. */
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
    struct http_server *server = loop->server;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll < 0 || loop->event < 0 || !loop->daemon || !watch_daemon(loop, loop->daemon) ||
        (loop->secure && !watch_daemon(loop, loop->secure)) ||
        !epoll_add(loop, loop->event, EPOLLIN, loop))
        return false;
    loop->paused_until = loop->now; /* the first turn watches them, if it may */
    for (unsigned i = 0; i < server->endpoint_count; i++) {
        struct listener *listener = &loop->listeners[i];
        *listener = (struct listener){&server->endpoints[i],
                                      listen_socket(&server->endpoints[i], loop->index), false};
    }
    return true;
}

bool event_loop_start(struct event_loop *loop, struct error *error)
{
    static const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    const struct http_server *server = loop->server;
    loop->now_microseconds = clock_microseconds();
    loop->now = loop->now_microseconds / 1000;
    loop->daemon = start_daemon(loop, 0, none);
    if (loop->daemon && server->secure)
        loop->secure = start_daemon(loop, MHD_USE_TLS, tls_options());
    if (server->secure && !loop->secure)
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
    http_request_free_pool(loop);
    compressed_cache_free(loop->compressed_cache);
    for (size_t i = 0; i < 2; i++) {
        static_document_free(&loop->openapi[i]);
        static_document_free(&loop->version[i]);
    }
}
