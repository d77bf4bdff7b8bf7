/* Single flight: of all who want one missing answer at once, the first makes it and the others wait
 * for it.
 *
 * The table only knows who waits for what; making the answer and waking the waiters is the
 * caller's. Who leaves stays in the table but is no longer counted; who withdraws is out of it, be
 * it the first or the last. Look into the cache again after leading: a flight may have ended in
 * between. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_CACHE_FLIGHT_H
#define TERRANE_SERVER_CACHE_FLIGHT_H

#include <stdbool.h>

#include "server/cache/key.h"

struct flight;

/* A member of whatever waits; stays where it is until flight_finish() has returned it or it has
 * withdrawn. */
struct flight_waiter {
    struct flight_waiter *next;
    struct flight_waiter **link; /* what points to it */
    struct flight *flight;       /* while it is under way, else null; the table's */
    bool leads, left;
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

/* `owner` is what makes the answer, should the waiter lead. */
enum flight_role flight_join(struct flights *flights, const struct cache_key *key,
                             struct flight_waiter *waiter, void *owner);

/* The waiter does not care any more. If it was the last that did, `abandoned` is called with the
 * flight's owner, under the table's lock. Nothing happens if it left before, or if its flight
 * ended. */
void flight_leave(struct flights *flights, struct flight_waiter *waiter,
                  void (*abandoned)(void *owner));
/* The same if all have left already: for an owner that has begun something since which could not be
 * abandoned before. */
void flight_check(struct flights *flights, const struct cache_key *key,
                  void (*abandoned)(void *owner));

enum flight_exit {
    FLIGHT_STAYS, /* nothing happened */
    FLIGHT_LEFT,  /* the waiter is out, the flight goes on */
    FLIGHT_ENDED, /* the waiter was the last one: the flight is over without landing */
};
/* Takes the waiter out, if its flight is under way and `release`, called under the table's lock,
 * agrees; `last` tells it that nobody would be left, those who left included. `*owner` is the
 * flight's. */
enum flight_exit flight_withdraw(struct flights *flights, struct flight_waiter *waiter,
                                 bool (*release)(void *owner, bool last), void **owner);

/* Ends the flight; its waiters in the order they came, the leader first. */
struct flight_waiter *flight_finish(struct flights *flights, const struct cache_key *key);
/* The same if all its waiters have left; else null, and the flight goes on. */
struct flight_waiter *flight_abandon(struct flights *flights, const struct cache_key *key);

#endif
