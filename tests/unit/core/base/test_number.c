/* Numbers as text. The C library's strtod, strtof and printf, which share nothing with number.c,
 * say what is right for random values; the rest is written out by hand. */
#include "core/base/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 20240229;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void scan_finds_the_length(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } cases[] = {
        {"0", 1},    {"-0", 2},   {"12", 2},    {"12.5", 4}, {"-12.50e+10,", 10},
        {"1e5]", 3}, {"1E-5", 4}, {"0.001", 5}, {"0x10", 1}, {"12abc", 2},
        {"", 0},     {"-", 0},    {"+1", 0},    {".5", 0},   {"5.", 0},
        {"1.e3", 0}, {"1e", 0},   {"1e+", 0},   {"01", 0},   {"-01", 0},
        {"inf", 0},  {"nan", 0},  {" 1", 0},    {"1,5", 1},  {"00", 0},
        {"--1", 0},  {"0e0", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(number_scan(cases[i].text, strlen(cases[i].text)), cases[i].length);
    assert_int_equal(number_scan("123456", 3), 3);
    assert_int_equal(number_scan("1.5", 2), 0); /* the point is the last byte there is */
}

static void malformed_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " 1",
                                        "1 ",
                                        "+1",
                                        "1.",
                                        ".1",
                                        "1e",
                                        "0x1p3",
                                        "inf",
                                        "-inf",
                                        "nan",
                                        "1,5",
                                        "1_0",
                                        "01",
                                        "1e309",
                                        "-2e308",
                                        "1e99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 42;
        assert_false(number_parse(texts[i], strlen(texts[i]), &value));
        assert_true(value == 42);
    }
}

static void parse_gives_the_nearest_double(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "-1.5",
        "0.1",
        "1e22",
        "1e23",
        "123456789012345678",
        "8.5e-3",
        "9007199254740993",        /* a tie: 2^53 + 1 */
        "9007199254740995",        /* a tie the other way */
        "1.7976931348623157e308",  /* the greatest */
        "2.2250738585072014e-308", /* the smallest normal one */
        "2.2250738585072011e-308", /* once an endless loop in other parsers */
        "4.9406564584124654e-324", /* the smallest */
        "2.4703282292062328e-324", /* just above half of it */
        "2.4703282292062327e-324", /* just below: 0 */
        "1e-400",
        "0e999999999999",
        "0.000000000000000000000000000000000000000000001",
        "1000000000000000000000000000000000000000000000",
        "5e-324",
        "1.00000000000000011102230246",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value, expected = strtod(texts[i], NULL);
        assert_true(number_parse(texts[i], strlen(texts[i]), &value));
        assert_memory_equal(&value, &expected, sizeof value);
    }
}

static void parse_agrees_with_strtod(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        uint64_t digits = random_bits() >> (random_bits() % 60);
        int exponent = (int)(random_bits() % 700) - 360;
        /* 2⁶⁴ has 20 digits, one more than count. */
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits / 10, exponent);
        double value = 0, expected = strtod(text, NULL);
        bool finite = isfinite(expected);
        assert_int_equal(number_parse(text, strlen(text), &value), finite);
        if (finite)
            assert_memory_equal(&value, &expected, sizeof value);
    }
}

static void whole_numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    int64_t value = 7;
    assert_true(number_parse_integer("-20", 3, -20, 20, &value));
    assert_int_equal(value, -20);
    assert_true(number_parse_integer("0", 1, 0, 20, &value));
    assert_int_equal(value, 0);
    assert_true(number_parse_integer("9223372036854775807", 19, INT64_MIN, INT64_MAX, &value));
    assert_true(value == INT64_MAX);
    assert_true(number_parse_integer("-9223372036854775808", 20, INT64_MIN, INT64_MAX, &value));
    assert_true(value == INT64_MIN);
    value = 7;
    static const char *const bad[] = {"-0",
                                      "",
                                      "-",
                                      "21",
                                      "-21",
                                      "+1",
                                      "1.0",
                                      "1e1",
                                      "007",
                                      "0x",
                                      " 1",
                                      "1 ",
                                      "9223372036854775808"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(number_parse_integer(bad[i], strlen(bad[i]), -20, 20, &value));
    assert_false(number_parse_integer("9223372036854775808", 19, INT64_MIN, INT64_MAX, &value));
    assert_false(number_parse_integer("-9223372036854775809", 20, INT64_MIN, INT64_MAX, &value));
    assert_int_equal(value, 7);

    uint64_t big = 7;
    assert_true(number_parse_unsigned("18446744073709551615", 20, &big));
    assert_true(big == UINT64_MAX);
    big = 7;
    assert_false(number_parse_unsigned("18446744073709551616", 20, &big));
    assert_false(number_parse_unsigned("99999999999999999999", 20, &big));
    assert_false(number_parse_unsigned("-1", 2, &big));
    assert_false(number_parse_unsigned("", 0, &big));
    assert_int_equal(big, 7);
}

static void numbers_are_written_as_in_json(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {100, "100"},
        {1e-5, "0.00001"},
        {1.25e-5, "0.0000125"},
        {9.5e-6, "9.5e-6"},
        {123456789012345, "123456789012345"},
        {999999999999999, "999999999999999"},
        {1e15, "1e15"},
        {1.5e100, "1.5e100"},
        {1e-7, "1e-7"},
        {DBL_MAX, "1.7976931348623157e308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {4.9406564584124654e-324, "5e-324"},
        {9007199254740992, "9.007199254740992e15"},
        {9.5367431640625e-7, "9.5367431640625e-7"}, /* 2⁻²⁰ */
        {INFINITY, "0"},
        {-INFINITY, "0"},
        {NAN, "0"},
    };
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(number_format_double(cases[i].value, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    static const struct {
        float value;
        const char *text;
    } floats[] = {
        {0.1f, "0.1"},
        {16777216, "16777216"},
        {1.0f / 3, "0.33333334"},
        {-2700.125f, "-2700.125"},
        {FLT_MAX, "3.4028235e38"},
        {1.40129846e-45f, "1e-45"},
        {-0.0f, "-0"},
        {NAN, "0"},
        {-INFINITY, "0"},
        {1e10f, "10000000000"},
        {FLT_MIN, "1.1754944e-38"},
        {8388608.5f, "8388608"},
    };
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        assert_int_equal(number_format_float(floats[i].value, text), strlen(floats[i].text));
        assert_string_equal(text, floats[i].text);
    }
}

/* The least number of significant digits that printf needs for strtod to read the value back;
 * *rounded is the value rounded to so many. */
static int printf_digits(double value, bool single, double *rounded)
{
    char text[64];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        *rounded = strtod(text, NULL);
        if (single ? strtof(text, NULL) == (float)value : *rounded == value)
            return digits;
    }
    *rounded = value;
    return 17;
}

static int count_digits(const char *text)
{
    int count = 0, zeros = 0;
    bool fraction = false;
    for (; *text && *text != 'e'; text++) {
        if (*text == '.')
            fraction = true;
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0'))
            continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return fraction ? count : count - zeros;
}

static void floats_are_short_and_read_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300000; i++) {
        /* Every power of two with its neighbours first, then anything. */
        uint32_t bits = i < 3 * 254 ? ((i / 3 + 1) << 23) + i % 3 - 1 : (uint32_t)random_bits();
        float value;
        memcpy(&value, &bits, sizeof value);
        if (i >= 3 * 254 && i % 2) /* of a usual size: random bits seldom are */
            value = (float)(int32_t)random_bits() / (float)((uint32_t)1 << random_bits() % 31);
        if (!isfinite(value))
            continue;
        char text[NUMBER_TEXT];
        size_t length = number_format_float(value, text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(number_scan(text, length), length);
        float back = strtof(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
        double wide, rounded;
        assert_true(count_digits(text) <= printf_digits((double)value, true, &rounded));
        assert_true(number_parse(text, length, &wide));
        assert_true((float)wide == value);
        assert_true(wide == rounded);
    }
}

static void doubles_are_short_and_read_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 150000; i++) {
        uint64_t bits = i < 3 * 2046 ? ((i / 3 + 1) << 52) + i % 3 - 1 : random_bits();
        double value, again, rounded;
        memcpy(&value, &bits, sizeof value);
        if (i >= 3 * 2046 && i % 2) /* of a usual size: random bits seldom are */
            value = (double)(int64_t)random_bits() / (double)((uint64_t)1 << random_bits() % 63);
        if (!isfinite(value))
            continue;
        char text[NUMBER_TEXT];
        size_t length = number_format_double(value, text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(number_scan(text, length), length);
        double back = strtod(text, NULL);
        assert_memory_equal(&back, &value, sizeof value);
        assert_true(number_parse(text, length, &again));
        assert_memory_equal(&again, &value, sizeof value);
        assert_true(count_digits(text) <= printf_digits(value, false, &rounded));
    }
}

int test_number(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_finds_the_length),
        cmocka_unit_test(malformed_numbers_are_refused),
        cmocka_unit_test(parse_gives_the_nearest_double),
        cmocka_unit_test(parse_agrees_with_strtod),
        cmocka_unit_test(whole_numbers_out_of_range_are_refused),
        cmocka_unit_test(numbers_are_written_as_in_json),
        cmocka_unit_test(floats_are_short_and_read_back),
        cmocka_unit_test(doubles_are_short_and_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
