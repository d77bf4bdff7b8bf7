#include "server/cache/flight.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Flights are at most the renders that may wait or run: a few hundred. */
enum { BUCKETS = 256 };

struct flight {
    struct flight *next; /* in its bucket */
    struct cache_key key;
    struct flight_waiter *first, **end;
};

struct flights {
    pthread_mutex_t lock;
    struct flight *buckets[BUCKETS];
};

struct flights *flights_new(void)
{
    struct flights *flights = calloc(1, sizeof *flights);
    if (flights)
        pthread_mutex_init(&flights->lock, NULL);
    return flights;
}

void flights_free(struct flights *flights)
{
    if (!flights)
        return;
    pthread_mutex_destroy(&flights->lock);
    free(flights);
}

/* The link that points to the key's flight, or the null at the end of its bucket. */
static struct flight **flight_link(struct flights *flights, const struct cache_key *key)
{
    struct flight **link = &flights->buckets[key->hash.low % BUCKETS];
    while (*link && memcmp((*link)->key.bytes, key->bytes, CACHE_KEY_BYTES) != 0)
        link = &(*link)->next;
    return link;
}

static struct flight *flight_new(const struct cache_key *key)
{
    struct flight *flight = malloc(sizeof *flight);
    if (!flight)
        return NULL;
    flight->next = NULL;
    flight->key = *key;
    flight->first = NULL;
    flight->end = &flight->first;
    return flight;
}

enum flight_role flight_join(struct flights *flights, const struct cache_key *key,
                             struct flight_waiter *waiter)
{
    enum flight_role role = FLIGHT_FOLLOWS;
    waiter->next = NULL;
    __atomic_store_n(&waiter->present, 0, __ATOMIC_RELAXED);
    pthread_mutex_lock(&flights->lock);
    struct flight **link = flight_link(flights, key);
    if (!*link) {
        *link = flight_new(key);
        role = *link ? FLIGHT_LEADS : FLIGHT_FAILED;
    }
    if (*link) {
        *(*link)->end = waiter;
        (*link)->end = &waiter->next;
        waiter->flight = *link;
        __atomic_fetch_add(&(*link)->first->present, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&flights->lock);
    return role;
}

void flight_leave(struct flights *flights, struct flight_waiter *waiter)
{
    pthread_mutex_lock(&flights->lock);
    if (waiter->flight)
        __atomic_fetch_sub(&waiter->flight->first->present, 1, __ATOMIC_RELAXED);
    waiter->flight = NULL;
    pthread_mutex_unlock(&flights->lock);
}

static struct flight_waiter *flight_end(struct flights *flights, const struct cache_key *key,
                                        bool if_abandoned)
{
    struct flight_waiter *waiters = NULL;
    pthread_mutex_lock(&flights->lock);
    struct flight **link = flight_link(flights, key);
    struct flight *flight = *link;
    if (flight && if_abandoned && __atomic_load_n(&flight->first->present, __ATOMIC_RELAXED) > 0)
        flight = NULL;
    if (flight) {
        *link = flight->next;
        waiters = flight->first;
    }
    for (struct flight_waiter *waiter = waiters; waiter; waiter = waiter->next)
        waiter->flight = NULL;
    pthread_mutex_unlock(&flights->lock);
    free(flight);
    return waiters;
}

struct flight_waiter *flight_finish(struct flights *flights, const struct cache_key *key)
{
    return flight_end(flights, key, false);
}

struct flight_waiter *flight_abandon(struct flights *flights, const struct cache_key *key)
{
    return flight_end(flights, key, true);
}
