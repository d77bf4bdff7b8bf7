/* Two queues: fetches, emptied by TIERS_FETCH_THREADS threads, and records, emptied by one writer.
 *
 * A further thread, the timer, watches the fetches: one that takes too long, queued or running, is
 * taken from the queue or from its thread and is done, without a record. So whoever waits goes on
 * in time even if a call hangs, and the thread throws away what it finds too late. Every fetch has
 * the same time, so the oldest is the next to be late.
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
#include "server/base/wait.h"

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

struct fetcher {
    struct tiers *tiers;
    pthread_t thread;
    struct tier_fetch *running; /* under the lock of `fetches`; null once it was late */
    struct cache_key key;       /* of the last fetch: a copy that outlives it */
    size_t first;               /* likewise */
};

struct tiers {
    struct hash128 build;
    struct store *stores[TIERS_MAX];
    size_t count;
    int64_t get_timeout, queue_timeout; /* milliseconds */
    struct tier_queue fetches, records;
    pthread_cond_t timer_wanted; /* there is a fetch, all are late, or the timer is to stop */
    bool timer_idle;             /* under the lock of `fetches`: there was no fetch */
    bool cancelled;              /* likewise: all fetches are late */
    struct fetcher fetchers[TIERS_FETCH_THREADS];
    pthread_t writer, timer;
    unsigned fetchers_started;
    bool writer_started, timer_started;
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

/* With the lock held. Null if the queue is empty. */
static void *tier_queue_take(struct tier_queue *queue)
{
    struct queue_node *node = queue->first;
    queue->first = node ? node->next : NULL;
    return node;
}

/* With the lock held. Waits for an item; null once the queue is closed and empty. */
static void *tier_queue_wait(struct tier_queue *queue)
{
    while (!queue->first && !queue->ending)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    return tier_queue_take(queue);
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
    pthread_cond_init(&tiers->timer_wanted, NULL);
    return tiers;
}

bool tiers_add(struct tiers *tiers, struct store *store)
{
    const bool fits = store && tiers->count < TIERS_MAX;
    if (!fits) {
        if (store)
            store->methods->free(store);
        return false;
    }
    tiers->stores[tiers->count++] = store;
    if (store->timeout > tiers->get_timeout)
        tiers->get_timeout = store->timeout;
    tiers->queue_timeout =
        tiers->get_timeout < TIERS_QUEUE_TIMEOUT_MS ? tiers->get_timeout : TIERS_QUEUE_TIMEOUT_MS;
    return true;
}

/* The first tier that has the record, which is read into `bytes`; null if none has it.
 * `*nearer_count` tiers in front of it lack it. */
static struct store *find_record(const struct fetcher *fetcher, struct buffer *bytes,
                                 struct record *record, size_t *nearer_count)
{
    const struct tiers *tiers = fetcher->tiers;
    const struct cache_key *key = &fetcher->key;
    for (size_t i = fetcher->first; i < tiers->count; i++) {
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

static bool has_queued_too_long(const struct tiers *tiers, const struct tier_fetch *fetch)
{
    return clock_milliseconds() - fetch->queued_at > tiers->queue_timeout;
}

/* Waits for a fetch, and copies what the thread needs of it. One that has queued too long queries
 * no tier. False once the queue is closed. */
static bool begin_fetch(struct fetcher *fetcher)
{
    struct tiers *tiers = fetcher->tiers;
    pthread_mutex_lock(&tiers->fetches.lock);
    const struct tier_fetch *fetch = fetcher->running = tier_queue_wait(&tiers->fetches);
    if (fetch) {
        fetcher->key = fetch->key;
        fetcher->first = has_queued_too_long(tiers, fetch) ? tiers->count : fetch->first;
    }
    pthread_mutex_unlock(&tiers->fetches.lock);
    return fetch != NULL;
}

/* The fetch, out of the timer's reach; null if the timer has taken it. */
static struct tier_fetch *end_fetch(struct fetcher *fetcher)
{
    struct tier_queue *queue = &fetcher->tiers->fetches;
    pthread_mutex_lock(&queue->lock);
    struct tier_fetch *fetch = fetcher->running;
    fetcher->running = NULL;
    queue->waiting--;
    pthread_mutex_unlock(&queue->lock);
    return fetch;
}

static void *fetcher_main(void *argument)
{
    struct fetcher *fetcher = argument;
    struct buffer bytes = {0}; /* kept from one to the next: fresh memory costs page faults */
    while (begin_fetch(fetcher)) {
        struct record record;
        size_t nearer_count = 0;
        const struct store *store = find_record(fetcher, &bytes, &record, &nearer_count);
        struct tier_fetch *fetch = end_fetch(fetcher);
        if (store)
            fill_nearer_tiers(fetcher->tiers, &fetcher->key, nearer_count, &bytes);
        if (fetch)
            fetch->done(fetch, store ? &record : NULL, store ? store->methods->name : NULL);
    }
    buffer_free(&bytes);
    return NULL;
}

/* With the lock held. When the oldest fetch was queued; INT64_MAX if there is none. */
static int64_t oldest_fetch(const struct tiers *tiers)
{
    const struct tier_fetch *first = (const struct tier_fetch *)tiers->fetches.first;
    int64_t oldest = first ? first->queued_at : INT64_MAX;
    for (unsigned i = 0; i < TIERS_FETCH_THREADS; i++) {
        const struct tier_fetch *running = tiers->fetchers[i].running;
        if (running && running->queued_at < oldest)
            oldest = running->queued_at;
    }
    return oldest;
}

/* With the lock held. A list of the fetches that were queued at `time` or before, no longer queued
 * or running. A thread that runs one still counts as busy. */
static struct tier_fetch *take_late_fetches(struct tiers *tiers, int64_t time)
{
    struct tier_queue *queue = &tiers->fetches;
    struct tier_fetch *late = NULL, *fetch;
    for (unsigned i = 0; i < TIERS_FETCH_THREADS; i++) {
        fetch = tiers->fetchers[i].running;
        if (!fetch || fetch->queued_at > time)
            continue;
        tiers->fetchers[i].running = NULL;
        fetch->next = late;
        late = fetch;
    }
    while ((fetch = (struct tier_fetch *)queue->first) && fetch->queued_at <= time) {
        tier_queue_take(queue);
        queue->waiting--;
        fetch->next = late;
        late = fetch;
    }
    return late;
}

/* Milliseconds from queueing to late. */
static int64_t fetch_timeout(const struct tiers *tiers)
{
    return tiers->queue_timeout + tiers->get_timeout;
}

/* With the lock held. Waits until a fetch is late, or something else has happened. */
static void wait_for_late_fetch(struct tiers *tiers)
{
    const int64_t oldest = oldest_fetch(tiers);
    tiers->timer_idle = oldest == INT64_MAX;
    if (tiers->timer_idle)
        wait_for_signal(&tiers->timer_wanted, &tiers->fetches.lock, INT64_MAX);
    else if (!tiers->cancelled)
        wait_for_signal(&tiers->timer_wanted, &tiers->fetches.lock, oldest + fetch_timeout(tiers));
    tiers->timer_idle = false;
}

static void *timer_main(void *argument)
{
    struct tiers *tiers = argument;
    struct tier_queue *queue = &tiers->fetches;
    pthread_mutex_lock(&queue->lock);
    while (!queue->ending) {
        wait_for_late_fetch(tiers);
        const int64_t timeout = tiers->cancelled ? 0 : fetch_timeout(tiers);
        struct tier_fetch *late = take_late_fetches(tiers, clock_milliseconds() - timeout);
        pthread_mutex_unlock(&queue->lock);
        for (struct tier_fetch *next; late; late = next) {
            next = late->next;
            late->done(late, NULL, NULL);
        }
        pthread_mutex_lock(&queue->lock);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void put_record(const struct tiers *tiers, const struct tier_record *record)
{
    for (size_t i = 0; i < record->tiers; i++)
        tiers->stores[i]->methods->put(tiers->stores[i], &record->key, record->sealed.data,
                                       record->sealed.length);
}

static void *writer_main(void *argument)
{
    struct tiers *tiers = argument;
    struct tier_queue *queue = &tiers->records;
    struct tier_record *record;
    pthread_mutex_lock(&queue->lock);
    while ((record = tier_queue_wait(queue))) {
        const size_t length = record->sealed.length;
        pthread_mutex_unlock(&queue->lock);
        put_record(tiers, record);
        tier_record_free(record);
        pthread_mutex_lock(&queue->lock);
        queue->waiting -= length;
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

bool tiers_start(struct tiers *tiers, struct error *error)
{
    if (tiers->count == 0)
        return true;
    tiers->writer_started = pthread_create(&tiers->writer, NULL, writer_main, tiers) == 0;
    tiers->timer_started = pthread_create(&tiers->timer, NULL, timer_main, tiers) == 0;
    bool done = tiers->writer_started && tiers->timer_started;
    for (unsigned i = 0; i < TIERS_FETCH_THREADS && done; i++) {
        struct fetcher *fetcher = &tiers->fetchers[i];
        fetcher->tiers = tiers;
        done = pthread_create(&fetcher->thread, NULL, fetcher_main, fetcher) == 0;
        tiers->fetchers_started += done;
    }
    return done || error_set(error, ERROR_IO, "cannot start a cache's thread");
}

static void signal_timer(struct tiers *tiers, bool *reason)
{
    pthread_mutex_lock(&tiers->fetches.lock);
    *reason = true;
    pthread_cond_signal(&tiers->timer_wanted);
    pthread_mutex_unlock(&tiers->fetches.lock);
}

void tiers_cancel(struct tiers *tiers)
{
    for (size_t i = 0; i < tiers->count; i++)
        if (tiers->stores[i]->methods->cancel)
            tiers->stores[i]->methods->cancel(tiers->stores[i]);
    signal_timer(tiers, &tiers->cancelled);
}

static void join_threads(struct tiers *tiers)
{
    tier_queue_close(&tiers->fetches);
    signal_timer(tiers, &tiers->fetches.ending);
    if (tiers->timer_started)
        pthread_join(tiers->timer, NULL);
    for (unsigned i = 0; i < tiers->fetchers_started; i++)
        pthread_join(tiers->fetchers[i].thread, NULL);
    tier_queue_close(&tiers->records);
    if (tiers->writer_started)
        pthread_join(tiers->writer, NULL);
}

void tiers_free(struct tiers *tiers)
{
    if (!tiers)
        return;
    tiers_cancel(tiers);
    join_threads(tiers);
    for (size_t i = 0; i < tiers->count; i++)
        tiers->stores[i]->methods->free(tiers->stores[i]);
    tier_queue_destroy(&tiers->fetches);
    tier_queue_destroy(&tiers->records);
    pthread_cond_destroy(&tiers->timer_wanted);
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
    const struct tier_fetch *oldest = (struct tier_fetch *)queue->first;
    const bool queued = !tiers->cancelled && !(oldest && has_queued_too_long(tiers, oldest)) &&
                        tier_queue_append(queue, fetch, 1, TIERS_FETCH_QUEUE_MAX);
    if (queued && tiers->timer_idle)
        pthread_cond_signal(&tiers->timer_wanted);
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
