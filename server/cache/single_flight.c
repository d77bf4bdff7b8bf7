/* A hash table of flights under one lock, which is held for a few pointer writes; the callbacks
 * run under it too, so they must be short. A flight is allocated by its leader and freed when it
 * ends; waiters are linked through the callers' structs, so joining a flight allocates nothing. */
#include "server/cache/single_flight.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* There are at most as many flights as renders that wait or run: a few hundred. */
enum { BUCKETS = 256 };

struct single_flight {
    struct single_flight *next; /* in its bucket */
    struct cache_key key;
    struct single_flight_waiter *first, **end;
    void *owner;
    unsigned attached_count; /* waiters that are not detached */
};

struct single_flight_table {
    pthread_mutex_t lock;
    struct single_flight *buckets[BUCKETS];
};

struct single_flight_table *single_flight_table_new(void)
{
    struct single_flight_table *table = calloc(1, sizeof *table);
    if (table)
        pthread_mutex_init(&table->lock, NULL);
    return table;
}

void single_flight_table_free(struct single_flight_table *table)
{
    if (!table)
        return;
    pthread_mutex_destroy(&table->lock);
    free(table);
}

/* The link that points to the key's flight, or the null at the end of its bucket. */
static struct single_flight **find_link(struct single_flight_table *table,
                                        const struct cache_key *key)
{
    struct single_flight **link = &table->buckets[key->hash.low % BUCKETS];
    while (*link && memcmp((*link)->key.bytes, key->bytes, CACHE_KEY_BYTES) != 0)
        link = &(*link)->next;
    return link;
}

static struct single_flight *flight_new(const struct cache_key *key, void *owner)
{
    struct single_flight *flight = malloc(sizeof *flight);
    if (!flight)
        return NULL;
    *flight = (struct single_flight){.key = *key, .owner = owner};
    flight->end = &flight->first;
    return flight;
}

static void add_waiter(struct single_flight *flight, struct single_flight_waiter *waiter)
{
    waiter->flight = flight;
    waiter->link = flight->end;
    *flight->end = waiter;
    flight->end = &waiter->next;
    flight->attached_count++;
}

static void remove_waiter(struct single_flight *flight, struct single_flight_waiter *waiter)
{
    *waiter->link = waiter->next;
    *(waiter->next ? &waiter->next->link : &flight->end) = waiter->link;
    waiter->flight = NULL;
    flight->attached_count -= !waiter->is_detached;
}

enum single_flight_role single_flight_join(struct single_flight_table *table,
                                           const struct cache_key *key,
                                           struct single_flight_waiter *waiter, void *owner)
{
    *waiter = (struct single_flight_waiter){.is_leader = false};
    pthread_mutex_lock(&table->lock);
    struct single_flight **link = find_link(table, key);
    if (!*link) {
        *link = flight_new(key, owner);
        waiter->is_leader = *link != NULL;
    }
    struct single_flight *flight = *link;
    if (flight)
        add_waiter(flight, waiter);
    pthread_mutex_unlock(&table->lock);
    return waiter->is_leader ? SINGLE_FLIGHT_LEADER
           : flight          ? SINGLE_FLIGHT_FOLLOWER
                             : SINGLE_FLIGHT_NO_MEMORY;
}

void single_flight_detach(struct single_flight_table *table, struct single_flight_waiter *waiter,
                          void (*on_abandoned)(void *owner))
{
    pthread_mutex_lock(&table->lock);
    struct single_flight *flight = waiter->flight;
    if (flight && !waiter->is_detached) {
        waiter->is_detached = true;
        if (--flight->attached_count == 0)
            on_abandoned(flight->owner);
    }
    pthread_mutex_unlock(&table->lock);
}

void single_flight_check_abandoned(struct single_flight_table *table, const struct cache_key *key,
                                   void (*on_abandoned)(void *owner))
{
    pthread_mutex_lock(&table->lock);
    const struct single_flight *flight = *find_link(table, key);
    if (flight && flight->attached_count == 0)
        on_abandoned(flight->owner);
    pthread_mutex_unlock(&table->lock);
}

void single_flight_check_wanted(struct single_flight_table *table,
                                const struct single_flight_waiter *waiter,
                                void (*on_wanted)(void *owner))
{
    pthread_mutex_lock(&table->lock);
    if (waiter->flight)
        on_wanted(waiter->flight->owner);
    pthread_mutex_unlock(&table->lock);
}

enum single_flight_removal single_flight_remove_waiter(struct single_flight_table *table,
                                                       struct single_flight_waiter *waiter,
                                                       bool (*release)(void *owner, bool last),
                                                       void (*on_abandoned)(void *owner),
                                                       void **owner)
{
    enum single_flight_removal removal = SINGLE_FLIGHT_NOT_REMOVED;
    struct single_flight *ended_flight = NULL;
    pthread_mutex_lock(&table->lock);
    struct single_flight *flight = waiter->flight;
    const bool last = flight && flight->first == waiter && !waiter->next;
    if (flight && release(flight->owner, last)) {
        *owner = flight->owner;
        remove_waiter(flight, waiter);
        removal = last ? SINGLE_FLIGHT_REMOVED_LAST : SINGLE_FLIGHT_REMOVED;
        if (last) {
            *find_link(table, &flight->key) = flight->next;
            ended_flight = flight;
        } else if (flight->attached_count == 0 && !waiter->is_detached) {
            on_abandoned(flight->owner);
        }
    }
    pthread_mutex_unlock(&table->lock);
    free(ended_flight);
    return removal;
}

struct single_flight_waiter *single_flight_end(struct single_flight_table *table,
                                               const struct cache_key *key, bool if_abandoned)
{
    struct single_flight_waiter *waiters = NULL;
    pthread_mutex_lock(&table->lock);
    struct single_flight **link = find_link(table, key), *flight = *link;
    if (flight && if_abandoned && flight->attached_count > 0)
        flight = NULL;
    if (flight) {
        *link = flight->next;
        waiters = flight->first;
    }
    for (struct single_flight_waiter *waiter = waiters; waiter; waiter = waiter->next)
        waiter->flight = NULL;
    pthread_mutex_unlock(&table->lock);
    free(flight);
    return waiters;
}
