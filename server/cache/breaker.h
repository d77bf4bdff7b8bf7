/* A circuit breaker: leaves a server alone for a while that has failed, and finds out when it works
 * again.
 *
 * Closed, requests go to the server. The first failure opens it: a server that hangs costs each
 * request its whole timeout, so one is enough to know. Open, no request is sent. When the wait is
 * over whoever watches the server makes one probe (half open); that closes the breaker, or opens it
 * for twice as long.
 *
 * A server that answers probes but fails requests has its waits doubled too, and is in doubt: until
 * it has answered a request, only one at a time is sent, and so only one waits for its timeout.
 *
 * A plain struct with the clock passed in; its owner has the lock. Times are milliseconds of a
 * clock that only goes forward. */
#ifndef TERRANE_SERVER_CACHE_BREAKER_H
#define TERRANE_SERVER_CACHE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BREAKER_DELAY_MIN = 250,
    BREAKER_DELAY_MAX = 2000,
    BREAKER_RESET_AFTER = 10000, /* closed for so long, the next wait is the first again */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker {
    enum breaker_state state;
    int64_t changes_at;   /* when it closed, or when it may be probed */
    int64_t next_delay;   /* of the next failure */
    bool on_trial;        /* it failed a request, and has answered none since */
    bool trial_in_flight; /* in doubt, and a request is on its way to find out */
};

/* Open, to be probed at once: nothing is known about the server yet. */
void breaker_init(struct breaker *breaker, int64_t now);
/* Whether a request may be sent. */
bool breaker_is_allowing(const struct breaker *breaker);
/* The same for one who sends it if so, and then calls one of the next three. */
bool breaker_acquire(struct breaker *breaker);
void breaker_record_success(struct breaker *breaker);
/* It was sent, and no answer asked for: that says nothing. */
void breaker_record_no_reply(struct breaker *breaker);
/* A request failed. One that was sent before the breaker opened changes nothing. */
void breaker_record_failure(struct breaker *breaker, int64_t now);
/* Whether to probe now. Then it is half open until one of the next two is called. */
bool breaker_begin_probe(struct breaker *breaker, int64_t now);
void breaker_probe_succeeded(struct breaker *breaker, int64_t now);
void breaker_probe_failed(struct breaker *breaker, int64_t now);
/* How long until breaker_begin_probe() may be true; -1 while it is closed or half open. */
int64_t breaker_next_probe_delay(const struct breaker *breaker, int64_t now);

#endif
