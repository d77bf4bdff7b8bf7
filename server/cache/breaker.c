#include "server/cache/breaker.h"

void breaker_init(struct breaker *breaker, int64_t now)
{
    *breaker =
        (struct breaker){.state = BREAKER_OPEN, .since = now, .next_wait = BREAKER_FIRST_WAIT};
}

bool breaker_allows(const struct breaker *breaker)
{
    return breaker->state == BREAKER_CLOSED && !breaker->trying;
}

bool breaker_takes(struct breaker *breaker)
{
    const bool allowed = breaker_allows(breaker);
    breaker->trying = breaker->trying || (allowed && breaker->doubted);
    return allowed;
}

void breaker_answered(struct breaker *breaker)
{
    breaker->trying = false;
    if (breaker->state == BREAKER_CLOSED)
        breaker->doubted = false;
}

void breaker_unanswered(struct breaker *breaker)
{
    breaker->trying = false;
}

bool breaker_probes(struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_OPEN || now < breaker->since)
        return false;
    breaker->state = BREAKER_HALF_OPEN;
    return true;
}

void breaker_probe_succeeded(struct breaker *breaker, int64_t now)
{
    breaker->state = BREAKER_CLOSED;
    breaker->since = now;
}

static void breaker_open(struct breaker *breaker, int64_t now)
{
    breaker->state = BREAKER_OPEN;
    breaker->since = now + breaker->next_wait;
    breaker->next_wait *= 2;
    if (breaker->next_wait > BREAKER_LONGEST_WAIT)
        breaker->next_wait = BREAKER_LONGEST_WAIT;
}

void breaker_probe_failed(struct breaker *breaker, int64_t now)
{
    breaker_open(breaker, now);
}

void breaker_failed(struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_CLOSED)
        return;
    if (now - breaker->since >= BREAKER_STEADY)
        breaker->next_wait = BREAKER_FIRST_WAIT;
    breaker->doubted = true;
    breaker->trying = false;
    breaker_open(breaker, now);
}

int64_t breaker_wait(const struct breaker *breaker, int64_t now)
{
    if (breaker->state != BREAKER_OPEN)
        return -1;
    return breaker->since > now ? breaker->since - now : 0;
}
