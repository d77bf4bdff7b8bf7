#define _GNU_SOURCE /* accept4() */
#include "server/http/accept.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/context.h"
#include "server/http/tls.h"
#include "server/log.h"

enum {
    BATCH = 32, /* clients taken between two looks at those that are there */
    PAUSE_MS = 100,
    NOTE_AGAIN_MS = 10000,
    DESCRIPTORS_RESERVED = 128, /* for everything that is no connection */
    CONNECTIONS_MIN = 16,
};

static void pause_accepting(struct loop *loop, int64_t milliseconds)
{
    loop->paused_until = loop->now + milliseconds;
    for (unsigned i = 0; i < LISTEN_PLACES_MAX; i++)
        if (loop->listeners[i].place)
            loop_watch_listener(loop, &loop->listeners[i], false);
}

/* Not before the server that had the sockets has agreed to end. */
static bool may_accept(const struct loop *loop)
{
    return __atomic_load_n(&loop->server->accepts, __ATOMIC_ACQUIRE);
}

int64_t accept_wait(const struct loop *loop, int64_t most)
{
    if (loop->paused_until == 0 || !may_accept(loop))
        return most;
    int64_t left = loop->paused_until - loop->now;
    return left < 0 ? 0 : left < most ? left : most;
}

static const struct connection_limits *limits_of(const struct loop *loop)
{
    return &loop->view.at->connections;
}

static bool is_full(const struct loop *loop)
{
    return __atomic_load_n(&loop->server->connections_open, __ATOMIC_RELAXED) >=
           limits_of(loop)->all;
}

/* How many connections of this loop were closed. */
static unsigned make_room(struct loop *loop, unsigned wanted)
{
    const unsigned evicted = reaper_evict(&loop->reaper, wanted, loop->now);
    for (unsigned i = 0; i < evicted; i++)
        metrics_count_shed(loop->counts, SHED_CONNECTIONS);
    return evicted;
}

/* Those who wait longest may be other loops'. */
static void ask_others_for_room(struct loop *loop)
{
    struct http_server *server = loop->server;
    __atomic_fetch_add(&server->crowds, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < server->loop_count; i++)
        if (i != loop->index && __atomic_load_n(&server->loops[i].running, __ATOMIC_ACQUIRE))
            loop_wake(&server->loops[i]);
}

static void make_room_for_others(struct loop *loop)
{
    const unsigned crowds = __atomic_load_n(&loop->server->crowds, __ATOMIC_RELAXED);
    if (crowds == loop->crowds_seen)
        return;
    loop->crowds_seen = crowds;
    make_room(loop, 1);
}

void accept_again(struct loop *loop)
{
    make_room_for_others(loop);
    if (loop->paused_until == 0 || loop->now < loop->paused_until || !may_accept(loop))
        return;
    loop->paused_until = 0;
    for (unsigned i = 0; i < LISTEN_PLACES_MAX; i++)
        if (loop->listeners[i].place && !loop_watch_listener(loop, &loop->listeners[i], true))
            loop->paused_until = loop->now + PAUSE_MS;
}

static void note_full(struct loop *loop)
{
    if (loop->full_noted && loop->now - loop->full_noted < NOTE_AGAIN_MS)
        return;
    loop->full_noted = loop->now;
    log_write(
        LOG_ACCEPT, LOG_WARNING,
        "%u connections are open, as many as may: those that are waited for longest make room",
        limits_of(loop)->all);
}

/* Connections: one, but of many a few at once. */
static unsigned room_to_make(const struct loop *loop)
{
    const unsigned some = limits_of(loop)->all / 64;
    return some < 1 ? 1 : some < BATCH ? some : BATCH;
}

/* False if there is no room. What is shut down is gone after the library's next turn. */
static bool has_room(struct loop *loop)
{
    if (!is_full(loop))
        return true;
    note_full(loop);
    if (make_room(loop, room_to_make(loop)) == 0) {
        ask_others_for_room(loop);
        pause_accepting(loop, PAUSE_MS);
    }
    return false;
}

static void note_starved(struct loop *loop, int reason)
{
    __atomic_fetch_add(&loop->server->connections_starved, 1, __ATOMIC_RELAXED);
    if (loop->starved_since)
        return;
    loop->starved_since = loop->now;
    metrics_count_shed(loop->counts, SHED_DESCRIPTORS);
    log_write(LOG_ACCEPT, LOG_ERROR, "no new client can be taken (error %d: %s): they wait", reason,
              reason == EMFILE || reason == ENFILE ? "too few file descriptors"
                                                   : "too little memory");
}

static void note_fed(struct loop *loop)
{
    if (!loop->starved_since)
        return;
    log_write(LOG_ACCEPT, LOG_WARNING, "new clients are taken again after %lld ms",
              (long long)(loop->now - loop->starved_since));
    loop->starved_since = 0;
}

static struct client *client_new(struct loop *loop, const struct listen_place *place, int socket,
                                 const struct sockaddr *address)
{
    struct client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->socket = socket;
    client->secure = place->address.secure;
    client->local = address->sa_family == AF_UNIX;
    client->peer = peer_of(address);
    client->counted = limits_of(loop)->per_address > 0 && peer_has_address(&client->peer) &&
                      !proxies_contain(&loop->view.at->trusted_proxies, address);
    if (client->secure)
        client->identity = tls_keep(loop->view.at->identity);
    client->phase = PHASE_REAPED;
    return client;
}

/* Whether its address has room for it. */
static bool client_admit(struct loop *loop, struct client *client)
{
    struct http_server *server = loop->server;
    const unsigned most = limits_of(loop)->per_address;
    char text[PEER_TEXT];
    if (!client->counted || peer_counts_add(server->peers, &client->peer, most))
        return true;
    client->counted = false;
    __atomic_fetch_add(&server->connections_refused, 1, __ATOMIC_RELAXED);
    peer_write(&client->peer, text);
    log_write(LOG_ACCEPT, LOG_WARNING, "%s has %u connections: one more was closed", text, most);
    return false;
}

static void client_free(struct http_server *server, struct client *client)
{
    if (!client)
        return;
    if (client->counted)
        peer_counts_remove(server->peers, &client->peer);
    tls_release(client->identity);
    free(client);
}

static void take_client(struct loop *loop, const struct listen_place *place, int socket,
                        const struct sockaddr *address, socklen_t length)
{
    struct http_server *server = loop->server;
    struct client *client = client_new(loop, place, socket, address);
    if (!client || !client_admit(loop, client)) {
        metrics_count_shed(loop->counts, client ? SHED_CLIENT : SHED_MEMORY);
        close(socket);
        client_free(server, client);
        return;
    }
    loop->arriving = client;
    /* Whatever fails, the library closes the socket. */
    MHD_add_connection(client->secure ? loop->secure : loop->daemon, socket, address, length);
    if (loop->arriving)
        client_free(server, client);
    loop->arriving = NULL;
}

void accept_clients(struct loop *loop, struct listener *listener)
{
    if (!listener->place || !has_room(loop))
        return;
    /* Whether one more waits is not known, so nobody has to make room for it yet. */
    for (unsigned i = 0; i == 0 || (i < BATCH && !is_full(loop)); i++) {
        struct sockaddr_storage address = {0};
        socklen_t length = sizeof address;
        struct sockaddr *any = (struct sockaddr *)&address;
        int socket = accept4(listener->socket, any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket >= 0) {
            note_fed(loop);
            take_client(loop, listener->place, socket, any, length);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            note_starved(loop, errno);
            if (reaper_evict(&loop->reaper, 1, loop->now) == 0)
                ask_others_for_room(loop);
            pause_accepting(loop, PAUSE_MS);
            return;
        } else if (errno == EAGAIN || errno == EINVAL || errno == EBADF) {
            return;
        }
    }
}

struct client *accept_client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void accept_notify(void *context, struct MHD_Connection *connection, void **slot,
                   enum MHD_ConnectionNotificationCode code)
{
    struct loop *loop = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *slot = loop->arriving;
        if (loop->arriving->secure)
            tls_begin(loop->arriving->identity, connection);
        reaper_add(&loop->reaper, loop->arriving, loop->now);
        loop->arriving = NULL;
        loop->connections++;
        __atomic_fetch_add(&loop->server->connections_open, 1, __ATOMIC_RELAXED);
    } else {
        struct client *client = *slot;
        reaper_remove(&loop->reaper, client);
        client_free(loop->server, client);
        *slot = NULL;
        loop->connections--;
        __atomic_fetch_sub(&loop->server->connections_open, 1, __ATOMIC_RELAXED);
        /* One has gone, so one may come. */
        if (loop->paused_until)
            loop->paused_until = loop->now;
    }
}

unsigned accept_reserve(unsigned connections)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + DESCRIPTORS_RESERVED;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return connections;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return connections;
    unsigned fit = limit.rlim_cur > DESCRIPTORS_RESERVED + CONNECTIONS_MIN
                       ? (unsigned)(limit.rlim_cur - DESCRIPTORS_RESERVED)
                       : CONNECTIONS_MIN;
    log_write(LOG_SERVER, LOG_WARNING,
              "the limit of file descriptors allows %u connections, not %u", fit, connections);
    return fit;
}
