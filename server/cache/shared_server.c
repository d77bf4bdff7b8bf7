#include "server/cache/shared_server.h"

#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/cache/probe.h"

enum { IDLE_MOST = 32 };

struct idle {
    struct link *links[IDLE_MOST];
    unsigned count;
};

struct shared_server {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* it failed, was probed, or is to stop */
    pthread_t watcher;
    int64_t (*clock)(void);
    unsigned timeout;
    struct shared_address named;
    struct probe probe; /* the watcher's */

    /* Under the lock. */
    struct breaker breaker;
    char address[PROBE_ADDRESS_TEXT]; /* where the last probe succeeded */
    struct idle idle;
    bool probed, stopping;
    bool looking_up; /* nobody knows for how long */
    bool orphaned;   /* stopped while looking up: the watcher frees it */

    bool allows; /* atomic: what breaker_allows() said last */
};

static void close_links(struct idle *idle)
{
    while (idle->count > 0)
        link_close(idle->links[--idle->count]);
}

static void server_free(struct shared_server *server)
{
    close_links(&server->idle);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

/* After each change of the breaker, with the lock held. */
static void publish(struct shared_server *server)
{
    __atomic_store_n(&server->allows, breaker_allows(&server->breaker), __ATOMIC_RELAXED);
}

/* With the lock held, which is let go meanwhile; like the next two. */
static struct addrinfo *find_addresses(struct shared_server *server)
{
    server->looking_up = true;
    pthread_mutex_unlock(&server->lock);
    struct addrinfo *found = probe_look_up(server->named.host);
    pthread_mutex_lock(&server->lock);
    server->looking_up = false;
    return found;
}

static struct link *run_probe(struct shared_server *server, char address[PROBE_ADDRESS_TEXT])
{
    struct addrinfo *found = probe_numeric(server->named.host);
    if (!found)
        found = find_addresses(server);
    if (!found || server->stopping) {
        if (found)
            freeaddrinfo(found);
        return NULL;
    }
    pthread_mutex_unlock(&server->lock);
    struct link *link = probe_run(&server->probe, found, address);
    freeaddrinfo(found);
    pthread_mutex_lock(&server->lock);
    return link;
}

static void watch_probe(struct shared_server *server)
{
    char address[PROBE_ADDRESS_TEXT];
    struct link *link = run_probe(server, address);
    if (link) {
        memcpy(server->address, address, sizeof address);
        server->idle.links[server->idle.count++] = link;
        breaker_probe_succeeded(&server->breaker, server->clock());
    } else {
        breaker_probe_failed(&server->breaker, server->clock());
    }
    publish(server);
    server->probed = true;
    pthread_cond_broadcast(&server->changed);
}

/* For so many milliseconds at most; without end if that is negative. */
static void wait_change(struct shared_server *server, int64_t milliseconds)
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

static void *watch(void *argument)
{
    struct shared_server *server = argument;
    pthread_mutex_lock(&server->lock);
    while (!server->stopping) {
        if (breaker_probes(&server->breaker, server->clock()))
            watch_probe(server);
        else
            wait_change(server, breaker_wait(&server->breaker, server->clock()));
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
    server->named = *options->address;
    probe_init(&server->probe, server->named.port, server->timeout);
    breaker_init(&server->breaker, server->clock());
    init_locks(server);
    if (pthread_create(&server->watcher, NULL, watch, server) == 0)
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
    bool orphaned = server->orphaned = server->looking_up;
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

void shared_server_await(struct shared_server *server, int64_t deadline)
{
    pthread_mutex_lock(&server->lock);
    for (int64_t left; !server->probed && (left = deadline - server->clock()) > 0;)
        wait_change(server, left);
    pthread_mutex_unlock(&server->lock);
}

enum breaker_state shared_server_state(struct shared_server *server)
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
static bool take_link(struct shared_server *server, struct link **link,
                      char address[PROBE_ADDRESS_TEXT])
{
    pthread_mutex_lock(&server->lock);
    bool allowed = breaker_takes(&server->breaker);
    publish(server);
    struct idle *idle = &server->idle;
    *link = allowed && idle->count > 0 ? idle->links[--idle->count] : NULL;
    memcpy(address, server->address, PROBE_ADDRESS_TEXT);
    pthread_mutex_unlock(&server->lock);
    return allowed;
}

static void give_back(struct shared_server *server, struct link *link, enum link_verb verb)
{
    pthread_mutex_lock(&server->lock);
    (verb == LINK_GET ? breaker_answered : breaker_unanswered)(&server->breaker);
    publish(server);
    struct idle *idle = &server->idle;
    if (server->breaker.state == BREAKER_CLOSED && idle->count < IDLE_MOST) {
        idle->links[idle->count++] = link;
        link = NULL;
    }
    pthread_mutex_unlock(&server->lock);
    link_close(link);
}

/* The idle connections are no better than the one that failed. */
static void drop_links(struct shared_server *server, bool failed)
{
    pthread_mutex_lock(&server->lock);
    struct idle idle = server->idle;
    server->idle.count = 0;
    if (failed) {
        breaker_failed(&server->breaker, server->clock());
        publish(server);
        pthread_cond_broadcast(&server->changed);
    }
    pthread_mutex_unlock(&server->lock);
    close_links(&idle);
}

/* Over the connection, or over a new one. Null and LINK_FAILED if that did not do. */
static enum link_result try_link(struct shared_server *server, struct link **link,
                                 const char *address, const struct link_request *request)
{
    if (!*link)
        *link = link_open(address, server->named.port, server->timeout);
    enum link_result result = *link ? link_run(*link, request) : LINK_FAILED;
    if (result == LINK_FAILED) {
        link_close(*link);
        *link = NULL;
    }
    return result;
}

enum link_result shared_server_run(struct shared_server *server, const struct link_request *request)
{
    struct link *link;
    char address[PROBE_ADDRESS_TEXT];
    if (!take_link(server, &link, address))
        return LINK_FAILED;
    int64_t start = server->clock();
    bool reused = link;
    enum link_result result = try_link(server, &link, address, request);
    /* A server that was restarted has closed what was idle: no reason to leave it alone. */
    if (result == LINK_FAILED && reused && server->clock() - start < server->timeout / 2) {
        drop_links(server, false);
        result = try_link(server, &link, address, request);
    }
    if (link)
        give_back(server, link, request->verb);
    else
        drop_links(server, true);
    return result;
}
