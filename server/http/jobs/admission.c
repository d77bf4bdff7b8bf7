/* Two limits, both on the time that work takes at most, which is known before it is done:
 *
 * - A request may cost so much (413).
 * - A client may ask for so many requests and so much computing a second (429), where a client is
 *   an IPv4 address or an IPv6 network of 64 bits (request/client_address.h), and where both may be
 *   saved up for a burst (token_buckets.h). Clients on this machine are exempt unless the setting
 *   client_loopback says otherwise.
 *
 * A client is charged before the work, by an upper bound. A hit in a tier, work
 * shared with another request and a 503 are refunded, as they cost nothing; and of work that was
 * done, what its processor time leaves of that (admission_settle()).
 * ../ARCHITECTURE.md lists who calls it: "Where a charge is given back". */
#include "server/http/jobs/admission.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/http/jobs/server_state.h"
#include "server/http/request/client_address.h"

#define SECOND ((int64_t)1000000) /* microseconds */
#define MILLISECOND 1e6           /* nanoseconds */
enum { RETRY_MAX = 3600 };        /* seconds */

/* All parts, else by bisection, as far as a thirtieth of the answer: each step may take as long as
 * the points. */
static uint64_t search_parts(const struct charge *charge, uint64_t limit)
{
    uint64_t fits = 0, too_many = charge->count;
    if (charge->count > 0 && charge->nanoseconds_of(charge->context, charge->count) <= limit)
        return charge->count;
    while (too_many - fits > 1 + fits / 30) {
        const uint64_t middle = fits + (too_many - fits) / 2;
        if (charge->nanoseconds_of(charge->context, middle) <= limit)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

/* How many of its parts the request may have: of those that cost about the same a little less than
 * that says, because each costs more where there are fewer to share its work. */
static uint64_t parts_that_fit(const struct charge *charge, uint64_t nanoseconds, uint64_t limit)
{
    const uint64_t left = limit > ADMISSION_REQUEST ? limit - ADMISSION_REQUEST : 0;
    return charge->nanoseconds_of
               ? search_parts(charge, left)
               : (uint64_t)(0.97 * (double)charge->count * (double)left / (double)nanoseconds);
}

/* Writes how many parts would fit, if any does, behind a detail that says too many were asked for.
 * Returns their number. */
static uint64_t write_fitting(const struct charge *charge, uint64_t nanoseconds, uint64_t limit,
                              char text[64])
{
    const uint64_t fits = charge->parts ? parts_that_fit(charge, nanoseconds, limit) : 0;
    text[0] = '\0';
    if (fits > 0 && charge->is_value)
        snprintf(text, 64, "; %s=%llu would fit", charge->parts, (unsigned long long)fits);
    else if (fits > 0)
        snprintf(text, 64, "; %llu %s would fit", (unsigned long long)fits, charge->parts);
    return fits;
}

void admission_add_fitting(const struct http_request *request, const struct charge *charge,
                           struct problem *problem)
{
    const size_t length = strlen(problem->detail);
    char would_fit[64];
    problem->fits = write_fitting(charge, 0, request->generation->request_limit, would_fit);
    snprintf(problem->detail + length, sizeof problem->detail - length, "%s", would_fit);
}

/* The time is rounded up to a tenth of a millisecond. */
static bool refuse_charge(const struct charge *charge, uint64_t nanoseconds, uint64_t limit,
                          struct problem *problem)
{
    const double tenths = ceil((double)nanoseconds / (MILLISECOND / 10)), most = (double)limit;
    char would_fit[64];
    const uint64_t fits = write_fitting(charge, nanoseconds, limit, would_fit);
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
    if (!limits->requests && !limits->computing)
        return true;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info ||
        !client_address_network(&address, info->client_addr, &request->headers,
                                &request->generation->trusted_proxies) ||
        (ip_address_is_loopback(&address) && !limits->loopback))
        return true;
    const int64_t now = loop_time(request);
    struct token_bucket *bucket = token_buckets_find(request->server->buckets, address.bytes, now);
    request->admission.account = (struct account){bucket, limits->computing, limits->burst};
    if (!limits->requests)
        return true;
    const int64_t wait =
        token_bucket_take(bucket, BUCKET_REQUESTS, SECOND / limits->requests, limits->burst, now);
    return wait == 0 || refuse_rate(wait, SHED_RATE, "requests", problem);
}

bool admission_refuse_rendering(int64_t wait, struct problem *problem)
{
    return refuse_rate(wait, SHED_RENDER_RATE, "rendering", problem);
}

/* The request itself is paid once, however many jobs it needs. */
static uint64_t most_of_job(const struct http_request *request, const struct charge *charge)
{
    return charge->nanoseconds + (request->admission.total ? 0 : ADMISSION_REQUEST);
}

bool admission_check_limit(struct http_request *request, const struct charge *charge,
                           struct problem *problem)
{
    const uint64_t limit = request->generation->request_limit;
    const uint64_t most = most_of_job(request, charge);
    return most <= limit || refuse_charge(charge, most, limit, problem);
}

/* Returns the microseconds until the client may go on, 0 if it has paid. */
static int64_t reserve(struct http_request *request, uint64_t nanoseconds)
{
    struct request_admission *admission = &request->admission;
    admission->expected = nanoseconds;
    const int64_t wait = account_reserve(&admission->account, nanoseconds, loop_time(request));
    if (wait > 0)
        return wait;
    admission->reserved += nanoseconds;
    admission->total += nanoseconds;
    return 0;
}

bool admission_reserve(struct http_request *request, const struct charge *charge,
                       struct problem *problem)
{
    const uint64_t most = most_of_job(request, charge);
    request->admission.expected = most;
    if (!admission_check_limit(request, charge, problem))
        return false;
    const int64_t wait = reserve(request, most);
    return wait == 0 || admission_refuse_rendering(wait, problem);
}

int64_t admission_reserve_piece(struct http_request *request, uint64_t nanoseconds)
{
    const struct charge charge = {.nanoseconds = nanoseconds};
    return reserve(request, most_of_job(request, &charge));
}

void admission_settle_piece(struct http_request *request)
{
    struct request_admission *admission = &request->admission;
    const uint64_t own = admission->kept > 0 ? 0 : ADMISSION_REQUEST;
    account_settle(&admission->account, admission->reserved, admission->used + own);
    admission->kept += admission->reserved;
    admission->reserved = admission->used = 0;
}

void admission_settle(struct http_request *request)
{
    struct request_admission *admission = &request->admission;
    admission->reserved -= account_settle(&admission->account, admission->reserved,
                                          admission->used + ADMISSION_REQUEST);
}

void admission_refund(struct http_request *request)
{
    struct request_admission *admission = &request->admission;
    account_refund(&admission->account, admission->reserved);
    admission->reserved = 0;
    admission->total = admission->kept;
}

void admission_keep_part(struct http_request *request, uint64_t reserved, uint64_t used)
{
    struct request_admission *admission = &request->admission;
    account_settle(&admission->account, reserved, used + ADMISSION_REQUEST);
    admission->reserved -= reserved;
    admission->kept += reserved;
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
