#include "server/http/loop.h"
#include "server/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/accept.h"
#include "server/http/account.h"
#include "server/http/context.h"
#include "server/http/exchange.h"
#include "server/http/packed.h"
#include "server/http/tls.h"

enum {
    /* The library clears the pool of each request; a tile's request and answer need 2 KB, and 8
     * take a browser's longest headers. */
    CONNECTION_MEMORY = 8 * 1024,
    WAIT_MAX_MS = 1000, /* between two looks at the clock */
    EVENTS_MAX = 64,    /* taken at once */
    FUTILE_MIN = 16,    /* turns: a power of two */
};

void loop_wake(struct loop *loop)
{
    uint64_t one = 1;
    while (write(loop->event, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

void loop_post(struct loop *loop, struct notice *notice)
{
    struct notice *first = __atomic_load_n(&loop->posted, __ATOMIC_RELAXED);
    do
        notice->next = first;
    while (!__atomic_compare_exchange_n(&loop->posted, &first, notice, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
    /* Whoever posts onto an empty list wakes the loop, which takes the whole list. */
    if (!first)
        loop_wake(loop);
}

/* Acts on all notices, the oldest first. */
static void act_on_notices(struct loop *loop)
{
    struct notice *newest = __atomic_exchange_n(&loop->posted, NULL, __ATOMIC_ACQUIRE);
    struct notice *oldest = NULL;
    while (newest) {
        struct notice *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        struct notice *next = oldest->next;
        oldest->act(oldest);
        oldest = next;
    }
}

static int64_t library_wait(struct MHD_Daemon *daemon, int64_t most)
{
    MHD_UNSIGNED_LONG_LONG wanted;
    if (!daemon || MHD_get_timeout(daemon, &wanted) != MHD_YES ||
        wanted > (MHD_UNSIGNED_LONG_LONG)most)
        return most;
    return (int64_t)wanted;
}

/* Until the first of those that wait for their turn has waited long enough. */
static int64_t patience_wait(const struct loop *loop, int64_t most)
{
    const int64_t left = loop->patient ? loop->patient->deadline - loop->now : most;
    return left < 0 ? 0 : left < most ? left : most;
}

static int wait_milliseconds(struct loop *loop, int most)
{
    int64_t wait = library_wait(loop->daemon, most);
    wait = library_wait(loop->secure, wait);
    wait = accept_wait(loop, wait);
    wait = patience_wait(loop, wait);
    return (int)reaper_wait(&loop->reaper, loop->now, wait);
}

static bool is_listener(const struct loop *loop, const void *whose)
{
    uintptr_t offset = (uintptr_t)whose - (uintptr_t)loop->listeners;
    return offset < sizeof loop->listeners;
}

static void take_event(struct loop *loop, void *whose)
{
    uint64_t posts;
    if (is_listener(loop, whose)) {
        accept_clients(loop, whose);
    } else if (whose == loop) {
        while (read(loop->event, &posts, sizeof posts) < 0 && errno == EINTR)
            ;
    } else if (whose) {
        exchange_departed(whose);
    }
}

/* Many turns in a row are futile where large answers are sent, too: so it is done less and less
 * often. */
static void look_for_stuck(struct loop *loop, bool futile)
{
    loop->futile = futile ? loop->futile + 1 : 0;
    if (loop->futile >= FUTILE_MIN && (loop->futile & (loop->futile - 1)) == 0)
        exchange_end_stuck(loop);
}

void loop_turn(struct loop *loop, int milliseconds)
{
    struct epoll_event events[EVENTS_MAX];
    const int wait = wait_milliseconds(loop, milliseconds);
    const int count = epoll_wait(loop->epoll, events, EVENTS_MAX, wait);
    loop->now_exact = clock_microseconds();
    loop->now = loop->now_exact / 1000;
    generation_view_advance(&loop->view);
    reaper_set(&loop->reaper, &loop->view.at->connections.times);
    /* No exchange ends before all events are looked at. */
    for (int i = 0; i < count; i++)
        take_event(loop, events[i].data.ptr);
    accept_again(loop);
    for (unsigned slow = reaper_run(&loop->reaper, loop->now); slow > 0; slow--)
        metrics_count_shed(loop->counts, SHED_SLOW);
    act_on_notices(loop);
    exchange_expire(loop);
    look_for_stuck(loop, count == 0 && wait == 0);
    MHD_run(loop->daemon);
    if (loop->secure)
        MHD_run(loop->secure);
    account_loop(loop);
}

static void stop_daemons(struct loop *loop)
{
    if (loop->daemon)
        MHD_stop_daemon(loop->daemon);
    if (loop->secure)
        MHD_stop_daemon(loop->secure);
    loop->daemon = loop->secure = NULL;
}

static void *loop_main(void *argument)
{
    struct loop *loop = argument;
    loop->now = clock_milliseconds();
    __atomic_store_n(&loop->running, true, __ATOMIC_RELEASE);
    while (!server_is_draining(loop->server))
        loop_turn(loop, WAIT_MAX_MS);
    drain_loop(loop);
    stop_daemons(loop);
    server_loop_ended(loop->server);
    return NULL;
}

/* Targets are decoded by request.c, from their raw bytes. */
static size_t unescape_nothing(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

/* What the library says; while a daemon starts, why it does not. */
static void take_complaint(void *context, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void take_complaint(void *context, const char *format, va_list arguments)
{
    struct loop *loop = context;
    if (loop->started) {
        exchange_log(loop, format, arguments);
    } else if (!loop->complaint[0]) {
        vsnprintf(loop->complaint, sizeof loop->complaint, format, arguments);
        loop->complaint[strcspn(loop->complaint, "\n")] = '\0';
    }
}

/* The library never listens: it is handed its connections, no more of them than may be. */
static struct MHD_Daemon *start_daemon(struct loop *loop, unsigned more,
                                       const struct MHD_OptionItem *items)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET |
            more,
        0, NULL, NULL, exchange_handle, loop, MHD_OPTION_EXTERNAL_LOGGER, take_complaint, loop,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT,
        UINT_MAX, MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, loop, MHD_OPTION_UNESCAPE_CALLBACK,
        unescape_nothing, NULL, MHD_OPTION_NOTIFY_COMPLETED, exchange_completed, loop,
        MHD_OPTION_NOTIFY_CONNECTION, accept_notify, loop, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/* `whose` tells the events apart: the loop's own, an exchange's, or null for the library's. */
static bool watch(struct loop *loop, int fd, uint32_t events, void *whose)
{
    struct epoll_event event = {.events = events, .data.ptr = whose};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool loop_watch_end(struct loop *loop, int socket, struct exchange *exchange)
{
    return watch(loop, socket, EPOLLRDHUP | EPOLLONESHOT, exchange);
}

void loop_unwatch(struct loop *loop, int socket)
{
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
}

/* Shared sockets wake one loop for each client, not all. */
bool loop_watch_listener(struct loop *loop, struct listener *listener, bool watched)
{
    if (listener->watched == watched)
        return true;
    if (watched)
        watched =
            watch(loop, listener->socket, EPOLLIN | EPOLLEXCLUSIVE, listener) || errno == EEXIST;
    else
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, listener->socket, NULL);
    return (listener->watched = watched);
}

static bool watch_daemon(struct loop *loop, struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info && watch(loop, info->epoll_fd, EPOLLIN, NULL);
}

static bool set_up(struct loop *loop)
{
    struct http_server *server = loop->server;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll < 0 || loop->event < 0 || !loop->daemon || !watch_daemon(loop, loop->daemon) ||
        (loop->secure && !watch_daemon(loop, loop->secure)) ||
        !watch(loop, loop->event, EPOLLIN, loop))
        return false;
    loop->paused_until = loop->now; /* the first turn watches them, if it may */
    for (unsigned i = 0; i < server->place_count; i++) {
        struct listener *listener = &loop->listeners[i];
        *listener = (struct listener){&server->places[i],
                                      listen_socket(&server->places[i], loop->index), false};
    }
    return true;
}

bool loop_start(struct loop *loop, struct error *error)
{
    static const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    const struct http_server *server = loop->server;
    loop->now_exact = clock_microseconds();
    loop->now = loop->now_exact / 1000;
    loop->daemon = start_daemon(loop, 0, none);
    if (loop->daemon && server->secure)
        loop->secure = start_daemon(loop, MHD_USE_TLS, tls_options());
    if (server->secure && !loop->secure)
        return error_set(error, ERROR_IO, "TLS cannot be begun: %s", loop->complaint);
    if (!set_up(loop))
        return error_set(error, ERROR_IO, "cannot start an event loop (too few file descriptors?)");
    loop->started = true;
    if (pthread_create(&loop->thread, NULL, loop_main, loop) != 0)
        loop->started = false;
    return loop->started || error_set(error, ERROR_IO, "cannot start an event loop's thread");
}

void loop_join(struct loop *loop)
{
    if (loop->started)
        pthread_join(loop->thread, NULL);
    loop->started = false;
}

void loop_free(struct loop *loop)
{
    stop_daemons(loop);
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->event >= 0)
        close(loop->event);
    generation_view_end(&loop->view);
    exchange_free_spares(loop);
    packed_free(loop->packed);
    for (size_t i = 0; i < 2; i++) {
        constant_free(&loop->openapi[i]);
        constant_free(&loop->version[i]);
    }
}
