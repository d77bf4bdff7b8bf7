#include "server/cache/shared_server.h"

#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/cache/memcached_probe.h"

enum { IDLE_MAX = 32 };

struct connection_pool {
    struct memcached_connection *connections[IDLE_MAX];
    unsigned count;
};

struct shared_server {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* it failed, was probed, or is to stop */
    pthread_t watcher;
    int64_t (*clock)(void);
    unsigned timeout;
    struct server_address configured;
    struct memcached_probe probe; /* the watcher's */

    /* Under the lock. */
    struct breaker breaker;
    char address[MEMCACHED_ADDRESS_TEXT]; /* where the last probe succeeded */
    struct connection_pool pool;
    bool probed, stopping;
    bool resolving; /* nobody knows for how long */
    bool orphaned;  /* stopped while looking up: the watcher frees it */

    bool allows; /* atomic: what breaker_is_allowing() said last */
};

static void close_connections(struct connection_pool *pool)
{
    while (pool->count > 0)
        memcached_connection_close(pool->connections[--pool->count]);
}

static void server_free(struct shared_server *server)
{
    close_connections(&server->pool);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

/* After each change of the breaker, with the lock held. */
static void publish_allowed(struct shared_server *server)
{
    __atomic_store_n(&server->allows, breaker_is_allowing(&server->breaker), __ATOMIC_RELAXED);
}

/* With the lock held, which is let go meanwhile; like the next two. */
static struct addrinfo *resolve_name(struct shared_server *server)
{
    server->resolving = true;
    pthread_mutex_unlock(&server->lock);
    struct addrinfo *found = memcached_resolve_name(server->configured.host);
    pthread_mutex_lock(&server->lock);
    server->resolving = false;
    return found;
}

static struct memcached_connection *run_probe(struct shared_server *server,
                                              char address[MEMCACHED_ADDRESS_TEXT])
{
    struct addrinfo *found = memcached_parse_address(server->configured.host);
    if (!found)
        found = resolve_name(server);
    if (!found || server->stopping) {
        if (found)
            freeaddrinfo(found);
        return NULL;
    }
    pthread_mutex_unlock(&server->lock);
    struct memcached_connection *connection = memcached_probe_run(&server->probe, found, address);
    freeaddrinfo(found);
    pthread_mutex_lock(&server->lock);
    return connection;
}

static void run_and_record_probe(struct shared_server *server)
{
    char address[MEMCACHED_ADDRESS_TEXT];
    struct memcached_connection *connection = run_probe(server, address);
    if (connection) {
        memcpy(server->address, address, sizeof address);
        server->pool.connections[server->pool.count++] = connection;
        breaker_probe_succeeded(&server->breaker, server->clock());
    } else {
        breaker_probe_failed(&server->breaker, server->clock());
    }
    publish_allowed(server);
    server->probed = true;
    pthread_cond_broadcast(&server->changed);
}

/* For so many milliseconds at most; without end if that is negative. */
static void wait_for_change(struct shared_server *server, int64_t milliseconds)
{
    struct timespec until;
    if (milliseconds < 0) {
        pthread_cond_wait(&server->changed, &server->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t nanoseconds = until.tv_nsec + milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_cond_timedwait(&server->changed, &server->lock, &until);
}

static void *watch_main(void *argument)
{
    struct shared_server *server = argument;
    pthread_mutex_lock(&server->lock);
    while (!server->stopping) {
        if (breaker_begin_probe(&server->breaker, server->clock()))
            run_and_record_probe(server);
        else
            wait_for_change(server, breaker_next_probe_delay(&server->breaker, server->clock()));
    }
    bool orphaned = server->orphaned;
    pthread_mutex_unlock(&server->lock);
    if (orphaned)
        server_free(server);
    return NULL;
}

static void init_locks(struct shared_server *server)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&server->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&server->lock, NULL);
}

struct shared_server *shared_server_start(const struct shared_server_options *options,
                                          struct error *error)
{
    struct shared_server *server = calloc(1, sizeof *server);
    if (!server) {
        error_memory(error);
        return NULL;
    }
    server->clock = options->clock;
    server->timeout = options->timeout;
    server->configured = *options->address;
    memcached_probe_init(&server->probe, server->configured.port, server->timeout);
    breaker_init(&server->breaker, server->clock());
    init_locks(server);
    if (pthread_create(&server->watcher, NULL, watch_main, server) == 0)
        return server;
    error_set(error, ERROR_IO, "cannot start a thread for the shared cache");
    server_free(server);
    return NULL;
}

void shared_server_stop(struct shared_server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    pthread_t watcher = server->watcher;
    bool orphaned = server->orphaned = server->resolving;
    server->stopping = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    if (orphaned) {
        pthread_detach(watcher);
        return;
    }
    pthread_join(watcher, NULL);
    server_free(server);
}

void shared_server_wait_for_probe(struct shared_server *server, int64_t deadline)
{
    pthread_mutex_lock(&server->lock);
    for (int64_t remaining; !server->probed && (remaining = deadline - server->clock()) > 0;)
        wait_for_change(server, remaining);
    pthread_mutex_unlock(&server->lock);
}

enum breaker_state shared_server_breaker_state(struct shared_server *server)
{
    pthread_mutex_lock(&server->lock);
    enum breaker_state state = server->breaker.state;
    pthread_mutex_unlock(&server->lock);
    return state;
}

bool shared_server_allows(const struct shared_server *server)
{
    return __atomic_load_n(&server->allows, __ATOMIC_RELAXED);
}

/* False if the server is left alone. Else an idle connection or null, and where to make one. */
static bool acquire_connection(struct shared_server *server,
                               struct memcached_connection **connection,
                               char address[MEMCACHED_ADDRESS_TEXT])
{
    pthread_mutex_lock(&server->lock);
    bool allowed = breaker_acquire(&server->breaker);
    publish_allowed(server);
    struct connection_pool *pool = &server->pool;
    *connection = allowed && pool->count > 0 ? pool->connections[--pool->count] : NULL;
    memcpy(address, server->address, MEMCACHED_ADDRESS_TEXT);
    pthread_mutex_unlock(&server->lock);
    return allowed;
}

static void return_connection(struct shared_server *server, struct memcached_connection *connection,
                              enum memcached_verb verb)
{
    pthread_mutex_lock(&server->lock);
    (verb == MEMCACHED_GET ? breaker_record_success : breaker_record_no_reply)(&server->breaker);
    publish_allowed(server);
    struct connection_pool *pool = &server->pool;
    if (server->breaker.state == BREAKER_CLOSED && pool->count < IDLE_MAX) {
        pool->connections[pool->count++] = connection;
        connection = NULL;
    }
    pthread_mutex_unlock(&server->lock);
    memcached_connection_close(connection);
}

/* The idle connections are no better than the one that failed. */
static void close_idle_connections(struct shared_server *server, bool failed)
{
    pthread_mutex_lock(&server->lock);
    struct connection_pool pool = server->pool;
    server->pool.count = 0;
    if (failed) {
        breaker_record_failure(&server->breaker, server->clock());
        publish_allowed(server);
        pthread_cond_broadcast(&server->changed);
    }
    pthread_mutex_unlock(&server->lock);
    close_connections(&pool);
}

/* Over the connection, or over a new one. Null and MEMCACHED_FAILED if that did not do. */
static enum memcached_outcome run_on_connection(struct shared_server *server,
                                                struct memcached_connection **connection,
                                                const char *address,
                                                const struct memcached_request *request)
{
    if (!*connection)
        *connection = memcached_connection_open(address, server->configured.port, server->timeout);
    enum memcached_outcome result =
        *connection ? memcached_connection_run(*connection, request) : MEMCACHED_FAILED;
    if (result == MEMCACHED_FAILED) {
        memcached_connection_close(*connection);
        *connection = NULL;
    }
    return result;
}

enum memcached_outcome shared_server_run(struct shared_server *server,
                                         const struct memcached_request *request)
{
    struct memcached_connection *connection;
    char address[MEMCACHED_ADDRESS_TEXT];
    if (!acquire_connection(server, &connection, address))
        return MEMCACHED_FAILED;
    int64_t start = server->clock();
    bool reused = connection;
    enum memcached_outcome result = run_on_connection(server, &connection, address, request);
    /* A server that was restarted has closed what was idle: no reason to leave it alone. */
    if (result == MEMCACHED_FAILED && reused && server->clock() - start < server->timeout / 2) {
        close_idle_connections(server, false);
        result = run_on_connection(server, &connection, address, request);
    }
    if (connection)
        return_connection(server, connection, request->verb);
    else
        close_idle_connections(server, true);
    return result;
}
