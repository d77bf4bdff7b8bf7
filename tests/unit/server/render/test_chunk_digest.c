#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/render/chunk_digest.h"

static void test_addresses(void **state)
{
    (void)state;
    struct chunk_digest digest;
    chunk_digest_begin(&digest);
    assert_true(chunk_digest_address(&digest, "-3,9223372036854775807"));
    assert_int_equal(digest.address.x, -3);
    assert_true(digest.address.y == INT64_MAX);
    static const char *const wrong[] = {"",     ",",    "1",     "1,",  ",1",
                                        "1,2,", "1 ,2", "1,2,3", "a,b", "9223372036854775808,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(chunk_digest_address(&digest, wrong[i]));
}

static void test_expectations(void **state)
{
    (void)state;
    static const char lower[] = "0123456789abcdef0123456789abcdef";
    struct chunk_digest digest;
    chunk_digest_begin(&digest);
    assert_int_equal(chunk_digest_compare(&digest), CHUNK_NOT_COMPARED);
    assert_true(chunk_digest_expect(&digest, "0123456789ABCDEF0123456789abcdef"));
    assert_string_equal(digest.expected, lower);
    assert_int_equal(chunk_digest_compare(&digest), CHUNK_DIFFERS);
    memcpy(digest.digest, lower, sizeof lower);
    assert_int_equal(chunk_digest_compare(&digest), CHUNK_SAME);
    assert_false(chunk_digest_expect(&digest, ""));
    assert_false(chunk_digest_expect(&digest, "0123456789abcdef0123456789abcde"));
    assert_false(chunk_digest_expect(&digest, "0123456789abcdef0123456789abcdef0"));
    assert_false(chunk_digest_expect(&digest, "0123456789abcdef0123456789abcdeg"));
    assert_string_equal(digest.expected, lower);
}

static void test_steps(void **state)
{
    (void)state;
    int64_t step = 7;
    assert_true(chunk_step_of_metres(0.0625, &step));
    assert_int_equal(step, 4096);
    assert_true(chunk_step_of_metres(65536, &step));
    assert_true(step == (int64_t)1 << 32);
    static const double wrong[] = {0, -1, 0.03125, 3, 131072, 1.0000001, 1e300, -0x1p40};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(chunk_step_of_metres(wrong[i], &step));
    assert_true(step == (int64_t)1 << 32);
}

int test_chunk_digest(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
