/* Two limits, both in the cost of server/render/cost.h, which is known before any work is done:
 *
 * - A request may cost so much (413).
 * - A client may ask for so many requests and so much cost a second (429), where a client is an
 *   IPv4 address or an IPv6 network of 64 bits (request/client_address.h), and where both may be
 *   saved up for a burst (token_buckets.h). Clients on this machine are exempt unless the setting
 *   client_loopback says otherwise.
 *
 * A client is charged before the work; a hit in a tier, work shared with another request and a 503
 * are refunded, as they cost nothing. */
#include "server/http/jobs/admission.h"

#include <stdio.h>

#include "server/http/jobs/server_state.h"
#include "server/http/request/client_address.h"
#include "server/render/cost.h"

#define SECOND ((int64_t)1000000) /* microseconds */
enum { RETRY_MAX = 3600 };        /* seconds */

/* By bisection, as far as a thirtieth of the answer: each step may take as long as the points. */
static uint64_t search_parts(const struct charge *charge, uint64_t limit)
{
    uint64_t fits = 0, too_many = charge->count;
    while (too_many - fits > 1 + fits / 30) {
        const uint64_t middle = fits + (too_many - fits) / 2;
        if (charge->cost_of(charge->context, middle) <= limit)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

/* How many of its parts the request may have: of those that cost about the same a little less than
 * the cost says, because each costs more where there are fewer to share its work. */
static uint64_t parts_that_fit(const struct charge *charge, uint64_t cost, uint64_t limit)
{
    const uint64_t left = limit > COST_REQUEST ? limit - COST_REQUEST : 0;
    return charge->cost_of ? search_parts(charge, left)
                           : (uint64_t)(0.97 * (double)charge->count * (double)left / (double)cost);
}

/* Costs are written in millions, rounded up to a tenth. */
static bool refuse_cost(const struct charge *charge, uint64_t cost, uint64_t limit,
                        struct problem *problem)
{
    const unsigned long long millions = limit / COST_MILLION;
    const unsigned long long tenths = (cost + COST_MILLION / 10 - 1) / (COST_MILLION / 10);
    const uint64_t fits = charge->parts ? parts_that_fit(charge, cost, limit) : 0;
    char would_fit[64] = "";
    if (fits > 0)
        snprintf(would_fit, sizeof would_fit, "; %llu %s would fit", (unsigned long long)fits,
                 charge->parts);
    problem_set(problem, PROBLEM_TOO_LARGE,
                "this would cost %llu.%llu million octave-samples, and a request may cost %llu "
                "million; ask for %s%s",
                tenths / 10, tenths % 10, millions, charge->smaller, would_fit);
    snprintf(problem->allowed, sizeof problem->allowed, "%llu million octave-samples", millions);
    snprintf(problem->example, sizeof problem->example, "%s", charge->example);
    problem->fits = fits;
    return charge->parameter && problem_set_parameter(problem, charge->parameter);
}

static bool refuse_rate(int64_t wait, enum metrics_counter shed_reason, const char *of_what,
                        struct problem *problem)
{
    const int64_t seconds = (wait + SECOND - 1) / SECOND;
    problem_set(problem, PROBLEM_TOO_MANY_REQUESTS,
                "your address has asked for more %s than one client may; try again in %lld s",
                of_what, (long long)seconds);
    problem->shed_reason = shed_reason;
    problem->retry_after = seconds < RETRY_MAX ? (unsigned)seconds : RETRY_MAX;
    return false;
}

/* Microseconds by the loop's clock, as the buckets count. */
static int64_t loop_time(const struct http_request *request)
{
    return request->loop->now * (SECOND / 1000);
}

bool admission_check_rate(struct http_request *request, struct problem *problem)
{
    const struct client_limits *limits = &request->generation->clients;
    struct ip_address address;
    if (!limits->requests && !limits->cost)
        return true;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info ||
        !client_address_network(&address, info->client_addr, &request->headers,
                                &request->generation->trusted_proxies) ||
        (ip_address_is_loopback(&address) && !limits->loopback))
        return true;
    const int64_t now = loop_time(request);
    request->admission.bucket = token_buckets_find(request->server->buckets, address.bytes, now);
    if (!limits->requests)
        return true;
    const int64_t wait = token_bucket_take(request->admission.bucket, BUCKET_REQUESTS,
                                           SECOND / limits->requests, limits->burst, now);
    return wait == 0 || refuse_rate(wait, SHED_RATE, "requests", problem);
}

/* A limit of n million a second allows a cost of n in a microsecond, so a cost is charged as the
 * time in which so much is allowed. 0 if the client is not limited. */
static int64_t amount_of(const struct http_request *request, uint64_t cost)
{
    const uint64_t limit = request->generation->clients.cost;
    return request->admission.bucket && limit ? (int64_t)(cost / limit) + 1 : 0;
}

int64_t admission_charge_part(struct http_request *request, uint64_t cost)
{
    const int64_t amount = amount_of(request, cost);
    const int64_t wait =
        amount ? token_bucket_take(request->admission.bucket, BUCKET_COST, amount,
                                   request->generation->clients.burst, loop_time(request))
               : 0;
    if (wait > 0)
        return wait;
    request->admission.charged += amount;
    request->admission.total_cost += cost;
    return 0;
}

void admission_refund_part(struct http_request *request, uint64_t cost)
{
    const int64_t amount = amount_of(request, cost);
    if (amount)
        token_bucket_refund(request->admission.bucket, BUCKET_COST, amount);
    request->admission.charged -= amount;
    request->admission.total_cost -= cost;
}

bool admission_refuse_rendering(int64_t wait, struct problem *problem)
{
    return refuse_rate(wait, SHED_RENDER_RATE, "rendering", problem);
}

/* The request itself is paid once, however many jobs it needs. */
static uint64_t cost_of_job(const struct http_request *request, const struct charge *charge)
{
    return charge->cost + (request->admission.total_cost ? 0 : COST_REQUEST);
}

bool admission_check_limit(struct http_request *request, const struct charge *charge,
                           struct problem *problem)
{
    const uint64_t limit = request->generation->request_cost;
    const uint64_t cost = cost_of_job(request, charge);
    return cost <= limit || refuse_cost(charge, cost, limit, problem);
}

bool admission_check_cost(struct http_request *request, const struct charge *charge,
                          struct problem *problem)
{
    const uint64_t cost = cost_of_job(request, charge);
    request->admission.cost = cost;
    if (!admission_check_limit(request, charge, problem))
        return false;
    const int64_t wait = admission_charge_part(request, cost);
    return wait == 0 || admission_refuse_rendering(wait, problem);
}

void admission_refund(struct http_request *request)
{
    if (request->admission.charged)
        token_bucket_refund(request->admission.bucket, BUCKET_COST, request->admission.charged);
    request->admission.charged = 0;
    request->admission.total_cost = request->admission.kept_cost;
}

void admission_keep_part(struct http_request *request, uint64_t cost)
{
    request->admission.charged -= amount_of(request, cost);
    request->admission.kept_cost += cost;
}

bool admission_set_busy(const struct http_server *server, struct problem *problem,
                        const char *detail)
{
    problem_set(problem, PROBLEM_BUSY, "%s", detail);
    problem->shed_reason = SHED_QUEUE;
    problem->retry_after = workers_retry_after(server->workers);
    return false;
}

bool admission_set_queue_full(const struct http_server *server, struct problem *problem)
{
    return admission_set_busy(server, problem,
                              "too much is waiting to be rendered; try again later");
}
