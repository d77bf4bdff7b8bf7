/* UTF-8 by RFC 3629: the examples of its section 7, the ends of each row of its section 4, and the
 * neighbours of those ends, which are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/utf8.h"

static void well_formed_characters_are_valid(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "terra",
        "\x41\xE2\x89\xA2\xCE\x91\x2E",
        "\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4",
        "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
        "\xEF\xBB\xBF\xF0\xA3\x8E\xB4",
        "\x7F",
        "\xC2\x80",
        "\xDF\xBF",
        "\xE0\xA0\x80",
        "\xED\x9F\xBF",
        "\xEE\x80\x80",
        "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80",
        "\xF1\x80\x80\x80",
        "\xF3\xBF\xBF\xBF",
        "\xF4\x8F\xBF\xBF",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(utf8_valid(texts[i], strlen(texts[i])));
    assert_true(utf8_valid("a\0b", 3));
}

static void malformed_bytes_are_invalid(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\x80",             /* no lead */
        "\xBF",             /* nor that */
        "\xC0\x80",         /* longer than needed: the zero byte */
        "\xC1\xBF",         /* U+007F */
        "\xE0\x9F\xBF",     /* U+07FF */
        "\xF0\x8F\xBF\xBF", /* U+FFFF */
        "\xED\xA0\x80",     /* surrogates: U+D800 */
        "\xED\xBF\xBF",     /* U+DFFF */
        "\xF4\x90\x80\x80", /* beyond U+10FFFF */
        "\xF5\x80\x80\x80", /* a lead of no row */
        "\xFE",
        "\xFF",
        "\xC2", /* cut off */
        "\xE2\x89",
        "\xF0\xA3\x8E",
        "\xC2\x41",         /* something else where a second, */
        "\xE2\x89\x41",     /* third, */
        "\xF0\xA3\x8E\x41", /* fourth byte should be */
        "\xF0\xA3\x41\xB4",
        "\xF0\xA3\xC2\xB4",
        "terra\xC3",
        "a\xE2\x28\xA1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(utf8_valid(texts[i], strlen(texts[i])));
}

/* The function reads no byte after the given length. */
static void bytes_after_the_length_are_ignored(void **state)
{
    (void)state;
    assert_false(utf8_valid("\xE2\x89\xA2", 2));
    assert_true(utf8_valid("a\xE2\x89\xA2", 1));
}

/* Code points by the standard's own examples (RFC 3629, section 7) and the ends of each length. */
static void characters_are_decoded_and_encoded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t character;
    } cases[] = {
        {"A", 0x41},
        {"\x7F", 0x7F},
        {"\xC2\x80", 0x80},
        {"\xDF\xBF", 0x7FF},
        {"\xE0\xA0\x80", 0x800},
        {"\xE2\x89\xA2", 0x2262},
        {"\xEF\xBF\xBF", 0xFFFF},
        {"\xF0\x90\x80\x80", 0x10000},
        {"\xF0\xA3\x8E\xB4", 0x233B4},
        {"\xF4\x8F\xBF\xBF", 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t character = 0;
        size_t length = strlen(cases[i].text);
        assert_int_equal(utf8_decode(cases[i].text, length, &character), length);
        assert_int_equal(character, cases[i].character);
        assert_int_equal(utf8_trim(cases[i].text, length), length);
        assert_int_equal(utf8_trim(cases[i].text, length - 1), 0);
    }
}

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC";
    static const size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6};
    assert_int_equal(utf8_count(text, 6), 3);
    for (size_t limit = 0; limit < sizeof cuts / sizeof *cuts; limit++) {
        assert_int_equal(utf8_cut(text, 6, limit), cuts[limit]);
        assert_int_equal(utf8_trim(text, limit < 6 ? limit : 6), cuts[limit]);
    }
}

int test_utf8(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed_characters_are_valid),
        cmocka_unit_test(malformed_bytes_are_invalid),
        cmocka_unit_test(bytes_after_the_length_are_ignored),
        cmocka_unit_test(characters_are_decoded_and_encoded),
        cmocka_unit_test(texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
