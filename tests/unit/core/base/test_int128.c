/* 128-bit integers made of two halves, against the compiler's own. */
#define TERRANE_NO_INT128
#include "core/base/int128.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/hash.h"

__extension__ typedef __int128 whole;
__extension__ typedef unsigned __int128 whole_unsigned;

static const int64_t edges[] = {0,         1,         -1,        2,
                                INT64_MAX, INT64_MIN, INT32_MAX, UINT32_MAX,
                                INT32_MIN, 1LL << 32, 1LL << 57, -(1LL << 57)};
enum { EDGES = sizeof edges / sizeof *edges, CASES = 20000 };

/* The edges, then numbers of all sizes. */
static int64_t number(unsigned i)
{
    if (i % 3 == 0)
        return edges[hash_mix(i) % EDGES];
    return (int64_t)hash_mix(i) >> (hash_mix(~(uint64_t)i) % 64);
}

static whole joined(int128 a)
{
    return (whole)((whole_unsigned)(uint64_t)int128_high(a) << 64 | int128_low(a));
}

static int128 parted(int64_t high, int64_t low)
{
    return (int128){(uint64_t)low, high};
}

static void arithmetic(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        const int64_t a = number(3 * i), b = number(3 * i + 1), c = number(3 * i + 2);
        const int128 left = parted(a, b), right = parted(c, a);
        assert_true(joined(int128_from(a)) == a);
        assert_true(joined(int128_multiply(a, b)) == (whole)a * b);
        const struct wide product = wide_multiply((uint64_t)a, (uint64_t)b);
        assert_true(((whole_unsigned)product.high << 64 | product.low) ==
                    (whole_unsigned)(uint64_t)a * (uint64_t)b);
        assert_true(joined(int128_add(left, right)) ==
                    (whole)((whole_unsigned)joined(left) + (whole_unsigned)joined(right)));
        assert_true(int128_less(left, right) == (joined(left) < joined(right)));
    }
}

static void shifts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        const int128 a = parted(number(2 * i), number(2 * i + 1));
        const unsigned bits = i % 128;
        assert_true(joined(int128_shift_right(a, bits)) == joined(a) >> bits);
        assert_true(joined(int128_shift_left(a, bits)) ==
                    (whole)((whole_unsigned)joined(a) << bits));
    }
}

static void remainders(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        const int128 a = parted(number(3 * i), number(3 * i + 1));
        const uint64_t divisor = ((uint64_t)number(3 * i + 2) >> 2) + 1;
        whole expected = joined(a) % (whole)divisor;
        expected = expected < 0 ? expected + (whole)divisor : expected;
        assert_true(int128_modulo(a, divisor) == (uint64_t)expected);
    }
}

int test_int128(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(shifts),
        cmocka_unit_test(remainders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
