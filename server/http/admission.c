#include "server/http/admission.h"

#include <stdio.h>

#include "server/cost.h"
#include "server/http/client.h"

#define SECOND ((int64_t)1000000) /* microseconds */
enum { RETRY_MAX = 3600 };        /* seconds */

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

static bool too_many(int64_t wait, enum metrics_shed shed, const char *of_what,
                     struct problem *problem)
{
    const int64_t seconds = (wait + SECOND - 1) / SECOND;
    problem_set(problem, PROBLEM_TOO_MANY,
                "your address has asked for more %s than one client may; try again in %lld s",
                of_what, (long long)seconds);
    problem->shed = shed;
    problem->retry_after = seconds < RETRY_MAX ? (unsigned)seconds : RETRY_MAX;
    return false;
}

/* By the loop's clock, in microseconds. */
static int64_t clock_of(const struct exchange *exchange)
{
    return exchange->loop->now * (SECOND / 1000);
}

bool admission_enter(struct exchange *exchange, struct problem *problem)
{
    const struct http_server *server = exchange->loop->server;
    const struct client_limits *limits = &exchange->generation->clients;
    uint8_t address[16];
    if (!limits->requests && !limits->cost)
        return true;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info ||
        !client_find(info->client_addr, &exchange->headers, &exchange->generation->trusted_proxies,
                     address) ||
        (client_is_loopback(address) && !limits->loopback))
        return true;
    const int64_t now = clock_of(exchange);
    exchange->bucket = buckets_find(server->buckets, address, now);
    if (!limits->requests)
        return true;
    const int64_t wait = bucket_take(exchange->bucket, BUCKET_REQUESTS, SECOND / limits->requests,
                                     limits->burst, now);
    return wait == 0 || too_many(wait, SHED_RATE, "requests", problem);
}

/* The time in which so much cost is allowed: limits are in millions a second. */
static bool pay(struct exchange *exchange, uint64_t cost, struct problem *problem)
{
    const struct client_limits *limits = &exchange->generation->clients;
    if (!exchange->bucket || !limits->cost)
        return true;
    const int64_t amount = (int64_t)(cost / limits->cost) + 1;
    const int64_t wait =
        bucket_take(exchange->bucket, BUCKET_COST, amount, limits->burst, clock_of(exchange));
    exchange->paid += wait == 0 ? amount : 0;
    return wait == 0 || too_many(wait, SHED_RENDER_RATE, "rendering", problem);
}

bool admission_check(struct exchange *exchange, const struct charge *charge,
                     struct problem *problem)
{
    const uint64_t limit = exchange->generation->request_cost;
    exchange->cost = charge->cost;
    if (charge->cost > limit)
        return too_costly(charge, limit, problem);
    return pay(exchange, charge->cost, problem);
}

void admission_refund(struct exchange *exchange)
{
    if (exchange->paid)
        bucket_give_back(exchange->bucket, BUCKET_COST, exchange->paid);
    exchange->paid = 0;
}

bool admission_busy(const struct http_server *server, struct problem *problem, const char *detail)
{
    problem_set(problem, PROBLEM_BUSY, "%s", detail);
    problem->shed = SHED_QUEUE;
    problem->retry_after = workers_retry_after(server->workers);
    return false;
}
