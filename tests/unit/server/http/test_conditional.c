/* If-None-Match. Expectations after RFC 9110, sections 8.8.3 and 13.1.2 (weak comparison). */
#include "server/http/conditional.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_searched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
