/* The store's methods. The ring (shared_ring.h) finds the server of a key, shared_server.h runs the
 * exchange; nothing is tried on another server. */
#include "server/cache/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cache/record.h"
#include "server/cache/shared_server.h"

struct shared_store {
    struct store store; /* first member */
    struct hash128 build;
    struct server_list list;
    struct shared_ring *ring;
    struct shared_server *servers[SERVERS_MAX];
    struct store_statistics counts; /* atomic */
};

static struct shared_store *store_to_shared(struct store *store)
{
    return (struct shared_store *)store;
}

static void count(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

void shared_key(struct hash128 build, const struct cache_key *key, char text[SHARED_KEY_TEXT])
{
    char hex[33];
    hash_hex(key->hash, hex);
    snprintf(text, SHARED_KEY_TEXT, "terrane%d:%08x:%s", RECORD_LAYOUT_VERSION,
             (unsigned)(build.high >> 32), hex);
}

/* The server that keeps the key, and the key as text. */
static struct shared_server *server_for_key(struct shared_store *shared,
                                            const struct cache_key *key, char text[SHARED_KEY_TEXT])
{
    shared_key(shared->build, key, text);
    return shared->servers[shared_ring_find(shared->ring, text, strlen(text))];
}

static enum memcached_outcome run(struct shared_store *shared, const struct cache_key *key,
                                  struct memcached_request *request)
{
    char text[SHARED_KEY_TEXT];
    struct shared_server *server = server_for_key(shared, key, text);
    request->key = text;
    enum memcached_outcome result = shared_server_run(server, request);
    request->key = NULL;
    return result;
}

static bool shared_is_unavailable(struct store *store, const struct cache_key *key)
{
    struct shared_store *shared = store_to_shared(store);
    char text[SHARED_KEY_TEXT];
    if (shared_server_allows(server_for_key(shared, key, text)))
        return false;
    count(&shared->counts.failures);
    return true;
}

static enum store_result shared_get(struct store *store, const struct cache_key *key,
                                    struct buffer *out)
{
    struct shared_store *shared = store_to_shared(store);
    struct memcached_request request = {.verb = MEMCACHED_GET, .out = out};
    switch (run(shared, key, &request)) {
    case MEMCACHED_DONE:
        count(&shared->counts.hits);
        return STORE_HIT;
    case MEMCACHED_MISS:
        count(&shared->counts.misses);
        return STORE_MISS;
    default:
        count(&shared->counts.failures);
        return STORE_FAILED;
    }
}

static void shared_put(struct store *store, const struct cache_key *key, const uint8_t *record,
                       size_t length)
{
    struct shared_store *shared = store_to_shared(store);
    struct memcached_request request = {.verb = MEMCACHED_SET, .value = record, .length = length};
    if (length > MEMCACHED_VALUE_MAX)
        return;
    bool done = run(shared, key, &request) == MEMCACHED_DONE;
    count(done ? &shared->counts.writes : &shared->counts.write_failures);
}

static void shared_invalidate(struct store *store, const struct cache_key *key)
{
    struct shared_store *shared = store_to_shared(store);
    struct memcached_request request = {.verb = MEMCACHED_DELETE};
    count(&shared->counts.damaged);
    run(shared, key, &request);
}

static struct store_statistics shared_statistics(struct store *store)
{
    const struct store_statistics *counts = &store_to_shared(store)->counts;
    return (struct store_statistics){
        .hits = __atomic_load_n(&counts->hits, __ATOMIC_RELAXED),
        .misses = __atomic_load_n(&counts->misses, __ATOMIC_RELAXED),
        .failures = __atomic_load_n(&counts->failures, __ATOMIC_RELAXED),
        .writes = __atomic_load_n(&counts->writes, __ATOMIC_RELAXED),
        .write_failures = __atomic_load_n(&counts->write_failures, __ATOMIC_RELAXED),
        .damaged = __atomic_load_n(&counts->damaged, __ATOMIC_RELAXED),
    };
}

static void shared_free(struct store *store)
{
    struct shared_store *shared = store_to_shared(store);
    for (size_t i = 0; i < shared->list.count; i++)
        shared_server_stop(shared->servers[i]);
    shared_ring_free(shared->ring);
    free(shared);
}

static const struct store_methods methods = {
    .name = "shared",
    .is_unavailable = shared_is_unavailable,
    .get = shared_get,
    .put = shared_put,
    .invalidate = shared_invalidate,
    .statistics = shared_statistics,
    .free = shared_free,
};

static bool start_servers(struct shared_store *shared, const struct shared_options *options,
                          struct error *error)
{
    for (size_t i = 0; i < shared->list.count; i++) {
        const struct shared_server_options one = {&shared->list.servers[i], options->timeout,
                                                  options->clock};
        shared->servers[i] = shared_server_start(&one, error);
        if (!shared->servers[i])
            return false;
    }
    const int64_t deadline = options->clock() + options->timeout;
    for (size_t i = 0; i < shared->list.count; i++)
        shared_server_wait_for_probe(shared->servers[i], deadline);
    return true;
}

struct store *shared_open(const struct shared_options *options, struct error *error)
{
    struct shared_store *shared = calloc(1, sizeof *shared);
    if (!shared) {
        error_memory(error);
        return NULL;
    }
    shared->store.methods = &methods;
    shared->build = options->build;
    bool done = true;
    for (size_t i = 0; i < options->url_count && done; i++)
        done = server_list_add(&shared->list, options->urls[i], error);
    if (done) {
        shared->ring = shared_ring_new(&shared->list);
        done = shared->ring ? start_servers(shared, options, error) : error_memory(error);
    }
    if (done)
        return &shared->store;
    shared_free(&shared->store);
    return NULL;
}

enum breaker_state shared_breaker_state(struct store *store, size_t index)
{
    return shared_server_breaker_state(store_to_shared(store)->servers[index]);
}
