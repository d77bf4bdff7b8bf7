/* Places as decimal text. Expected values: n/2¹⁶ written out by hand, or by 128-bit arithmetic in
 * another order than place.c's. */
#include "core/base/place.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void text_becomes_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t units;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"0.0", 0},
        {"0e9999999999", 0},
        {"1", 65536},
        {"-1", -65536},
        {"-12.5", -819200},
        {"0.5", 32768},
        {"1e3", 65536000},
        {"1.5E+2", 9830400},
        {"125e-3", 8192},
        {"0.0000152587890625", 1},  /* 2⁻¹⁶ */
        {"0.00000762939453125", 0}, /* a half: to the even 0 */
        {"-0.00000762939453125", 0},
        {"0.000007629394531250", 0},
        {"0.00000762939453125000000000000000000000000001", 1}, /* above a half */
        {"0.00000762939453124999999999999999999999999999", 0}, /* below */
        {"0.00002288818359375", 2},                            /* one and a half: to the even 2 */
        {"0.00003814697265625", 2},                            /* two and a half: to the even 2 */
        {"-0.00002288818359375", -2},
        {"762939453125e-17", 0},
        {"762939453125000001e-23", 1},
        {"1e-400", 0},
        {"1e-99999999999999999999", 0},
        {"0.999999999999", 65536},
        {"1099511627776", PLACE_LIMIT},
        {"-1099511627776", -PLACE_LIMIT},
        {"1099511627776.0000", PLACE_LIMIT},
        {"1.099511627776e12", PLACE_LIMIT},
        {"1099511627775.9999847412109375", PLACE_LIMIT - 1},
        {"1099511627775.99999237060546875", PLACE_LIMIT}, /* a tie, and the limit is even */
        {"1099511627775.99999237060546874", PLACE_LIMIT - 1},
        {"0.00000000000000000000001e23", 65536},
        {"100000000000000000000000e-23", 65536},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t units = 77;
        assert_true(place_parse(cases[i].text, strlen(cases[i].text), &units, NULL));
        assert_true(units == cases[i].units);
    }
}

static void bad_text_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum error_code code;
    } cases[] = {
        {"", ERROR_SYNTAX},
        {"abc", ERROR_SYNTAX},
        {"1,5", ERROR_SYNTAX},
        {"+1", ERROR_SYNTAX},
        {"0x10", ERROR_SYNTAX},
        {"inf", ERROR_SYNTAX},
        {"nan", ERROR_SYNTAX},
        {"1 ", ERROR_SYNTAX},
        {"1.", ERROR_SYNTAX},
        {"1099511627777", ERROR_LIMIT},
        {"-1099511627776.1", ERROR_LIMIT},
        {"1099511627776.00000000000000000000000000001", ERROR_LIMIT},
        {"1e13", ERROR_LIMIT},
        {"1e400", ERROR_LIMIT},
        {"-1e99999999999999", ERROR_LIMIT},
        {"99999999999999999999999999999999999", ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        int64_t units = 77;
        assert_false(place_parse(cases[i].text, strlen(cases[i].text), &units, &error));
        assert_int_equal(error.code, cases[i].code);
        assert_int_equal(units, 77);
    }
    struct error error;
    int64_t units;
    place_parse("north", 5, &units, &error);
    assert_string_equal(error.message, "\"north\" is not a decimal number of metres such as -12.5");
    place_parse("2e12", 4, &units, &error);
    assert_string_equal(error.message, "2e12 m is beyond the world's edge: allowed is "
                                       "-1099511627776 to 1099511627776");
    /* The message keeps whole characters of a long text: 39 letters, then one of two bytes. */
    place_parse("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xC3\xA9\xC3\xA9", 43, &units, &error);
    assert_non_null(strstr(error.message, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" is"));
}

static void units_become_text(void **state)
{
    (void)state;
    static const struct {
        int64_t units;
        const char *text;
    } cases[] = {
        {0, "0"},
        {65536, "1"},
        {-819200, "-12.5"},
        {1, "0.0000152587890625"},
        {-1, "-0.0000152587890625"},
        {6554, "0.100006103515625"},
        {PLACE_LIMIT, "1099511627776"},
        {-PLACE_LIMIT, "-1099511627776"},
        {1 - PLACE_LIMIT, "-1099511627775.9999847412109375"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NUMBER_TEXT];
        assert_int_equal(place_format(cases[i].units, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    char text[NUMBER_TEXT];
    assert_true(place_format(INT64_MIN + 1, text) < NUMBER_TEXT);
    assert_non_null(memchr(text, '\0', NUMBER_TEXT));
}

static void formatted_units_parse_back(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252;
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        int64_t units = (int64_t)(random % (uint64_t)PLACE_LIMIT) >> random % 50;
        if (i % 2)
            units = -units;
        char text[NUMBER_TEXT];
        size_t length = place_format(units, text);
        int64_t back;
        assert_true(place_parse(text, length, &back, NULL));
        assert_true(back == units);
    }
}

/* n millionths of a metre, against a rounded quotient of integers. */
static void decimals_round_to_nearest(void **state)
{
    (void)state;
    for (int64_t n = -3000000; n <= 3000000; n += 7) {
        char text[NUMBER_TEXT];
        int length = snprintf(text, sizeof text, "%" PRId64 "e-6", n);
        int64_t units, twice = (n < 0 ? -n : n) * 131072;
        assert_true(place_parse(text, (size_t)length, &units, NULL));
        int64_t off = twice - (units < 0 ? -units : units) * 2000000;
        assert_true(off >= -1000000 && off <= 1000000);
        assert_true((off != -1000000 && off != 1000000) || units % 2 == 0);
        assert_true(units == 0 || (units < 0) == (n < 0));
    }
}

static void metres_are_doubles(void **state)
{
    (void)state;
    assert_true(place_metres(0) == 0.0);
    assert_true(place_metres(-819200) == -12.5);
    assert_true(place_metres(PLACE_LIMIT) == 1099511627776.0);
    assert_true(place_metres(((int64_t)1 << 53) - 1) == 137438953471.9999847412109375);
}

int test_place(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_units),        cmocka_unit_test(bad_text_is_refused),
        cmocka_unit_test(units_become_text),         cmocka_unit_test(formatted_units_parse_back),
        cmocka_unit_test(decimals_round_to_nearest), cmocka_unit_test(metres_are_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
