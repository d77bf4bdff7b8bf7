/* The delay is doubled by every opening, of a failed request or of a failed probe, and goes back to
 * the minimum only after the breaker has stayed closed for BREAKER_RESET_AFTER. Otherwise a server
 * that answers probes alone would cost a request its timeout four times a second. */
#include "server/cache/breaker.h"

void breaker_init(struct breaker *breaker, int64_t now)
{
    *breaker =
        (struct breaker){.state = BREAKER_OPEN, .changes_at = now, .next_delay = BREAKER_DELAY_MIN};
}

bool breaker_is_allowing(const struct breaker *breaker)
{
    return breaker->state == BREAKER_CLOSED && !breaker->trial_in_flight;
}

bool breaker_acquire(struct breaker *breaker)
{
    const bool allowed = breaker_is_allowing(breaker);
    breaker->trial_in_flight = breaker->trial_in_flight || (allowed && breaker->on_trial);
    return allowed;
}

void breaker_record_success(struct breaker *breaker)
{
    breaker->trial_in_flight = false;
    if (breaker->state != BREAKER_CLOSED)
        return;
    breaker->on_trial = false;
    breaker->slowness -= breaker->slowness > 0;
}

void breaker_record_slow(struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_CLOSED)
        return;
    breaker->trial_in_flight = false;
    breaker->slowness += breaker->on_trial ? 2 * BREAKER_FAST_PER_SLOW : BREAKER_FAST_PER_SLOW;
    if (breaker->slowness > (BREAKER_SLOW_MAX - 1) * BREAKER_FAST_PER_SLOW)
        breaker_record_failure(breaker, now);
}

void breaker_record_no_reply(struct breaker *breaker)
{
    breaker->trial_in_flight = false;
}

bool breaker_begin_probe(struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_OPEN || now < breaker->changes_at)
        return false;
    breaker->state = BREAKER_HALF_OPEN;
    return true;
}

void breaker_probe_succeeded(struct breaker *breaker, int64_t now)
{
    breaker->state = BREAKER_CLOSED;
    breaker->changes_at = now;
}

void breaker_probe_failed(struct breaker *breaker, int64_t now)
{
    breaker->state = BREAKER_OPEN;
    breaker->changes_at = now + breaker->next_delay;
    breaker->next_delay *= 2;
    if (breaker->next_delay > BREAKER_DELAY_MAX)
        breaker->next_delay = BREAKER_DELAY_MAX;
}

void breaker_record_failure(struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_CLOSED)
        return;
    if (now - breaker->changes_at >= BREAKER_RESET_AFTER)
        breaker->next_delay = BREAKER_DELAY_MIN;
    breaker->on_trial = true;
    breaker->trial_in_flight = false;
    breaker->slowness = 0;
    breaker_probe_failed(breaker, now); /* the same: it opens, for twice as long */
}

int64_t breaker_next_probe_delay(const struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_OPEN)
        return -1;
    return breaker->changes_at > now ? breaker->changes_at - now : 0;
}
