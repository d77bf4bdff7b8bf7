/* Single flight: when several requests miss the same response, one makes it and the others wait.
 *
 * The first waiter of a key is the leader of its flight. The table only knows who waits for what;
 * making the response and waking the waiters is up to the caller. A waiter that is detached stays
 * in the flight but no longer counts as interested; one that is removed leaves the flight, be it
 * the first or the last. A leader must look into the cache again after joining, since an earlier
 * flight of the key may have ended in between. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_CACHE_SINGLE_FLIGHT_H
#define TERRANE_SERVER_CACHE_SINGLE_FLIGHT_H

#include <stdbool.h>

#include "server/cache/key.h"

struct single_flight;

/* A member of the caller's struct, which must not move until single_flight_end() has returned
 * the waiter or it was removed. */
struct single_flight_waiter {
    struct single_flight_waiter *next;
    struct single_flight_waiter **link; /* the pointer that points to this waiter */
    struct single_flight *flight;       /* the table's; null once the flight has ended */
    bool is_leader, is_detached;
};

enum single_flight_role {
    SINGLE_FLIGHT_LEADER,    /* make the response, then call single_flight_end() in any case */
    SINGLE_FLIGHT_FOLLOWER,  /* wait */
    SINGLE_FLIGHT_NO_MEMORY, /* memory is out; nothing happened */
};

struct single_flight_table;

struct single_flight_table *single_flight_table_new(void); /* null when memory is out */
/* There must be no flight left. Null is allowed. */
void single_flight_table_free(struct single_flight_table *table);

/* `owner` becomes the flight's owner, the job that makes the response, if the waiter leads. */
enum single_flight_role single_flight_join(struct single_flight_table *table,
                                           const struct cache_key *key,
                                           struct single_flight_waiter *waiter, void *owner);

/* The waiter is no longer interested. If no other one is, `on_abandoned` is called with the
 * flight's owner, under the table's lock. Nothing happens if the waiter was detached before, or if
 * its flight has ended. */
void single_flight_detach(struct single_flight_table *table, struct single_flight_waiter *waiter,
                          void (*on_abandoned)(void *owner));
/* Calls `on_wanted` with the flight's owner, under the table's lock, if the waiter's flight has not
 * ended: for an owner that was told that it is abandoned, and now has a waiter again. */
void single_flight_check_wanted(struct single_flight_table *table,
                                const struct single_flight_waiter *waiter,
                                void (*on_wanted)(void *owner));
/* Calls `on_abandoned` if no waiter of the flight is interested any more: for an owner that could
 * not be cancelled when the last waiter was detached, and now can. */
void single_flight_check_abandoned(struct single_flight_table *table, const struct cache_key *key,
                                   void (*on_abandoned)(void *owner));

enum single_flight_removal {
    SINGLE_FLIGHT_NOT_REMOVED,  /* nothing happened */
    SINGLE_FLIGHT_REMOVED,      /* the waiter is removed, the flight goes on */
    SINGLE_FLIGHT_REMOVED_LAST, /* the waiter was the only one: the flight has ended */
};
/* Removes the waiter if its flight has not ended and `release`, called under the table's lock,
 * returns true. Its `last` says that no other waiter is in the flight, detached ones included.
 * `*owner` becomes the flight's owner. If only detached waiters are left, `on_abandoned` is called
 * as by single_flight_detach(). */
enum single_flight_removal single_flight_remove_waiter(struct single_flight_table *table,
                                                       struct single_flight_waiter *waiter,
                                                       bool (*release)(void *owner, bool last),
                                                       void (*on_abandoned)(void *owner),
                                                       void **owner);

/* Ends the flight; returns its waiters in the order they joined, the leader first. With
 * `if_abandoned`, null, and the flight goes on, unless all its waiters are detached. */
struct single_flight_waiter *single_flight_end(struct single_flight_table *table,
                                               const struct cache_key *key, bool if_abandoned);

#endif
