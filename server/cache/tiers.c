#include "server/cache/tiers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/clock.h"

/* A queue of one kind, oldest first, with the threads that empty it. */
struct line {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    void *first, *last; /* their first member is `next` */
    size_t waiting;     /* fetches, or bytes of records */
    bool ending;
};

struct link {
    struct link *next;
};

struct tiers {
    struct hash128 build;
    struct store *stores[TIERS_MAX];
    size_t count;
    struct line fetches, records;
    pthread_t fetchers[TIERS_FETCHERS], keeper;
    unsigned fetchers_started;
    bool keeper_started;
};

static void line_init(struct line *line)
{
    pthread_mutex_init(&line->lock, NULL);
    pthread_cond_init(&line->filled, NULL);
}

static void line_destroy(struct line *line)
{
    pthread_cond_destroy(&line->filled);
    pthread_mutex_destroy(&line->lock);
}

/* With the lock held. False if that would make more than `most` wait. */
static bool line_append(struct line *line, void *item, size_t weight, size_t most)
{
    struct link *link = item;
    if (line->ending || line->waiting + weight > most)
        return false;
    link->next = NULL;
    if (line->last)
        ((struct link *)line->last)->next = link;
    else
        line->first = link;
    line->last = link;
    line->waiting += weight;
    pthread_cond_signal(&line->filled);
    return true;
}

/* Waits for an item; null when the line is empty and ends. */
static void *line_pop(struct line *line)
{
    pthread_mutex_lock(&line->lock);
    while (!line->first && !line->ending)
        pthread_cond_wait(&line->filled, &line->lock);
    struct link *link = line->first;
    if (link) {
        line->first = link->next;
        if (!line->first)
            line->last = NULL;
    }
    pthread_mutex_unlock(&line->lock);
    return link;
}

/* What was popped is done with. */
static void line_lighten(struct line *line, size_t weight)
{
    pthread_mutex_lock(&line->lock);
    line->waiting -= weight;
    pthread_mutex_unlock(&line->lock);
}

static void line_end(struct line *line)
{
    pthread_mutex_lock(&line->lock);
    line->ending = true;
    pthread_cond_broadcast(&line->filled);
    pthread_mutex_unlock(&line->lock);
}

struct tiers *tiers_new(struct hash128 build)
{
    struct tiers *tiers = calloc(1, sizeof *tiers);
    if (!tiers)
        return NULL;
    tiers->build = build;
    line_init(&tiers->fetches);
    line_init(&tiers->records);
    return tiers;
}

bool tiers_add(struct tiers *tiers, struct store *store)
{
    if (store && tiers->count < TIERS_MAX) {
        tiers->stores[tiers->count++] = store;
        return true;
    }
    if (store)
        store->methods->free(store);
    return false;
}

/* The first tier that has the record, opened out of `bytes`; null if none has. */
static struct store *find(struct tiers *tiers, const struct tier_fetch *fetch, struct buffer *bytes,
                          struct record *record, size_t *nearer)
{
    const struct cache_key *key = &fetch->key;
    for (size_t i = fetch->first; i < tiers->count; i++) {
        struct store *store = tiers->stores[i];
        buffer_clear(bytes);
        if (store->methods->get(store, key, bytes) != STORE_HIT || bytes->failed)
            continue;
        *nearer = i;
        if (record_open(bytes->data, bytes->length, key, tiers->build, record))
            return store;
        store->methods->spoiled(store, key);
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

static struct tier_record *record_checked(struct tier_record *record)
{
    if (!record->sealed.failed)
        return record;
    tier_record_free(record);
    return NULL;
}

/* What a far tier had becomes the nearer ones'. */
static void keep_nearer(struct tiers *tiers, const struct cache_key *key, size_t nearer,
                        const struct buffer *sealed)
{
    struct tier_record *copy = nearer > 0 ? record_new(key, nearer) : NULL;
    if (!copy)
        return;
    buffer_append(&copy->sealed, sealed->data, sealed->length);
    tiers_keep(tiers, record_checked(copy));
}

static bool has_waited_long(const struct tier_fetch *fetch)
{
    return clock_milliseconds() - fetch->since > TIERS_PATIENCE_MS;
}

static void *fetcher_main(void *argument)
{
    struct tiers *tiers = argument;
    struct buffer bytes = {0}; /* kept from one to the next: fresh memory costs page faults */
    struct tier_fetch *fetch;
    while ((fetch = line_pop(&tiers->fetches))) {
        struct record record;
        size_t nearer = 0;
        struct store *store = NULL;
        if (!has_waited_long(fetch))
            store = find(tiers, fetch, &bytes, &record, &nearer);
        line_lighten(&tiers->fetches, 1);
        if (store)
            keep_nearer(tiers, &fetch->key, nearer, &bytes);
        fetch->done(fetch, store ? &record : NULL, store ? store->methods->name : NULL);
    }
    buffer_free(&bytes);
    return NULL;
}

static void *keeper_main(void *argument)
{
    struct tiers *tiers = argument;
    struct tier_record *record;
    while ((record = line_pop(&tiers->records))) {
        for (size_t i = 0; i < record->tiers; i++)
            tiers->stores[i]->methods->put(tiers->stores[i], &record->key, record->sealed.data,
                                           record->sealed.length);
        line_lighten(&tiers->records, record->sealed.length);
        tier_record_free(record);
    }
    return NULL;
}

bool tiers_start(struct tiers *tiers, struct error *error)
{
    if (tiers->count == 0)
        return true;
    tiers->keeper_started = pthread_create(&tiers->keeper, NULL, keeper_main, tiers) == 0;
    bool done = tiers->keeper_started;
    for (unsigned i = 0; i < TIERS_FETCHERS && done; i++) {
        done = pthread_create(&tiers->fetchers[i], NULL, fetcher_main, tiers) == 0;
        tiers->fetchers_started += done;
    }
    return done || error_set(error, ERROR_IO, "cannot start a cache's thread");
}

void tiers_free(struct tiers *tiers)
{
    if (!tiers)
        return;
    line_end(&tiers->fetches);
    for (unsigned i = 0; i < tiers->fetchers_started; i++)
        pthread_join(tiers->fetchers[i], NULL);
    line_end(&tiers->records);
    if (tiers->keeper_started)
        pthread_join(tiers->keeper, NULL);
    for (size_t i = 0; i < tiers->count; i++)
        tiers->stores[i]->methods->free(tiers->stores[i]);
    line_destroy(&tiers->fetches);
    line_destroy(&tiers->records);
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

static bool declines(struct store *store, const struct cache_key *key)
{
    return store->methods->declines(store, key);
}

bool tiers_fetch(struct tiers *tiers, struct tier_fetch *fetch)
{
    struct line *line = &tiers->fetches;
    fetch->first = 0;
    while (fetch->first < tiers->count && declines(tiers->stores[fetch->first], &fetch->key))
        fetch->first++;
    if (fetch->first == tiers->count)
        return false;
    fetch->since = clock_milliseconds();
    pthread_mutex_lock(&line->lock);
    const bool taken = !(line->first && has_waited_long(line->first)) &&
                       line_append(line, fetch, 1, TIERS_FETCHES_MAX);
    pthread_mutex_unlock(&line->lock);
    return taken;
}

struct tier_record *tiers_seal(const struct tiers *tiers, const struct cache_key *key,
                               const struct record *record)
{
    struct tier_record *made = NULL;
    if (tiers->count > 0 && record->length <= TIERS_KEEPING_MAX - RECORD_HEADER)
        made = record_new(key, tiers->count);
    if (!made)
        return NULL;
    struct record whole = *record;
    whole.build = tiers->build;
    memcpy(whole.key, key->bytes, CACHE_KEY_BYTES);
    record_seal(&whole, &made->sealed);
    return record_checked(made);
}

void tiers_keep(struct tiers *tiers, struct tier_record *record)
{
    struct line *line = &tiers->records;
    if (!record)
        return;
    pthread_mutex_lock(&line->lock);
    const bool taken = line_append(line, record, record->sealed.length, TIERS_KEEPING_MAX);
    pthread_mutex_unlock(&line->lock);
    if (!taken)
        tier_record_free(record);
}

void tier_record_free(struct tier_record *record)
{
    if (record)
        buffer_free(&record->sealed);
    free(record);
}
