/* The form of pins: what config/worlds/README.md and server/http/README.md say of them. */
#include "server/worlds/pin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DIGITS "0123456789abcdef"

static void a_pin_has_one_digit_from_1_to_9_and_all_its_digits(void **state)
{
    (void)state;
    static const struct {
        enum pin_kind kind;
        const char *text;
        bool begins, is_valid;
    } cases[] = {
        {PIN_WORLD, "g1-" DIGITS DIGITS, true, true},
        {PIN_WORLD, "g9-" DIGITS DIGITS, true, true},
        {PIN_WORLD, "g0-" DIGITS DIGITS, false, false},
        {PIN_WORLD, "g10-" DIGITS DIGITS, false, false},
        {PIN_WORLD, "g10" DIGITS DIGITS, false, false},
        {PIN_WORLD, "g-" DIGITS DIGITS, false, false},
        {PIN_WORLD, "ga-" DIGITS DIGITS, false, false},
        {PIN_WORLD, "G1-" DIGITS DIGITS, false, false},
        {PIN_WORLD, "g1-" DIGITS "0123456789ABCDEF", true, false},
        {PIN_WORLD, "g1-" DIGITS "0123456789abcdeg", true, false},
        {PIN_WORLD, "g1-" DIGITS "0123456789abcde ", true, false},
        {PIN_WORLD, "g1-" DIGITS "0123456789abcde", true, false},
        {PIN_WORLD, "g1-" DIGITS DIGITS "0", true, false},
        {PIN_WORLD, "g1-", true, false},
        {PIN_WORLD, "g1", false, false},
        {PIN_WORLD, "g", false, false},
        {PIN_WORLD, "", false, false},
        {PIN_WORLD, " g1-" DIGITS DIGITS, false, false},
        {PIN_WORLD, "s1-" DIGITS, false, false},
        {PIN_STYLE, "s1-" DIGITS, true, true},
        {PIN_STYLE, "s9-" DIGITS, true, true},
        {PIN_STYLE, "s0-" DIGITS, false, false},
        {PIN_STYLE, "s10-" DIGITS, false, false},
        {PIN_STYLE, "s1-" DIGITS DIGITS, true, false},
        {PIN_STYLE, "g1-" DIGITS DIGITS, false, false},
        {PIN_MATERIALS, "m1-" DIGITS, true, true},
        {PIN_MATERIALS, "m9-" DIGITS, true, true},
        {PIN_MATERIALS, "m0-" DIGITS, false, false},
        {PIN_MATERIALS, "m1-0123456789ABCDEF", true, false},
        {PIN_MATERIALS, "s1-" DIGITS, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        if (pin_begins(cases[i].kind, text) != cases[i].begins ||
            pin_is_valid(cases[i].kind, text, strlen(text)) != cases[i].is_valid)
            fail_msg("kind %d, \"%s\"", (int)cases[i].kind, text);
    }
}

/* As in "terra@PIN.json" and in a path with more behind it. */
static void a_pin_may_be_a_part_of_a_text(void **state)
{
    (void)state;
    static const char text[] = "s1-" DIGITS "0.json";
    assert_true(pin_is_valid(PIN_STYLE, text, strlen("s1-" DIGITS)));
    assert_false(pin_is_valid(PIN_STYLE, text, strlen("s1-" DIGITS) + 1));
    assert_false(pin_is_valid(PIN_STYLE, text, strlen("s1-" DIGITS) - 1));
}

int test_pin(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pin_has_one_digit_from_1_to_9_and_all_its_digits),
        cmocka_unit_test(a_pin_may_be_a_part_of_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
