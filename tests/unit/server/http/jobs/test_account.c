/* Reservations and refunds of an account. The arithmetic is by hand: at a rate of 1 ms a second, p
 * nanoseconds are p microseconds of the bucket; a reservation takes one more. */
#include "server/http/jobs/account.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/http/jobs/token_buckets.h"

static struct token_bucket bucket;
static const struct account account = {&bucket, 1000000, 1000000};

static int empty(void **state)
{
    (void)state;
    memset(&bucket, 0, sizeof bucket);
    return 0;
}

/* The time until the bucket is full again, at the time 0. */
static int64_t taken(void)
{
    return bucket.full[BUCKET_COMPUTING];
}

/* The second one finds 1,000,000 - 500,001 microseconds left of the burst, and needs 600,001. */
static void a_reservation_needs_what_is_left(void **state)
{
    (void)state;
    assert_int_equal(account_reserve(&account, 500000, 0), 0);
    assert_int_equal(account_reserve(&account, 600000, 0), 600001 - 499999);
    assert_int_equal(taken(), 500001);
    assert_int_equal(account_reserve(&account, 450000, 0), 0);
    assert_int_equal(taken(), 500001 + 450001);
}

static void a_refund_gives_back_no_more_than_was_taken(void **state)
{
    (void)state;
    account_reserve(&account, 500000, 0);
    account_reserve(&account, 1, 0);
    account_refund(&account, 500000);
    assert_int_equal(taken(), 1 + 2);
    account_refund(&account, 1);
    assert_int_equal(taken(), 2);
}

static void what_is_unused_is_given_back(void **state)
{
    (void)state;
    account_reserve(&account, 300000, 0);
    assert_int_equal(account_settle(&account, 300000, 10000), 290000);
    assert_int_equal(taken(), 10001);
    account_reserve(&account, 200000, 0);
    assert_int_equal(account_settle(&account, 200000, 900000), 0);
    assert_int_equal(taken(), 10001 + 200001);
}

static void without_limit_nothing_is_taken(void **state)
{
    (void)state;
    const struct account unlimited[] = {{NULL, 1000000, 1000000}, {&bucket, 0, 1000000}};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(account_reserve(&unlimited[i], UINT64_MAX, 0), 0);
        assert_int_equal(account_settle(&unlimited[i], 3, 1), 2);
        account_refund(&unlimited[i], UINT64_MAX);
    }
    assert_int_equal(taken(), 0);
}

int test_account(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_reservation_needs_what_is_left, empty),
        cmocka_unit_test_setup(a_refund_gives_back_no_more_than_was_taken, empty),
        cmocka_unit_test_setup(what_is_unused_is_given_back, empty),
        cmocka_unit_test_setup(without_limit_nothing_is_taken, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
