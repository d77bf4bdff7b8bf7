/* Requests take an idle connection or make one, run one exchange on it, and put it back. When the
 * breaker opens, all idle connections are closed: they lead to the same server. A reply that takes
 * more than half of the timeout is slow (breaker.h).
 *
 * Each server has an eventfd that every wait for it watches, so shared_server_cancel() ends them.
 *
 * The watcher thread alone probes. It waits on `changed` while the breaker is closed, and probes
 * when the breaker's delay is over. It holds the lock but for the probe itself, which may wait for
 * a name server as long as the resolver likes; so shared_server_stop() does not join a watcher that
 * is probing, but leaves the struct to it ("orphaned"). */
#include "server/cache/shared_server.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/wait.h"
#include "server/cache/breaker.h"
#include "server/cache/memcached_probe.h"

enum {
    IDLE_MAX = 32,
    SLOW_SHARE = 2, /* a reply is slow after 1/2 of the timeout */
};

struct connection_pool {
    int connections[IDLE_MAX]; /* the last one was used most recently */
    unsigned count;
};

struct shared_server {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a request failed, a probe ended, or the watcher is to stop */
    pthread_t watcher;
    int64_t (*clock)(void); /* the breaker's */
    unsigned timeout;
    int cancel; /* an eventfd: readable once waits are to end */
    struct server_address configured;
    struct memcached_probe probe; /* the watcher's */

    /* Under the lock. */
    struct breaker breaker;
    struct memcached_address address; /* where the last probe succeeded */
    struct connection_pool pool;
    bool probed;  /* the first probe has ended */
    bool probing; /* the watcher runs without the lock */
    bool stopping;
    bool orphaned; /* stopped during a probe: the watcher frees the struct */

    bool allows; /* atomic: the last result of breaker_is_allowing() */
};

static void close_connections(struct connection_pool *pool)
{
    while (pool->count > 0)
        close(pool->connections[--pool->count]);
}

static void server_free(struct shared_server *server)
{
    close_connections(&server->pool);
    if (server->cancel >= 0)
        close(server->cancel);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

/* With the lock held, after each change of the breaker. */
static void publish_allowed(struct shared_server *server)
{
    __atomic_store_n(&server->allows, breaker_is_allowing(&server->breaker), __ATOMIC_RELAXED);
}

/* With the lock held, but for the probe itself. */
static void run_probe(struct shared_server *server)
{
    struct memcached_address address;
    server->probing = true;
    pthread_mutex_unlock(&server->lock);
    const int connection = memcached_probe_run(&server->probe, &server->configured, server->timeout,
                                               server->cancel, &address);
    pthread_mutex_lock(&server->lock);
    server->probing = false;
    if (connection >= 0) {
        server->address = address;
        server->pool.connections[server->pool.count++] = connection;
        breaker_probe_succeeded(&server->breaker, server->clock());
    } else {
        breaker_probe_failed(&server->breaker, server->clock());
    }
    publish_allowed(server);
    server->probed = true;
    pthread_cond_broadcast(&server->changed);
}

/* Waits at most `milliseconds`; without limit if that is negative. */
static void wait_for_change(struct shared_server *server, int64_t milliseconds)
{
    wait_for_signal(&server->changed, &server->lock,
                    milliseconds < 0 ? INT64_MAX : clock_milliseconds() + milliseconds);
}

static void *watch_main(void *argument)
{
    struct shared_server *server = argument;
    pthread_mutex_lock(&server->lock);
    while (!server->stopping) {
        if (breaker_begin_probe(&server->breaker, server->clock()))
            run_probe(server);
        else
            wait_for_change(server, breaker_next_probe_delay(&server->breaker, server->clock()));
    }
    bool orphaned = server->orphaned;
    pthread_mutex_unlock(&server->lock);
    if (orphaned)
        server_free(server);
    return NULL;
}

struct shared_server *shared_server_start(const struct server_address *address, unsigned timeout,
                                          int64_t (*clock)(void), struct error *error)
{
    struct shared_server *server = calloc(1, sizeof *server);
    if (!server)
        return error_memory_null(error);
    server->clock = clock;
    server->timeout = timeout;
    server->configured = *address;
    memcached_probe_init(&server->probe);
    breaker_init(&server->breaker, server->clock());
    pthread_cond_init(&server->changed, NULL);
    pthread_mutex_init(&server->lock, NULL);
    server->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->cancel >= 0 && pthread_create(&server->watcher, NULL, watch_main, server) == 0)
        return server;
    error_set(error, ERROR_IO, "cannot start a thread for the shared cache");
    server_free(server);
    return NULL;
}

void shared_server_cancel(struct shared_server *server)
{
    eventfd_write(server->cancel, 1);
}

void shared_server_stop(struct shared_server *server)
{
    if (!server)
        return;
    shared_server_cancel(server);
    pthread_mutex_lock(&server->lock);
    pthread_t watcher = server->watcher;
    bool orphaned = server->orphaned = server->probing;
    server->stopping = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    if (orphaned) {
        pthread_detach(watcher);
    } else {
        pthread_join(watcher, NULL);
        server_free(server);
    }
}

void shared_server_wait_for_probe(struct shared_server *server, int64_t deadline)
{
    pthread_mutex_lock(&server->lock);
    for (int64_t remaining; !server->probed && (remaining = deadline - server->clock()) > 0;)
        wait_for_change(server, remaining);
    pthread_mutex_unlock(&server->lock);
}

bool shared_server_allows(const struct shared_server *server)
{
    return __atomic_load_n(&server->allows, __ATOMIC_RELAXED);
}

/* False while the breaker allows no request. Else an idle connection or -1, and the address for a
 * new one. */
static bool acquire_connection(struct shared_server *server, int *connection,
                               struct memcached_address *address)
{
    pthread_mutex_lock(&server->lock);
    const bool allowed = breaker_acquire(&server->breaker);
    publish_allowed(server);
    struct connection_pool *pool = &server->pool;
    *connection = allowed && pool->count > 0 ? pool->connections[--pool->count] : -1;
    *address = server->address;
    pthread_mutex_unlock(&server->lock);
    return allowed;
}

static void close_idle_connections(struct shared_server *server)
{
    pthread_mutex_lock(&server->lock);
    struct connection_pool pool = server->pool;
    server->pool.count = 0;
    pthread_mutex_unlock(&server->lock);
    close_connections(&pool);
}

/* With the lock held. */
static void record_outcome(struct shared_server *server, enum memcached_verb verb,
                           enum memcached_outcome outcome, bool slow)
{
    struct breaker *breaker = &server->breaker;
    if (outcome == MEMCACHED_FAILED)
        breaker_record_failure(breaker, server->clock());
    else if (slow)
        breaker_record_slow(breaker, server->clock());
    else if (verb == MEMCACHED_GET)
        breaker_record_success(breaker);
    else
        breaker_record_no_reply(breaker);
    publish_allowed(server);
}

/* Tells the breaker, and keeps the connection, which may be -1, if the breaker is still closed. */
static void end_request(struct shared_server *server, int connection, enum memcached_verb verb,
                        enum memcached_outcome outcome, bool slow)
{
    struct connection_pool *pool = &server->pool, unused = {.count = 0};
    pthread_mutex_lock(&server->lock);
    record_outcome(server, verb, outcome, slow);
    if (server->breaker.state != BREAKER_CLOSED) {
        unused = *pool;
        pool->count = 0;
        pthread_cond_broadcast(&server->changed);
    } else if (connection >= 0 && pool->count < IDLE_MAX) {
        pool->connections[pool->count++] = connection;
        connection = -1;
    }
    pthread_mutex_unlock(&server->lock);
    close_connections(&unused);
    if (connection >= 0)
        close(connection);
}

/* Runs the exchange over `*connection`, or over a new one if that is -1. After a failure it is
 * closed, and -1. */
static enum memcached_outcome run_on_connection(int *connection,
                                                const struct memcached_address *address,
                                                const struct memcached_request *request,
                                                struct wait_limit limit)
{
    if (*connection < 0)
        *connection = memcached_connect(address, limit);
    if (*connection < 0)
        return MEMCACHED_FAILED;
    const enum memcached_outcome outcome = memcached_run(*connection, request, limit);
    if (outcome == MEMCACHED_FAILED) {
        close(*connection);
        *connection = -1;
    }
    return outcome;
}

enum memcached_outcome shared_server_run(struct shared_server *server,
                                         const struct memcached_request *request)
{
    const int64_t start = clock_milliseconds();
    const struct wait_limit limit = {start + server->timeout, server->cancel};
    int connection;
    struct memcached_address address;
    if (!acquire_connection(server, &connection, &address))
        return MEMCACHED_FAILED;
    const bool reused = connection >= 0;
    enum memcached_outcome outcome = run_on_connection(&connection, &address, request, limit);
    /* A server that was restarted has closed its idle connections. That is seen at once, so there
     * is time for a second exchange, and it says nothing against the server. */
    if (outcome == MEMCACHED_FAILED && reused && clock_milliseconds() < limit.deadline) {
        close_idle_connections(server);
        outcome = run_on_connection(&connection, &address, request, limit);
    }
    const bool slow = clock_milliseconds() - start > (server->timeout + 1) / SLOW_SHARE;
    end_request(server, connection, request->verb, outcome, slow);
    return outcome;
}
