/* Single flight: of all who want one missing answer at once, the first makes it and the others wait
 * for it.
 *
 * The table only knows who waits for what; making the answer and waking the waiters is the
 * caller's. Waiters who leave stay in the table, but are no longer counted. Look into the cache
 * again after leading: a flight may have ended in between. All functions may be called by many
 * threads. */
#ifndef TERRANE_SERVER_CACHE_FLIGHT_H
#define TERRANE_SERVER_CACHE_FLIGHT_H

#include "server/cache/key.h"

struct flight;

/* A member of whatever waits; stays where it is until flight_finish() has returned it. */
struct flight_waiter {
    struct flight_waiter *next;
    struct flight *flight; /* while it is under way and cared for; the table's */
    unsigned present;      /* atomic: of the leader's, how many wait and have not left */
};

enum flight_role {
    FLIGHT_LEADS,   /* make the answer, then call flight_finish() in any case */
    FLIGHT_FOLLOWS, /* wait */
    FLIGHT_FAILED,  /* memory is out; nothing happened */
};

struct flights;

struct flights *flights_new(void); /* null when memory is out */
/* No flight may be under way. Null is allowed. */
void flights_free(struct flights *flights);

enum flight_role flight_join(struct flights *flights, const struct cache_key *key,
                             struct flight_waiter *waiter);
/* The waiter does not care any more. Nothing happens if it left before, or if its flight ended. */
void flight_leave(struct flights *flights, struct flight_waiter *waiter);
/* Ends the flight; its waiters in the order they came, the leader first. */
struct flight_waiter *flight_finish(struct flights *flights, const struct cache_key *key);
/* The same if all its waiters have left; else null, and the flight goes on. */
struct flight_waiter *flight_abandon(struct flights *flights, const struct cache_key *key);

#endif
