/* Two limits, both on prices (server/render/price.h), which are known before any work is done:
 *
 * - A request may cost so much (413).
 * - A client may ask for so many requests and so much computing a second (429), where a client is
 *   an IPv4 address or an IPv6 network of 64 bits (request/client_address.h), and where both may be
 *   saved up for a burst (token_buckets.h). Clients on this machine are exempt unless the setting
 *   client_loopback says otherwise.
 *
 * A client is charged before the work, by a price that is an upper bound. A hit in a tier, work
 * shared with another request and a 503 are refunded, as they cost nothing; and of work that was
 * done, what its processor time leaves of the price (admission_settle()). */
#include "server/http/jobs/admission.h"

#include <math.h>
#include <stdio.h>

#include "server/http/jobs/server_state.h"
#include "server/http/request/client_address.h"
#include "server/render/price.h"

#define SECOND ((int64_t)1000000) /* microseconds */
#define MILLISECOND 1e6           /* nanoseconds */
enum { RETRY_MAX = 3600 };        /* seconds */

/* By bisection, as far as a thirtieth of the answer: each step may take as long as the points. */
static uint64_t search_parts(const struct charge *charge, uint64_t limit)
{
    uint64_t fits = 0, too_many = charge->count;
    while (too_many - fits > 1 + fits / 30) {
        const uint64_t middle = fits + (too_many - fits) / 2;
        if (charge->price_of(charge->context, middle) <= limit)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

/* How many of its parts the request may have: of those that cost about the same a little less than
 * the price says, because each costs more where there are fewer to share its work. */
static uint64_t parts_that_fit(const struct charge *charge, uint64_t price, uint64_t limit)
{
    const uint64_t left = limit > PRICE_REQUEST ? limit - PRICE_REQUEST : 0;
    return charge->price_of
               ? search_parts(charge, left)
               : (uint64_t)(0.97 * (double)charge->count * (double)left / (double)price);
}

/* The price is rounded up to a tenth of a millisecond. */
static bool refuse_price(const struct charge *charge, uint64_t price, uint64_t limit,
                         struct problem *problem)
{
    const double tenths = ceil((double)price / (MILLISECOND / 10)), most = (double)limit;
    const uint64_t fits = charge->parts ? parts_that_fit(charge, price, limit) : 0;
    char would_fit[64] = "";
    if (fits > 0)
        snprintf(would_fit, sizeof would_fit, "; %llu %s would fit", (unsigned long long)fits,
                 charge->parts);
    problem_set(problem, PROBLEM_TOO_LARGE,
                "this would cost %.1f ms of computing, and a request may cost %g ms; ask for "
                "%s%s",
                tenths / 10, most / MILLISECOND, charge->smaller, would_fit);
    snprintf(problem->allowed, sizeof problem->allowed, "%g ms of computing", most / MILLISECOND);
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
    if (!limits->requests && !limits->price)
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

/* A price is charged as the time, in microseconds, in which the client may have so much computed. 0
 * if the client is not limited. */
static int64_t amount_of(const struct http_request *request, uint64_t price)
{
    const double limit = (double)request->generation->clients.price;
    return request->admission.bucket && limit > 0.0
               ? (int64_t)((double)price / limit * (double)SECOND) + 1
               : 0;
}

int64_t admission_charge_part(struct http_request *request, uint64_t price)
{
    const int64_t amount = amount_of(request, price);
    const int64_t wait =
        amount ? token_bucket_take(request->admission.bucket, BUCKET_PRICE, amount,
                                   request->generation->clients.burst, loop_time(request))
               : 0;
    if (wait > 0)
        return wait;
    request->admission.charged += amount;
    request->admission.total_price += price;
    return 0;
}

void admission_refund_part(struct http_request *request, uint64_t price)
{
    const int64_t amount = amount_of(request, price);
    if (amount)
        token_bucket_refund(request->admission.bucket, BUCKET_PRICE, amount);
    request->admission.charged -= amount;
    request->admission.total_price -= price;
}

/* Gives back what was charged for more than was used, and returns that. The request itself is no
 * work of a job, and is not given back. */
static int64_t give_back_unused(const struct http_request *request, int64_t charged, uint64_t used)
{
    const int64_t unused = charged - amount_of(request, used + PRICE_REQUEST);
    if (charged == 0 || unused <= 0)
        return 0;
    token_bucket_refund(request->admission.bucket, BUCKET_PRICE, unused);
    return unused;
}

void admission_settle_part(struct http_request *request, uint64_t price, uint64_t used)
{
    request->admission.charged -= give_back_unused(request, amount_of(request, price), used);
}

void admission_settle(struct http_request *request)
{
    request->admission.charged -=
        give_back_unused(request, request->admission.charged, request->admission.used);
}

bool admission_refuse_rendering(int64_t wait, struct problem *problem)
{
    return refuse_rate(wait, SHED_RENDER_RATE, "rendering", problem);
}

/* The request itself is paid once, however many jobs it needs. */
static uint64_t price_of_job(const struct http_request *request, const struct charge *charge)
{
    return charge->price + (request->admission.total_price ? 0 : PRICE_REQUEST);
}

bool admission_check_limit(struct http_request *request, const struct charge *charge,
                           struct problem *problem)
{
    const uint64_t limit = request->generation->request_price;
    const uint64_t price = price_of_job(request, charge);
    return price <= limit || refuse_price(charge, price, limit, problem);
}

bool admission_check_price(struct http_request *request, const struct charge *charge,
                           struct problem *problem)
{
    const uint64_t price = price_of_job(request, charge);
    request->admission.price = price;
    if (!admission_check_limit(request, charge, problem))
        return false;
    const int64_t wait = admission_charge_part(request, price);
    return wait == 0 || admission_refuse_rendering(wait, problem);
}

void admission_refund(struct http_request *request)
{
    if (request->admission.charged)
        token_bucket_refund(request->admission.bucket, BUCKET_PRICE, request->admission.charged);
    request->admission.charged = 0;
    request->admission.total_price = request->admission.kept_price;
}

void admission_keep_part(struct http_request *request, uint64_t price, uint64_t used)
{
    const int64_t amount = amount_of(request, price);
    give_back_unused(request, amount, used);
    request->admission.charged -= amount;
    request->admission.kept_price += price;
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
