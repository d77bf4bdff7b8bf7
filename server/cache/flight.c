#include "server/cache/flight.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Flights are at most the renders that may wait or run: a few hundred. */
enum { BUCKETS = 256 };

struct flight {
    struct flight *next; /* in its bucket */
    struct cache_key key;
    struct flight_waiter *first, **end;
    void *owner;
    unsigned present; /* how many wait and have not left */
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

static struct flight *flight_new(const struct cache_key *key, void *owner)
{
    struct flight *flight = malloc(sizeof *flight);
    if (!flight)
        return NULL;
    *flight = (struct flight){.key = *key, .owner = owner};
    flight->end = &flight->first;
    return flight;
}

static void board(struct flight *flight, struct flight_waiter *waiter)
{
    waiter->flight = flight;
    waiter->link = flight->end;
    *flight->end = waiter;
    flight->end = &waiter->next;
    flight->present++;
}

static void get_off(struct flight *flight, struct flight_waiter *waiter)
{
    *waiter->link = waiter->next;
    *(waiter->next ? &waiter->next->link : &flight->end) = waiter->link;
    waiter->flight = NULL;
    flight->present -= !waiter->left;
}

enum flight_role flight_join(struct flights *flights, const struct cache_key *key,
                             struct flight_waiter *waiter, void *owner)
{
    *waiter = (struct flight_waiter){.leads = false};
    pthread_mutex_lock(&flights->lock);
    struct flight **link = flight_link(flights, key);
    if (!*link) {
        *link = flight_new(key, owner);
        waiter->leads = *link != NULL;
    }
    struct flight *flight = *link;
    if (flight)
        board(flight, waiter);
    pthread_mutex_unlock(&flights->lock);
    return waiter->leads ? FLIGHT_LEADS : flight ? FLIGHT_FOLLOWS : FLIGHT_FAILED;
}

void flight_leave(struct flights *flights, struct flight_waiter *waiter,
                  void (*abandoned)(void *owner))
{
    pthread_mutex_lock(&flights->lock);
    struct flight *flight = waiter->flight;
    if (flight && !waiter->left) {
        waiter->left = true;
        if (--flight->present == 0)
            abandoned(flight->owner);
    }
    pthread_mutex_unlock(&flights->lock);
}

void flight_check(struct flights *flights, const struct cache_key *key,
                  void (*abandoned)(void *owner))
{
    pthread_mutex_lock(&flights->lock);
    const struct flight *flight = *flight_link(flights, key);
    if (flight && flight->present == 0)
        abandoned(flight->owner);
    pthread_mutex_unlock(&flights->lock);
}

enum flight_exit flight_withdraw(struct flights *flights, struct flight_waiter *waiter,
                                 bool (*release)(void *owner, bool last), void **owner)
{
    enum flight_exit exit = FLIGHT_STAYS;
    struct flight *over = NULL;
    pthread_mutex_lock(&flights->lock);
    struct flight *flight = waiter->flight;
    const bool last = flight && flight->first == waiter && !waiter->next;
    if (flight && release(flight->owner, last)) {
        *owner = flight->owner;
        get_off(flight, waiter);
        exit = last ? FLIGHT_ENDED : FLIGHT_LEFT;
        if (last) {
            struct flight **link = flight_link(flights, &flight->key);
            *link = flight->next;
            over = flight;
        }
    }
    pthread_mutex_unlock(&flights->lock);
    free(over);
    return exit;
}

static struct flight_waiter *flight_end(struct flights *flights, const struct cache_key *key,
                                        bool if_abandoned)
{
    struct flight_waiter *waiters = NULL;
    pthread_mutex_lock(&flights->lock);
    struct flight **link = flight_link(flights, key);
    struct flight *flight = *link;
    if (flight && if_abandoned && flight->present > 0)
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
