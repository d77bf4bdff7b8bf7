/* Two queues: fetches, emptied by TIERS_FETCH_THREADS threads, and records, emptied by one writer.
 *
 * A fetch queries the tiers one after another on the same thread, which keeps its buffer: fresh
 * memory of a tile's size would cost page faults. The weight of an item (1 for a fetch, its bytes
 * for a record) is released only when the item is done with, so items under way count against the
 * limit too. Records have one writer since puts are not urgent, and tiers that write slowly must
 * not keep fetch threads busy. */
#include "server/cache/tiers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"

/* First in, first out. */
struct tier_queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    struct queue_node *first, *last;
    size_t waiting; /* weight of the items queued or under way */
    bool ending;
};

/* The first member of each item. */
struct queue_node {
    struct queue_node *next;
};

struct tiers {
    struct hash128 build;
    struct store *stores[TIERS_MAX];
    size_t count;
    struct tier_queue fetches, records;
    pthread_t fetch_threads[TIERS_FETCH_THREADS], writer;
    unsigned fetch_threads_started;
    bool writer_started;
};

static void tier_queue_init(struct tier_queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
}

static void tier_queue_destroy(struct tier_queue *queue)
{
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->lock);
}

/* With the lock held. False if the weight would exceed `limit`, or after tier_queue_close(). */
static bool tier_queue_append(struct tier_queue *queue, void *item, size_t weight, size_t limit)
{
    struct queue_node *node = item;
    if (queue->ending || queue->waiting + weight > limit)
        return false;
    node->next = NULL;
    *(queue->first ? &queue->last->next : &queue->first) = node;
    queue->last = node;
    queue->waiting += weight;
    pthread_cond_signal(&queue->not_empty);
    return true;
}

/* Waits for an item; null once the queue is closed and empty. */
static void *tier_queue_pop(struct tier_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (!queue->first && !queue->ending)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    struct queue_node *node = queue->first;
    queue->first = node ? node->next : NULL;
    pthread_mutex_unlock(&queue->lock);
    return node;
}

/* The popped item is done with. */
static void tier_queue_release(struct tier_queue *queue, size_t weight)
{
    pthread_mutex_lock(&queue->lock);
    queue->waiting -= weight;
    pthread_mutex_unlock(&queue->lock);
}

static void tier_queue_close(struct tier_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->ending = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

struct tiers *tiers_new(struct hash128 build)
{
    struct tiers *tiers = calloc(1, sizeof *tiers);
    if (!tiers)
        return NULL;
    tiers->build = build;
    tier_queue_init(&tiers->fetches);
    tier_queue_init(&tiers->records);
    return tiers;
}

bool tiers_add(struct tiers *tiers, struct store *store)
{
    const bool fits = store && tiers->count < TIERS_MAX;
    if (fits)
        tiers->stores[tiers->count++] = store;
    else if (store)
        store->methods->free(store);
    return fits;
}

/* The first tier that has the record, which is read into `bytes`; null if none has it.
 * `*nearer_count` tiers in front of it lack it. */
static struct store *find_record(struct tiers *tiers, const struct tier_fetch *fetch,
                                 struct buffer *bytes, struct record *record, size_t *nearer_count)
{
    const struct cache_key *key = &fetch->key;
    for (size_t i = fetch->first; i < tiers->count; i++) {
        struct store *store = tiers->stores[i];
        buffer_clear(bytes);
        if (store->methods->get(store, key, bytes) != STORE_HIT || bytes->failed)
            continue;
        *nearer_count = i;
        if (record_open(bytes->data, bytes->length, key, tiers->build, record))
            return store;
        store->methods->invalidate(store, key);
    }
    return NULL;
}

static struct tier_record *record_new(const struct cache_key *key, size_t tiers)
{
    struct tier_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->key = *key;
    record->tiers = tiers;
    return record;
}

/* Puts a record that a farther tier had into the nearer ones. */
static void fill_nearer_tiers(struct tiers *tiers, const struct cache_key *key, size_t nearer_count,
                              const struct buffer *sealed)
{
    struct tier_record *copy = nearer_count > 0 ? record_new(key, nearer_count) : NULL;
    if (!copy)
        return;
    buffer_append(&copy->sealed, sealed->data, sealed->length);
    tiers_put(tiers, copy);
}

static bool has_timed_out(const struct tier_fetch *fetch)
{
    return clock_milliseconds() - fetch->queued_at > TIERS_QUEUE_TIMEOUT_MS;
}

static void *fetcher_main(void *argument)
{
    struct tiers *tiers = argument;
    struct buffer bytes = {0}; /* kept from one to the next: fresh memory costs page faults */
    struct tier_fetch *fetch;
    while ((fetch = tier_queue_pop(&tiers->fetches))) {
        struct record record;
        size_t nearer_count = 0;
        struct store *store = NULL;
        if (!has_timed_out(fetch))
            store = find_record(tiers, fetch, &bytes, &record, &nearer_count);
        tier_queue_release(&tiers->fetches, 1);
        if (store)
            fill_nearer_tiers(tiers, &fetch->key, nearer_count, &bytes);
        fetch->done(fetch, store ? &record : NULL, store ? store->methods->name : NULL);
    }
    buffer_free(&bytes);
    return NULL;
}

static void *writer_main(void *argument)
{
    struct tiers *tiers = argument;
    struct tier_record *record;
    while ((record = tier_queue_pop(&tiers->records))) {
        for (size_t i = 0; i < record->tiers; i++)
            tiers->stores[i]->methods->put(tiers->stores[i], &record->key, record->sealed.data,
                                           record->sealed.length);
        tier_queue_release(&tiers->records, record->sealed.length);
        tier_record_free(record);
    }
    return NULL;
}

bool tiers_start(struct tiers *tiers, struct error *error)
{
    if (tiers->count == 0)
        return true;
    tiers->writer_started = pthread_create(&tiers->writer, NULL, writer_main, tiers) == 0;
    bool done = tiers->writer_started;
    for (unsigned i = 0; i < TIERS_FETCH_THREADS && done; i++) {
        done = pthread_create(&tiers->fetch_threads[i], NULL, fetcher_main, tiers) == 0;
        tiers->fetch_threads_started += done;
    }
    return done || error_set(error, ERROR_IO, "cannot start a cache's thread");
}

void tiers_free(struct tiers *tiers)
{
    if (!tiers)
        return;
    tier_queue_close(&tiers->fetches);
    for (unsigned i = 0; i < tiers->fetch_threads_started; i++)
        pthread_join(tiers->fetch_threads[i], NULL);
    tier_queue_close(&tiers->records);
    if (tiers->writer_started)
        pthread_join(tiers->writer, NULL);
    for (size_t i = 0; i < tiers->count; i++)
        tiers->stores[i]->methods->free(tiers->stores[i]);
    tier_queue_destroy(&tiers->fetches);
    tier_queue_destroy(&tiers->records);
    free(tiers);
}

size_t tiers_count(const struct tiers *tiers)
{
    return tiers->count;
}

struct store *tiers_at(const struct tiers *tiers, size_t index)
{
    return tiers->stores[index];
}

bool tiers_fetch(struct tiers *tiers, struct tier_fetch *fetch)
{
    struct tier_queue *queue = &tiers->fetches;
    struct store *const *stores = tiers->stores;
    size_t first = 0;
    while (first < tiers->count &&
           stores[first]->methods->is_unavailable(stores[first], &fetch->key))
        first++;
    if (first == tiers->count)
        return false;
    fetch->first = first;
    fetch->queued_at = clock_milliseconds();
    pthread_mutex_lock(&queue->lock);
    const bool queued = !(queue->first && has_timed_out((struct tier_fetch *)queue->first)) &&
                        tier_queue_append(queue, fetch, 1, TIERS_FETCH_QUEUE_MAX);
    pthread_mutex_unlock(&queue->lock);
    return queued;
}

struct tier_record *tiers_seal(const struct tiers *tiers, const struct cache_key *key,
                               const struct record *record)
{
    struct tier_record *sealed_record = NULL;
    if (tiers->count > 0 && record->length <= TIERS_PUT_QUEUE_BYTES - RECORD_HEADER_SIZE)
        sealed_record = record_new(key, tiers->count);
    if (!sealed_record)
        return NULL;
    struct record complete = *record;
    complete.build = tiers->build;
    memcpy(complete.key, key->bytes, CACHE_KEY_BYTES);
    record_seal(&complete, &sealed_record->sealed);
    return sealed_record;
}

void tiers_put(struct tiers *tiers, struct tier_record *record)
{
    struct tier_queue *queue = &tiers->records;
    if (!record)
        return;
    pthread_mutex_lock(&queue->lock);
    const bool queued =
        !record->sealed.failed &&
        tier_queue_append(queue, record, record->sealed.length, TIERS_PUT_QUEUE_BYTES);
    pthread_mutex_unlock(&queue->lock);
    if (!queued)
        tier_record_free(record);
}

void tier_record_free(struct tier_record *record)
{
    if (record)
        buffer_free(&record->sealed);
    free(record);
}
