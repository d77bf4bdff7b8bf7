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
};

void shared_key(struct hash128 build, const struct cache_key *key, char text[SHARED_KEY_TEXT])
{
    char hex[33];
    hash_hex(key->hash, hex);
    snprintf(text, SHARED_KEY_TEXT, "terrane%d:%08x:%s", RECORD_LAYOUT_VERSION,
             (unsigned)(build.high >> 32), hex);
}

/* The server that keeps the key, and the key as text. */
static struct shared_server *server_for_key(struct store *store, const struct cache_key *key,
                                            char text[SHARED_KEY_TEXT])
{
    const struct shared_store *shared = (struct shared_store *)store;
    shared_key(shared->build, key, text);
    return shared->servers[shared_ring_find(shared->ring, text, strlen(text))];
}

static enum memcached_outcome run(struct store *store, const struct cache_key *key,
                                  struct memcached_request request)
{
    char text[SHARED_KEY_TEXT];
    struct shared_server *server = server_for_key(store, key, text);
    request.key = text;
    return shared_server_run(server, &request);
}

static bool shared_is_unavailable(struct store *store, const struct cache_key *key)
{
    char text[SHARED_KEY_TEXT];
    if (shared_server_allows(server_for_key(store, key, text)))
        return false;
    store_count(store, failures, 1);
    return true;
}

static enum store_result shared_get(struct store *store, const struct cache_key *key,
                                    struct buffer *out)
{
    switch (run(store, key, (struct memcached_request){.verb = MEMCACHED_GET, .out = out})) {
    case MEMCACHED_DONE:
        store_count(store, hits, 1);
        return STORE_HIT;
    case MEMCACHED_MISS:
        store_count(store, misses, 1);
        return STORE_MISS;
    default:
        store_count(store, failures, 1);
        return STORE_FAILED;
    }
}

static void shared_put(struct store *store, const struct cache_key *key, const uint8_t *record,
                       size_t length)
{
    const struct memcached_request request = {
        .verb = MEMCACHED_SET, .value = record, .length = length};
    if (length > MEMCACHED_VALUE_MAX)
        return;
    if (run(store, key, request) == MEMCACHED_DONE)
        store_count(store, writes, 1);
    else
        store_count(store, write_failures, 1);
}

static void shared_invalidate(struct store *store, const struct cache_key *key)
{
    store_count(store, damaged, 1);
    run(store, key, (struct memcached_request){.verb = MEMCACHED_DELETE});
}

static void shared_cancel(struct store *store)
{
    const struct shared_store *shared = (struct shared_store *)store;
    for (size_t i = 0; i < shared->list.count; i++)
        shared_server_cancel(shared->servers[i]);
}

static void shared_free(struct store *store)
{
    struct shared_store *shared = (struct shared_store *)store;
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
    .cancel = shared_cancel,
    .free = shared_free,
};

static bool start_servers(struct shared_store *shared, const struct shared_options *options,
                          struct error *error)
{
    for (size_t i = 0; i < shared->list.count; i++) {
        shared->servers[i] =
            shared_server_start(&shared->list.servers[i], options->timeout, options->clock, error);
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
    if (!shared)
        return error_memory_null(error);
    shared->store.methods = &methods;
    shared->store.timeout = options->timeout;
    shared->build = options->build;
    bool done = true;
    for (size_t i = 0; i < options->url_count && done; i++)
        done = server_list_add(&shared->list, options->urls[i], error);
    if (done) {
        shared->ring = shared_ring_new(&shared->list, error);
        done = shared->ring && start_servers(shared, options, error);
    }
    if (done)
        return &shared->store;
    shared_free(&shared->store);
    return NULL;
}
