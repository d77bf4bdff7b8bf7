/* What a client is charged for a request of several jobs, and what a refund gives back. The
 * arithmetic is by hand: a request costs 20,000 ns beside its jobs, and at a limit of 1 ms a second
 * a price of p takes p + 1 microseconds from the bucket, and a refund gives back p. */
#include "server/http/jobs/admission.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/http/jobs/server_state.h"
#include "server/http/jobs/token_buckets.h"

static struct token_bucket bucket;
static struct event_loop loop;
static struct generation generation = {
    .clients = {.computing = 1000000, .burst = 1000000},
    .request_limit = 5000000,
};

static struct http_request *begin(void)
{
    static struct http_request request;
    memset(&bucket, 0, sizeof bucket);
    memset(&request, 0, sizeof request);
    request.loop = &loop;
    request.generation = &generation;
    request.admission.account = (struct account){&bucket, 1000000, 1000000};
    return &request;
}

static bool pay(struct http_request *request, uint64_t price)
{
    const struct charge charge = {.nanoseconds = price, .smaller = "less", .example = "/"};
    return admission_reserve(request, &charge, &request->problem);
}

/* The time until the bucket is full again, as the clock of the loop stands at 0. */
static int64_t taken(void)
{
    return bucket.full[BUCKET_COMPUTING];
}

static void a_refund_gives_back_all_jobs(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_true(pay(request, 200000));
    assert_true(pay(request, 300000));
    assert_int_equal(request->admission.total, 20000 + 200000 + 300000);
    assert_int_equal(taken(), 220001 + 300001);
    admission_refund(request);
    assert_int_equal(request->admission.total, 0);
    assert_int_equal(taken(), 2);
    admission_refund(request);
    assert_int_equal(taken(), 2);
}

/* As a world that was compiled for the request stays, though the job after it was refused. */
static void a_refund_leaves_a_kept_charge(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_true(pay(request, 200000));
    assert_true(pay(request, 300000));
    admission_keep_part(request, 20000 + 200000, 200000);
    assert_int_equal(request->admission.total, 20000 + 200000 + 300000);
    admission_refund(request);
    assert_int_equal(request->admission.total, 20000 + 200000);
    assert_int_equal(taken(), 220002);
    admission_refund(request);
    assert_int_equal(taken(), 220002);
    /* The request itself stays paid. */
    assert_true(pay(request, 300000));
    assert_int_equal(request->admission.expected, 300000);
}

/* Of 20,000 + 200,000 + 300,000 ns, 150,000 and the request itself were used. */
static void what_was_not_used_is_given_back(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_true(pay(request, 200000));
    assert_true(pay(request, 300000));
    request->admission.used = 150000;
    admission_settle(request);
    assert_int_equal(taken(), 170002);
    assert_int_equal(request->admission.total, 520000);
    admission_settle(request);
    assert_int_equal(taken(), 170002);
    admission_refund(request);
    assert_int_equal(taken(), 2);
}

static void no_more_is_taken_than_was_reserved(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_true(pay(request, 200000));
    request->admission.used = 900000;
    admission_settle(request);
    assert_int_equal(taken(), 220001);
}

/* The first part has used 50,000, and keeps that. */
static void a_kept_part_is_settled_by_itself(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_true(pay(request, 200000));
    admission_keep_part(request, 220000, 50000);
    assert_int_equal(taken(), 70001);
    admission_refund(request);
    assert_int_equal(taken(), 70001);
}

/* Of a first piece of 200,000 ns 50,000 were used, of a second one of 100,000 all, of a third none
 * as it was not made. */
static void pieces_are_settled_one_by_one(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_int_equal(admission_reserve_piece(request, 200000), 0);
    assert_int_equal(request->admission.expected, 20000 + 200000);
    assert_int_equal(taken(), 220001);
    request->admission.used = 50000;
    admission_settle_piece(request);
    assert_int_equal(taken(), 70001);
    assert_int_equal(admission_reserve_piece(request, 100000), 0);
    assert_int_equal(request->admission.expected, 100000);
    request->admission.used = 150000;
    admission_settle_piece(request);
    assert_int_equal(taken(), 170002);
    assert_int_equal(admission_reserve_piece(request, 400000), 0);
    admission_refund(request);
    assert_int_equal(taken(), 170003);
    assert_int_equal(request->admission.total, 20000 + 200000 + 100000);
    admission_settle(request);
    assert_int_equal(taken(), 170003);
}

/* The bucket holds 1,000,000 microseconds, of which the first piece takes all and 20,001 more. */
static void a_piece_that_is_not_paid_takes_nothing(void **state)
{
    (void)state;
    struct http_request *const request = begin();
    assert_int_equal(admission_reserve_piece(request, 1000000), 0);
    assert_int_equal(admission_reserve_piece(request, 5000), 20001 + 5001);
    assert_int_equal(request->admission.reserved, 1020000);
    assert_int_equal(request->admission.total, 1020000);
    assert_int_equal(taken(), 1020001);
}

int test_admission(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refund_gives_back_all_jobs),
        cmocka_unit_test(a_refund_leaves_a_kept_charge),
        cmocka_unit_test(what_was_not_used_is_given_back),
        cmocka_unit_test(no_more_is_taken_than_was_reserved),
        cmocka_unit_test(a_kept_part_is_settled_by_itself),
        cmocka_unit_test(pieces_are_settled_one_by_one),
        cmocka_unit_test(a_piece_that_is_not_paid_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
