/* Single flight: of all who want one missing answer at once, the first makes it and the others wait
 * for it.
 *
 * The table only knows who waits for what; making the answer and waking the waiters is the
 * caller's. Who leaves stays in the table but is no longer counted; who withdraws is out of it, be
 * it the first or the last. Look into the cache again after leading: a flight may have ended in
 * between. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_CACHE_SINGLE_FLIGHT_H
#define TERRANE_SERVER_CACHE_SINGLE_FLIGHT_H

#include <stdbool.h>

#include "server/cache/key.h"

struct single_flight;

/* A member of whatever waits; stays where it is until single_flight_finish() has returned it or it
 * has withdrawn. */
struct single_flight_waiter {
    struct single_flight_waiter *next;
    struct single_flight_waiter **link; /* what points to it */
    struct single_flight *flight;       /* while it is under way, else null; the table's */
    bool is_leader, is_detached;
};

enum single_flight_role {
    SINGLE_FLIGHT_LEADER,    /* make the answer, then call single_flight_finish() in any case */
    SINGLE_FLIGHT_FOLLOWER,  /* wait */
    SINGLE_FLIGHT_NO_MEMORY, /* memory is out; nothing happened */
};

struct single_flight_table;

struct single_flight_table *single_flight_table_new(void); /* null when memory is out */
/* No flight may be under way. Null is allowed. */
void single_flight_table_free(struct single_flight_table *table);

/* `owner` is what makes the answer, should the waiter lead. */
enum single_flight_role single_flight_join(struct single_flight_table *table,
                                           const struct cache_key *key,
                                           struct single_flight_waiter *waiter, void *owner);

/* The waiter does not care any more. If it was the last that did, `on_abandoned` is called with the
 * flight's owner, under the table's lock. Nothing happens if it left before, or if its flight
 * ended. */
void single_flight_detach(struct single_flight_table *table, struct single_flight_waiter *waiter,
                          void (*on_abandoned)(void *owner));
/* The same if all have left already: for an owner that has begun something since which could not be
 * abandoned before. */
void single_flight_check_abandoned(struct single_flight_table *table, const struct cache_key *key,
                                   void (*on_abandoned)(void *owner));

enum single_flight_removal {
    SINGLE_FLIGHT_NOT_REMOVED,  /* nothing happened */
    SINGLE_FLIGHT_REMOVED,      /* the waiter is out, the flight goes on */
    SINGLE_FLIGHT_REMOVED_LAST, /* the waiter was the last one: the flight is over without landing
                                 */
};
/* Takes the waiter out, if its flight is under way and `release`, called under the table's lock,
 * agrees; `last` tells it that nobody would be left, those who left included. `*owner` is the
 * flight's. */
enum single_flight_removal single_flight_remove_waiter(struct single_flight_table *table,
                                                       struct single_flight_waiter *waiter,
                                                       bool (*release)(void *owner, bool last),
                                                       void **owner);

/* Ends the flight; its waiters in the order they came, the leader first. */
struct single_flight_waiter *single_flight_finish(struct single_flight_table *table,
                                                  const struct cache_key *key);
/* The same if all its waiters have left; else null, and the flight goes on. */
struct single_flight_waiter *single_flight_end_abandoned(struct single_flight_table *table,
                                                         const struct cache_key *key);

#endif
