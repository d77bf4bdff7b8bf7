#include "server/http/admission.h"

#include <stdio.h>

#include "server/cost.h"

/* In millions, to a tenth; never less than it is. */
static void write_cost(uint64_t cost, char text[32])
{
    const uint64_t tenths = (cost + COST_MILLION / 10 - 1) / (COST_MILLION / 10);
    snprintf(text, 32, "%llu.%llu", (unsigned long long)(tenths / 10),
             (unsigned long long)(tenths % 10));
}

static bool too_costly(const struct charge *charge, uint64_t limit, struct problem *problem)
{
    char cost[32];
    write_cost(charge->cost, cost);
    problem_set(problem, PROBLEM_TOO_LARGE,
                "this would cost %s million octave-samples, and a request may cost %llu million; "
                "ask for %s",
                cost, (unsigned long long)(limit / COST_MILLION), charge->smaller);
    snprintf(problem->allowed, sizeof problem->allowed, "%llu million octave-samples",
             (unsigned long long)(limit / COST_MILLION));
    snprintf(problem->example, sizeof problem->example, "%s", charge->example);
    return false;
}

bool admission_check(struct exchange *exchange, const struct charge *charge,
                     struct problem *problem)
{
    const uint64_t limit = exchange->loop->server->request_cost;
    exchange->cost = charge->cost;
    return charge->cost <= limit || too_costly(charge, limit, problem);
}

bool admission_busy(const struct http_server *server, struct problem *problem, const char *detail)
{
    problem_set(problem, PROBLEM_BUSY, "%s", detail);
    problem->retry_after = workers_retry_after(server->workers);
    return false;
}
