/* Accepting is done here and not by libmicrohttpd, whose loop spins when there are no descriptors
 * and knows no limit by address. A loop accepts at most BATCH clients at a time, so that its
 * connections are served in between.
 *
 * At the limit, a connection that waits for a request is shut down to make room. If this loop has
 * none, every other loop is told to shut one down, and the listeners are not watched for PAUSE_MS:
 * a listener that is ready but not accepted from would wake the loop at once, again and again. New
 * clients wait in the kernel's queue meanwhile. */
#define _GNU_SOURCE /* accept4() */
#include "server/http/connection/accept.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/connection/tls.h"
#include "server/log/log.h"
#include "server/log/metrics.h"

enum {
    BATCH = 32, /* clients accepted before the open connections are served again */
    PAUSE_MS = 100,
    LOG_AGAIN_MS = 10000,
    DESCRIPTORS_RESERVED = 128, /* for everything but connections */
    CONNECTIONS_MIN = 16,
    DISCARD_READS_MAX = 16, /* 64 KB */
};

static void pause_accepting(struct event_loop *loop)
{
    loop->paused_until = loop->now + PAUSE_MS;
    for (unsigned i = 0; i < LISTEN_ENDPOINTS_MAX; i++)
        if (loop->listeners[i].endpoint)
            event_loop_watch_listener(loop, &loop->listeners[i], false);
}

int64_t accept_timeout(const struct event_loop *loop, int64_t max)
{
    if (loop->paused_until == 0)
        return max;
    int64_t left = loop->paused_until - loop->now;
    return left < 0 ? 0 : left < max ? left : max;
}

static const struct connection_limits *limits_of(const struct event_loop *loop)
{
    return &loop->view.current->connections;
}

static bool at_connection_limit(const struct event_loop *loop)
{
    return __atomic_load_n(&loop->group->connections_open, __ATOMIC_RELAXED) >=
           limits_of(loop)->all;
}

/* Shuts down connections of this loop; returns how many. */
static unsigned evict_connections(struct event_loop *loop, unsigned wanted)
{
    const unsigned evicted = timeouts_evict(&loop->timeouts, wanted, loop->now);
    for (unsigned i = 0; i < evicted; i++)
        metrics_count(loop->counts, SHED_CONNECTIONS);
    return evicted;
}

/* Requests that every other loop shuts down a connection. */
static void request_eviction(struct event_loop *loop)
{
    struct event_loops *group = loop->group;
    __atomic_fetch_add(&group->eviction_requests, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < group->count; i++)
        if (i != loop->index && __atomic_load_n(&group->loops[i].running, __ATOMIC_ACQUIRE))
            event_loop_wake(&group->loops[i]);
}

static void serve_eviction_requests(struct event_loop *loop)
{
    const unsigned requests = __atomic_load_n(&loop->group->eviction_requests, __ATOMIC_RELAXED);
    if (requests != loop->eviction_requests_seen)
        evict_connections(loop, 1);
    loop->eviction_requests_seen = requests;
}

void accept_resume(struct event_loop *loop)
{
    serve_eviction_requests(loop);
    if (loop->paused_until == 0 || loop->now < loop->paused_until)
        return;
    loop->paused_until = 0;
    for (unsigned i = 0; i < LISTEN_ENDPOINTS_MAX; i++)
        if (loop->listeners[i].endpoint &&
            !event_loop_watch_listener(loop, &loop->listeners[i], true))
            loop->paused_until = loop->now + PAUSE_MS;
}

static void log_connection_limit(struct event_loop *loop)
{
    if (loop->limit_logged_at && loop->now - loop->limit_logged_at < LOG_AGAIN_MS)
        return;
    loop->limit_logged_at = loop->now;
    log_write(LOG_ACCEPT, LOG_WARNING,
              "%u connections are open, which is the limit: those that wait longest for a request "
              "are closed",
              limits_of(loop)->all);
}

/* The number of connections to shut down at once: 1/64 of the limit, but 1 to BATCH. */
static unsigned eviction_count(const struct event_loop *loop)
{
    const unsigned some = limits_of(loop)->all / 64;
    return some < 1 ? 1 : some < BATCH ? some : BATCH;
}

/* False if there is no room yet: libmicrohttpd closes a shut-down connection on its next run. */
static bool ensure_connection_slot(struct event_loop *loop)
{
    if (!at_connection_limit(loop))
        return true;
    log_connection_limit(loop);
    if (evict_connections(loop, eviction_count(loop)) == 0) {
        request_eviction(loop);
        pause_accepting(loop);
    }
    return false;
}

static void descriptors_exhausted(struct event_loop *loop, int reason)
{
    __atomic_fetch_add(&loop->group->accept_failures, 1, __ATOMIC_RELAXED);
    if (loop->descriptors_exhausted_since)
        return;
    loop->descriptors_exhausted_since = loop->now;
    metrics_count(loop->counts, SHED_DESCRIPTORS);
    log_write(
        LOG_ACCEPT, LOG_ERROR, "no client can be accepted (error %d: %s): new clients wait", reason,
        reason == EMFILE || reason == ENFILE ? "too few file descriptors" : "too little memory");
}

static void descriptors_available(struct event_loop *loop)
{
    if (!loop->descriptors_exhausted_since)
        return;
    log_write(LOG_ACCEPT, LOG_WARNING, "clients are accepted again after %lld ms",
              (long long)(loop->now - loop->descriptors_exhausted_since));
    loop->descriptors_exhausted_since = 0;
}

static struct connection *connection_new(struct event_loop *loop,
                                         const struct listen_endpoint *endpoint, int socket,
                                         const struct sockaddr *address)
{
    struct ip_address ip;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->socket = socket;
    connection->secure = endpoint->address.secure;
    connection->unix_socket = address->sa_family == AF_UNIX;
    connection->public_listener = listen_address_is_public(&endpoint->address);
    connection->peer = peer_of(address);
    connection->counted = limits_of(loop)->per_address > 0 &&
                          ip_address_from_socket(&ip, address) &&
                          !network_list_contains(&loop->view.current->trusted_proxies, &ip);
    if (connection->secure)
        connection->identity = tls_identity_acquire(loop->view.current->identity);
    connection->phase = PHASE_SHUT_DOWN;
    return connection;
}

/* False if the client's address has as many connections as it may. */
static bool connection_admit(struct event_loop *loop, struct connection *connection)
{
    struct event_loops *group = loop->group;
    const unsigned max = limits_of(loop)->per_address;
    char text[PEER_TEXT];
    if (!connection->counted || peer_counts_add(group->peers, &connection->peer, max))
        return true;
    connection->counted = false;
    __atomic_fetch_add(&group->connections_refused, 1, __ATOMIC_RELAXED);
    peer_write(&connection->peer, text);
    log_write(LOG_ACCEPT, LOG_WARNING, "%s has %u connections: one more was closed", text, max);
    return false;
}

static void connection_free(struct event_loops *group, struct connection *connection)
{
    if (!connection)
        return;
    if (connection->counted)
        peer_counts_remove(group->peers, &connection->peer);
    tls_identity_release(connection->identity);
    free(connection);
}

static void add_connection(struct event_loop *loop, const struct listen_endpoint *endpoint,
                           int socket, const struct sockaddr *address, socklen_t length)
{
    struct event_loops *group = loop->group;
    struct connection *connection = connection_new(loop, endpoint, socket, address);
    if (!connection || !connection_admit(loop, connection)) {
        metrics_count(loop->counts, connection ? SHED_CLIENT : SHED_MEMORY);
        close(socket);
        connection_free(group, connection);
        return;
    }
    loop->connection_being_added = connection;
    /* libmicrohttpd closes the socket if this fails. */
    MHD_add_connection(connection->secure ? loop->secure : loop->daemon, socket, address, length);
    if (loop->connection_being_added)
        connection_free(group, connection);
    loop->connection_being_added = NULL;
}

void accept_connections(struct event_loop *loop, struct listener *listener)
{
    if (!listener->endpoint || !ensure_connection_slot(loop))
        return;
    /* Stops at the limit: room is made only once another client is known to wait. */
    for (unsigned i = 0; i == 0 || (i < BATCH && !at_connection_limit(loop)); i++) {
        struct sockaddr_storage address = {0};
        socklen_t length = sizeof address;
        struct sockaddr *any = (struct sockaddr *)&address;
        int socket = accept4(listener->socket, any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket >= 0) {
            descriptors_available(loop);
            add_connection(loop, listener->endpoint, socket, any, length);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            descriptors_exhausted(loop, errno);
            if (timeouts_evict(&loop->timeouts, 1, loop->now) == 0)
                request_eviction(loop);
            pause_accepting(loop);
            return;
        } else if (errno == EAGAIN || errno == EINVAL || errno == EBADF) {
            return;
        }
    }
}

struct connection *accept_connection_of(struct MHD_Connection *mhd_connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd_connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* A TCP connection that is closed with unread bytes is reset, and the client may lose the end of
 * its response. Such bytes are a TLS client's notice that it ends its sending, which the library
 * does not read behind a last response, or requests that come too late. */
static void discard_unread(int socket)
{
    char bytes[4096];
    for (int i = 0; i < DISCARD_READS_MAX; i++)
        if (recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) <= 0)
            return;
}

void accept_notify(void *context, struct MHD_Connection *mhd_connection, void **slot,
                   enum MHD_ConnectionNotificationCode code)
{
    struct event_loop *loop = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *slot = loop->connection_being_added;
        if (loop->connection_being_added->secure)
            tls_set_identity(loop->connection_being_added->identity, mhd_connection);
        timeouts_add(&loop->timeouts, loop->connection_being_added, loop->now);
        loop->connection_being_added = NULL;
        loop->connections++;
        __atomic_fetch_add(&loop->group->connections_open, 1, __ATOMIC_RELAXED);
    } else {
        struct connection *connection = *slot;
        timeouts_remove(&loop->timeouts, connection);
        discard_unread(connection->socket);
        connection_free(loop->group, connection);
        *slot = NULL;
        loop->connections--;
        __atomic_fetch_sub(&loop->group->connections_open, 1, __ATOMIC_RELAXED);
        /* There is room for one more. */
        if (loop->paused_until)
            loop->paused_until = loop->now;
    }
}

unsigned accept_raise_descriptor_limit(unsigned connections)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + DESCRIPTORS_RESERVED;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return connections;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return connections;
    unsigned fit = limit.rlim_cur > DESCRIPTORS_RESERVED + CONNECTIONS_MIN
                       ? (unsigned)(limit.rlim_cur - DESCRIPTORS_RESERVED)
                       : CONNECTIONS_MIN;
    log_write(LOG_SERVER, LOG_WARNING,
              "the limit of file descriptors allows %u connections, not %u", fit, connections);
    return fit;
}
