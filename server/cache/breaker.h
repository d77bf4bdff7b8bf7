/* A circuit breaker (M. Nygard, "Release It!"): keeps requests away from a server that has failed,
 * and finds out when it works again.
 *
 * Closed: requests are sent. One failure opens the breaker, because a server that hangs costs every
 * request its whole timeout. So do BREAKER_SLOW_MAX slow replies, unless BREAKER_FAST_PER_SLOW
 * times as many fast ones come between: a server that always answers just in time costs as much as
 * one that hangs. Open: no request is sent, until a delay has passed. Half open: the server's
 * watcher makes one probe. Its success closes the breaker, its failure opens it again for twice as
 * long.
 *
 * A server may answer probes but fail requests. So the first request after a failure is a trial:
 * until one request has been answered fast, only one at a time is sent, and only one waits for its
 * timeout. A slow reply to a trial counts twice. Each failed trial doubles the delay too.
 *
 * A plain struct that takes the time as an argument; the owner holds the lock. Times are
 * milliseconds of a clock that only goes forward. */
#ifndef TERRANE_SERVER_CACHE_BREAKER_H
#define TERRANE_SERVER_CACHE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BREAKER_DELAY_MIN = 250,
    BREAKER_DELAY_MAX = 2000,
    BREAKER_RESET_AFTER = 10000, /* a breaker closed for so long begins with the minimum again */
    BREAKER_SLOW_MAX = 4,
    BREAKER_FAST_PER_SLOW = 8, /* fast replies that make up for a slow one */
};

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker {
    enum breaker_state state;
    int64_t changes_at;   /* closed: since when; open: when the next probe may begin */
    int64_t next_delay;   /* after the next failure */
    bool on_trial;        /* no request was answered fast since the breaker opened last */
    bool trial_in_flight; /* the one request that is allowed on trial is running */
    int slowness;         /* fast replies that would make up for the slow ones */
};

/* Open, with a probe due at once: nothing is known about the server yet. */
void breaker_init(struct breaker *breaker, int64_t now);
/* True if a request may be sent. */
bool breaker_is_allowing(const struct breaker *breaker);
/* breaker_is_allowing() that also reserves the trial. After true, the caller sends the request and
 * reports its outcome by one of the next four functions. */
bool breaker_acquire(struct breaker *breaker);
void breaker_record_success(struct breaker *breaker);
/* The server has answered or taken the request, but later than the caller takes for fast. */
void breaker_record_slow(struct breaker *breaker, int64_t now);
/* The request was sent and has no reply: that says nothing about the server. */
void breaker_record_no_reply(struct breaker *breaker);
/* Ignored unless closed: the request was sent before an earlier failure opened the breaker. */
void breaker_record_failure(struct breaker *breaker, int64_t now);
/* True if a probe is due. Then the breaker is half open until one of the next two is called. */
bool breaker_begin_probe(struct breaker *breaker, int64_t now);
void breaker_probe_succeeded(struct breaker *breaker, int64_t now);
void breaker_probe_failed(struct breaker *breaker, int64_t now);
/* Milliseconds until breaker_begin_probe() is true; -1 while closed or half open. */
int64_t breaker_next_probe_delay(const struct breaker *breaker, int64_t now);

#endif
