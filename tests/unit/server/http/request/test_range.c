/* Range headers. What a value selects is told by RFC 9110, 14.1.2 and 14.2, and its examples for
 * 10000 bytes. */
#include "server/http/request/range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The range must stay as it is unless there is a part. */
static void expect(const char *value, uint64_t length, enum range_outcome outcome, uint64_t first,
                   uint64_t count)
{
    struct byte_range range = {7, 77};
    assert_int_equal(range_parse(value, length, &range), outcome);
    assert_int_equal(range.first, outcome == RANGE_PART ? first : 7);
    assert_int_equal(range.count, outcome == RANGE_PART ? count : 77);
}

static void examples_of_the_rfc(void **state)
{
    (void)state;
    expect("bytes=0-499", 10000, RANGE_PART, 0, 500);
    expect("bytes=500-999", 10000, RANGE_PART, 500, 500);
    expect("bytes=-500", 10000, RANGE_PART, 9500, 500);
    expect("bytes=9500-", 10000, RANGE_PART, 9500, 500);
    expect("bytes=0-0,-1", 10000, RANGE_WHOLE, 0, 0);
    expect("bytes= 0-999, 4500-5499, -1000", 10000, RANGE_WHOLE, 0, 0);
}

static void ranges_are_cut_at_the_end(void **state)
{
    (void)state;
    expect("bytes=9999-10000", 10000, RANGE_PART, 9999, 1);
    expect("bytes=0-18446744073709551615", 10000, RANGE_PART, 0, 10000);
    expect("bytes=1-18446744073709551616", UINT64_MAX, RANGE_PART, 1, UINT64_MAX - 1);
    expect("bytes=-10001", 10000, RANGE_PART, 0, 10000);
    expect("bytes=-99999999999999999999999", 10000, RANGE_PART, 0, 10000);
}

static void ranges_beyond_the_end(void **state)
{
    (void)state;
    expect("bytes=10000-", 10000, RANGE_BEYOND, 0, 0);
    expect("bytes=10000-10001", 10000, RANGE_BEYOND, 0, 0);
    expect("bytes=99999999999999999999-", 10000, RANGE_BEYOND, 0, 0);
    expect("bytes=-0", 10000, RANGE_BEYOND, 0, 0);
    expect("bytes=0-", 0, RANGE_BEYOND, 0, 0);
    expect("bytes=-5", 0, RANGE_WHOLE, 0, 0); /* satisfiable, but no Content-Range can say it */
}

static void other_values_are_ignored(void **state)
{
    static const char *const values[] = {
        "",           "bytes",       "bytes=",      "bytes=-",     "bytes=1",    "bytes=1-2,",
        "bytes=2-1",  "bytes=a-2",   "bytes=1-b",   "bytes=--2",   "bytes=+1-2", "bytes=1 -2",
        "bytes=1-2x", "bytes=0x1-2", "bytes=1-2-3", "seconds=1-2", "byte=1-2",   "bytes 1-2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        expect(values[i], 10000, RANGE_WHOLE, 0, 0);
}

static void blanks_and_capitals(void **state)
{
    (void)state;
    expect("Bytes=1-2", 10000, RANGE_PART, 1, 2);
    expect("bytes=1-2 \t", 10000, RANGE_PART, 1, 2);
    expect("bytes=1- ", 10000, RANGE_PART, 1, 9999);
    expect("bytes=-2 ", 10000, RANGE_PART, 9998, 2);
}

int test_range(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_rfc),   cmocka_unit_test(ranges_are_cut_at_the_end),
        cmocka_unit_test(ranges_beyond_the_end), cmocka_unit_test(other_values_are_ignored),
        cmocka_unit_test(blanks_and_capitals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
