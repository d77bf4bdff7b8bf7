/* If-None-Match. Expectations after RFC 9110, sections 8.8.3 and 13.1.2 (weak comparison). */
#include "server/http/request/conditional.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void lists_are_searched(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        bool matches;
    } cases[] = {
        {"\"abc\"", true},
        {"W/\"abc\"", true},
        {"*", true},
        {" * ", true},
        {"\"x\", \"abc\"", true},
        {"\"x\",W/\"abc\",\"y\"", true},
        {" , ,\"x\" ,\t\"abc\"", true},
        {"\"x, y\", \"abc\"", true}, /* a comma inside a tag */
        {"\"\", \"abc\"", true},
        {"", false},
        {"\"x\"", false},
        {"abc", false},
        {"\"abc", false},
        {"\"ab\"", false},
        {"\"abcd\"", false},
        {"w/\"abc\"", false},
        {"W/ \"abc\"", false},
        {"*, \"abc\"", false},
        {"\"x\" \"abc\"", false},
        {"x, \"abc\"", false},
        {"\"abc\"x", false},
        {"\"x, \\\"abc\\\"\"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (conditional_matches(cases[i].header, "\"abc\"") != cases[i].matches)
            fail_msg("%s", cases[i].header);
}

static void etags_with_a_length_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *header, *etag; /* null: not found */
        uint64_t length;
    } cases[] = {
        {"\"abc-0\"", "\"abc-0\"", 0},
        {"W/\"abc-4204\"", "\"abc-4204\"", 0x4204},
        {"\"x-1\", \"abc-ff\"", "\"abc-ff\"", 255},
        {"\"abc-ffffffffff\"", "\"abc-ffffffffff\"", 0xffffffffff},
        {"\"abc-10000000000\"", NULL, 0},
        {"\"abc-1ffffffffffffffff\"", NULL, 0},
        {"\"abc-\"", NULL, 0},
        {"\"abc-01\"", NULL, 0},
        {"\"abc-F\"", NULL, 0},
        {"\"abc--1\"", NULL, 0},
        {"\"abc\"", NULL, 0},
        {"\"ab-1\"", NULL, 0},
        {"\"abcd-1\"", NULL, 0},
        {"*", NULL, 0},
        {"", NULL, 0},
        {"\"abc-g\", \"abc-1\"", "\"abc-1\"", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char etag[ETAG_TEXT] = "\"abc\"";
        uint64_t length;
        const bool found = conditional_find_length(cases[i].header, etag, &length);
        if (found != (cases[i].etag != NULL))
            fail_msg("%s", cases[i].header);
        assert_string_equal(etag, found ? cases[i].etag : "\"abc\"");
        if (found)
            assert_int_equal(length, cases[i].length);
    }
}

static void lengths_are_added(void **state)
{
    (void)state;
    char etag[ETAG_TEXT] = "\"0123456789abcdef0123456789abcdef\"";
    etag_add_length(etag, 0xffffffffff);
    assert_string_equal(etag, "\"0123456789abcdef0123456789abcdef-ffffffffff\"");
    strcpy(etag, "\"a\"");
    etag_add_length(etag, 16900);
    assert_string_equal(etag, "\"a-4204\"");
    strcpy(etag, "\"a\"");
    etag_add_length(etag, (uint64_t)1 << 40);
    assert_string_equal(etag, "\"a\"");
}

int test_conditional(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_searched),
        cmocka_unit_test(etags_with_a_length_are_found),
        cmocka_unit_test(lengths_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
