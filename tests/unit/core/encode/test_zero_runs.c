/* Runs of zeros against what a reader of single bytes sees. */
#include "core/encode/zero_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

enum { LONGEST = 3000 };

/* The zeros from `at` on. */
static size_t zeros_at(const uint8_t *bytes, size_t length, size_t at)
{
    size_t zeros = 0;
    while (at + zeros < length && bytes[at + zeros] == 0)
        zeros++;
    return zeros;
}

static void check(const uint8_t *bytes, size_t length)
{
    uint32_t *lengths = malloc((length / 8 + 2) * sizeof *lengths);
    assert_non_null(lengths);
    const size_t count = zero_runs_find(bytes, length, lengths);
    size_t found = 0, end = 0; /* of the runs that were returned */
    for (size_t at = 0; at < length;) {
        const size_t zeros = zeros_at(bytes, length, at);
        if (zeros > ZERO_RUN_MIN) { /* the first one is a literal */
            assert_true(found < count);
            assert_int_equal(end + lengths[2 * found], at + 1);
            assert_int_equal(lengths[2 * found + 1], zeros - 1);
            found++;
            end = at + zeros;
        }
        at += zeros + 1;
    }
    assert_int_equal(found, count);
    free(lengths);
}

/* Bytes end where the memory does, so that memory checkers see what is read behind them. */
static void check_copy(const uint8_t *bytes, size_t length)
{
    uint8_t *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    check(copy, length);
    free(copy);
}

static void runs_at_every_place(void **state)
{
    (void)state;
    static uint8_t bytes[800];
    for (size_t zeros = 0; zeros < 160; zeros++)
        for (size_t before = 0; before < 9; before++)
            for (size_t behind = 0; behind < 9; behind++) {
                memset(bytes, 7, sizeof bytes);
                memset(bytes + before, 0, zeros);
                check_copy(bytes, before + zeros + behind);
                memset(bytes + before + zeros + 1, 0, 600); /* another one, to the end */
                check_copy(bytes, before + zeros + 500 + behind);
            }
}

static void random_runs(void **state)
{
    (void)state;
    static uint8_t bytes[LONGEST];
    uint64_t random = 3;
    for (int round = 0; round < 3000; round++) {
        const size_t length = (size_t)random_whole(&random, 0, LONGEST);
        const int64_t longest = random_whole(&random, 1, 200);
        for (size_t at = 0; at < length;) {
            const uint8_t value = (uint8_t)random_whole(&random, 0, 1);
            size_t same = (size_t)random_whole(&random, 1, value ? 5 : longest);
            for (; same > 0 && at < length; same--)
                bytes[at++] = value;
        }
        check_copy(bytes, length);
    }
}

int test_zero_runs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_at_every_place),
        cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
