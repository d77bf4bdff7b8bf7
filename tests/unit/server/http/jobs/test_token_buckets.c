/* Token buckets: the clock is ours, and the arithmetic by hand. Times are microseconds. */
#include "server/http/jobs/token_buckets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void number_address(uint64_t number, uint8_t address[16])
{
    memset(address, 0, 16);
    memcpy(address, &number, sizeof number);
}

/* One a tenth of a second, five at once. */
enum { EACH = 100000, BURST = 500000 };

static void a_bucket_gives_its_burst_and_then_its_rate(void **state)
{
    (void)state;
    struct token_bucket bucket = {0};
    int64_t now = 7000000;
    for (int i = 0; i < 5; i++)
        assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 100000);
    /* Asking in vain costs nothing. */
    now += 60000;
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 40000);
    now += 40000;
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 100000);
    /* After 250 ms there are two and a half. */
    now += 250000;
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 50000);
    /* However long it waits, it has no more than its burst. */
    now += 3600 * (int64_t)1000000;
    for (int i = 0; i < 5; i++)
        assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now), 0);
    assert_true(token_bucket_take(&bucket, BUCKET_REQUESTS, EACH, BURST, now) > 0);
}

static void the_two_kinds_of_tokens_are_independent(void **state)
{
    (void)state;
    struct token_bucket bucket = {0};
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, BURST, BURST, 0), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, 1, BURST, 0), 1);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_REQUESTS, BURST, BURST, 0), 0);
    token_bucket_refund(&bucket, BUCKET_COMPUTING, 1000);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, 1000, BURST, 0), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, 1000, BURST, 0), 1000);
}

static void a_cost_above_the_burst_needs_a_full_bucket(void **state)
{
    (void)state;
    struct token_bucket bucket = {0};
    /* Three bursts' worth: then it is empty for two, and full after three. */
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, 3 * BURST, BURST, 0), 0);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, EACH, BURST, 0),
                     2 * BURST + EACH);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, 3 * BURST, BURST, 0), 3 * BURST);
    assert_int_equal(token_bucket_take(&bucket, BUCKET_COMPUTING, EACH, BURST, 2 * BURST + EACH),
                     0);
}

static void each_address_has_its_own_bucket(void **state)
{
    (void)state;
    struct token_buckets *buckets = token_buckets_new(64, 1);
    uint8_t a[16], b[16];
    number_address(1, a);
    number_address(2, b);
    struct token_bucket *mine = token_buckets_find(buckets, a, 0);
    assert_ptr_equal(token_buckets_find(buckets, a, 0), mine);
    assert_ptr_not_equal(token_buckets_find(buckets, b, 0), mine);
    assert_int_equal(token_bucket_take(mine, BUCKET_REQUESTS, BURST, BURST, 0), 0);
    assert_true(
        token_bucket_take(token_buckets_find(buckets, a, 1), BUCKET_REQUESTS, EACH, BURST, 1) > 0);
    assert_int_equal(
        token_bucket_take(token_buckets_find(buckets, b, 1), BUCKET_REQUESTS, EACH, BURST, 1), 0);
    token_buckets_free(buckets);
}

/* All the addresses of the world get no more from a set than 8 buckets hold: 8 × 5 at once, and
 * 8 × 10 a second. */
static void many_addresses_get_no_more_than_the_table_holds(void **state)
{
    (void)state;
    struct token_buckets *buckets = token_buckets_new(1, 99);
    unsigned given = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        uint8_t address[16];
        const int64_t now = (int64_t)i * 100; /* a second in all */
        number_address(i, address);
        given += token_bucket_take(token_buckets_find(buckets, address, now), BUCKET_REQUESTS, EACH,
                                   BURST, now) == 0;
    }
    assert_in_range(given, 8 * 5 + 8 * 10 - 8, 8 * 5 + 8 * 10);
    token_buckets_free(buckets);
}

/* An empty bucket stays empty when 7 other clients have taken less. */
static void an_empty_bucket_is_not_evicted(void **state)
{
    (void)state;
    struct token_buckets *buckets = token_buckets_new(1, 5);
    uint8_t mine[16], other[16];
    number_address(1, mine);
    assert_int_equal(
        token_bucket_take(token_buckets_find(buckets, mine, 0), BUCKET_COMPUTING, BURST, BURST, 0),
        0);
    for (uint64_t i = 2; i < 1000; i++) {
        number_address(i, other);
        token_bucket_take(token_buckets_find(buckets, other, 0), BUCKET_COMPUTING, 10, BURST, 0);
    }
    assert_true(token_bucket_take(token_buckets_find(buckets, mine, 0), BUCKET_COMPUTING, EACH,
                                  BURST, 0) > 0);
    token_buckets_free(buckets);
}

/* The key decides who shares a set. */
static void keys_spread_differently(void **state)
{
    (void)state;
    unsigned same = 0;
    for (uint64_t key = 0; key < 64; key++) {
        struct token_buckets *buckets = token_buckets_new(64, key);
        uint8_t a[16], b[16];
        number_address(1, a);
        number_address(2, b);
        const struct token_bucket *first = token_buckets_find(buckets, a, 0);
        const struct token_bucket *second = token_buckets_find(buckets, b, 0);
        const long apart = (long)(second - first);
        same += apart > -TOKEN_BUCKETS_WAYS && apart < TOKEN_BUCKETS_WAYS;
        token_buckets_free(buckets);
    }
    assert_true(same < 16);
}

int test_token_buckets(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_gives_its_burst_and_then_its_rate),
        cmocka_unit_test(the_two_kinds_of_tokens_are_independent),
        cmocka_unit_test(a_cost_above_the_burst_needs_a_full_bucket),
        cmocka_unit_test(each_address_has_its_own_bucket),
        cmocka_unit_test(many_addresses_get_no_more_than_the_table_holds),
        cmocka_unit_test(an_empty_bucket_is_not_evicted),
        cmocka_unit_test(keys_spread_differently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
