/* The computing that a client may ask for, as an account that fills evenly up to a burst.
 *
 * Work is reserved before it is done, by an upper bound of its time, and what it has not used of
 * that is refunded. Times are nanoseconds of the machine of tests/bench/README.md. An account is a
 * few numbers, which work that outlives its request copies: a client that disconnects gets back
 * what one that stays does.
 *
 * All functions may be called by many threads. On an account without limit they do nothing. */
#ifndef TERRANE_SERVER_HTTP_JOBS_ACCOUNT_H
#define TERRANE_SERVER_HTTP_JOBS_ACCOUNT_H

#include <stdint.h>

struct token_bucket;

struct account {
    struct token_bucket *bucket; /* borrowed from the server; null: the client is not limited */
    uint64_t rate;               /* nanoseconds a second; 0: no limit */
    int64_t burst;               /* microseconds */
};

/* Takes so much and returns 0. If the account has not so much, nothing is taken, and the
 * microseconds until it has are returned. `now` is in microseconds. */
int64_t account_reserve(const struct account *account, uint64_t nanoseconds, int64_t now);
/* Gives back so much of what was reserved. */
void account_refund(const struct account *account, uint64_t nanoseconds);
/* Gives back what `used` leaves of `reserved`, if anything, and returns that. */
uint64_t account_settle(const struct account *account, uint64_t reserved, uint64_t used);

#endif
