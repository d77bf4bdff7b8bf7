/* Lines of the access log: both forms, and that no text can end a field or a line. */
#include "server/log/access_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* 2026-11-21 11:40:05.678901 UTC, by date(1). */
#define MOMENT 1795261205678901

static struct access_record plain_record(void)
{
    struct access_record record = {
        .at = MOMENT,
        .duration = 1234567,
        .bytes = 31234,
        .status = 200,
        .has_client = true,
        .client = {{[10] = 0xFF, 0xFF, 192, 0, 2, 1}},
        .route = "tiles/{z}/{x}/{y}",
        .cache = "memory",
        .cost = 12345678901,
        .texts = {[ACCESS_METHOD] = {"GET", 3},
                  [ACCESS_TARGET] = {"/tiles/1/2/3.png?a=b", 20},
                  [ACCESS_VERSION] = {"HTTP/1.1", 8},
                  [ACCESS_AGENT] = {"curl/8", 6}},
    };
    return record;
}

static void check_line(const struct access_record *record, enum access_format format,
                       const char *expected)
{
    struct buffer out = {0};
    access_line_write(record, format, &out);
    assert_false(out.failed);
    assert_string_equal(buffer_string(&out), expected);
    buffer_free(&out);
}

static void a_full_record_in_both_formats(void **state)
{
    (void)state;
    const struct access_record record = plain_record();
    check_line(
        &record, ACCESS_JSON,
        "{\"time\":\"2026-11-21T11:40:05.678Z\",\"client\":\"192.0.2.1\",\"method\":\"GET\","
        "\"target\":\"/tiles/1/2/3.png?a=b\",\"version\":\"HTTP/1.1\",\"status\":200,"
        "\"bytes\":31234,\"seconds\":1.234567,\"route\":\"/tiles/{z}/{x}/{y}\","
        "\"cache\":\"memory\",\"cost\":12345678901,\"referer\":null,\"agent\":\"curl/8\"}\n");
    check_line(&record, ACCESS_COMBINED,
               "192.0.2.1 - - [21/Nov/2026:11:40:05 +0000] \"GET /tiles/1/2/3.png?a=b HTTP/1.1\" "
               "200 31234 \"-\" \"curl/8\"\n");
}

static void missing_fields_are_null_or_dashes(void **state)
{
    (void)state;
    const struct access_record record = {.at = 0, .duration = -5};
    check_line(&record, ACCESS_JSON,
               "{\"time\":\"1970-01-01T00:00:00.000Z\",\"client\":\"-\",\"method\":null,"
               "\"target\":null,\"version\":null,\"status\":null,\"bytes\":0,\"seconds\":0.000000,"
               "\"route\":null,\"cache\":null,\"cost\":0,\"referer\":null,\"agent\":null}\n");
    check_line(&record, ACCESS_COMBINED,
               "- - - [01/Jan/1970:00:00:00 +0000] \"- - -\" 000 0 \"-\" \"-\"\n");
}

static void addresses(void **state)
{
    static const struct {
        uint8_t bytes[16];
        const char *text;
    } cases[] = {
        {{[10] = 0xFF, 0xFF, 127, 0, 0, 1}, "127.0.0.1"},
        {{[15] = 1}, "::1"},
        {{0x20, 0x01, 0x0D, 0xB8, [15] = 0xFF}, "2001:db8::ff"},
        {{[10] = 0xFF, 0xFF, 198, 51, 100, 7}, "198.51.100.7"},
        {{0}, "-"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access_record record = plain_record();
        struct buffer out = {0};
        record.has_client = cases[i].text[0] != '-';
        memcpy(&record.client, cases[i].bytes, sizeof record.client);
        access_line_write(&record, ACCESS_COMBINED, &out);
        char *space = strchr((char *)(uintptr_t)buffer_string(&out), ' ');
        assert_non_null(space);
        *space = '\0';
        assert_string_equal(buffer_string(&out), cases[i].text);
        buffer_free(&out);
    }
}

/* User agents as clients send them, and the text that each form of the log must have. */
static void texts_are_escaped(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *json, *combined;
    } cases[] = {
        {"", 0, "", ""},
        {"a\"b", 3, "a\\u0022b", "a\\x22b"},
        {"a\\b", 3, "a\\u005cb", "a\\x5Cb"},
        {"a\r\nb", 4, "a\\u000d\\u000ab", "a\\x0D\\x0Ab"},
        {"\0", 1, "\\u0000", "\\x00"},
        {"\x1b[31m", 5, "\\u001b[31m", "\\x1B[31m"},
        {"\x7f", 1, "\\u007f", "\\x7F"},
        {"gr\xC3\xBC\xC3\x9F", 6, "gr\xC3\xBC\xC3\x9F", "gr\\xC3\\xBC\\xC3\\x9F"},
        {"\xF0\x9F\x97\xBA", 4, "\xF0\x9F\x97\xBA", "\\xF0\\x9F\\x97\\xBA"},
        /* A control character of Unicode's second set, and what some take for the end of a line. */
        {"\xC2\x85", 2, "\\u0085", "\\xC2\\x85"},
        {"\xE2\x80\xA8\xE2\x80\xA9", 6, "\\u2028\\u2029", "\\xE2\\x80\\xA8\\xE2\\x80\\xA9"},
        /* No UTF-8: a lone byte, an overlong slash, a surrogate, beyond the last, cut off. */
        {"\xFF", 1, "\\ufffd", "\\xFF"},
        {"\xC0\xAF", 2, "\\ufffd\\ufffd", "\\xC0\\xAF"},
        {"\xED\xA0\x80", 3, "\\ufffd\\ufffd\\ufffd", "\\xED\\xA0\\x80"},
        {"\xF4\x90\x80\x80", 4, "\\ufffd\\ufffd\\ufffd\\ufffd", "\\xF4\\x90\\x80\\x80"},
        {"\xE2\x82", 2, "\\ufffd\\ufffd", "\\xE2\\x82"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access_record record = plain_record();
        struct buffer out = {0};
        char expected[128];
        record.texts[ACCESS_AGENT].bytes = cases[i].text;
        record.texts[ACCESS_AGENT].length = cases[i].length;
        access_line_write(&record, ACCESS_JSON, &out);
        snprintf(expected, sizeof expected, ",\"agent\":\"%s\"}\n", cases[i].json);
        assert_true(out.length > strlen(expected));
        assert_string_equal(buffer_string(&out) + out.length - strlen(expected), expected);
        buffer_clear(&out);
        access_line_write(&record, ACCESS_COMBINED, &out);
        snprintf(expected, sizeof expected, " \"-\" \"%s\"\n", cases[i].combined);
        assert_true(out.length > strlen(expected));
        assert_string_equal(buffer_string(&out) + out.length - strlen(expected), expected);
        buffer_free(&out);
    }
}

/* Every byte in every place: one line, with the quotes it should have. */
static void no_byte_ends_a_line_or_a_field(void **state)
{
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        const char text[] = {'x', (char)byte, 'y'};
        struct access_record record = plain_record();
        for (int i = 0; i < ACCESS_TEXTS; i++) {
            record.texts[i].bytes = text;
            record.texts[i].length = sizeof text;
        }
        for (int form = ACCESS_JSON; form <= ACCESS_COMBINED; form++) {
            struct buffer out = {0};
            size_t ends = 0, quotes = 0;
            access_line_write(&record, (enum access_format)form, &out);
            for (size_t i = 0; i < out.length; i++) {
                ends += out.data[i] == '\n';
                quotes += out.data[i] == '"';
                assert_true(out.data[i] >= 0x20 || out.data[i] == '\n');
            }
            assert_int_equal(ends, 1);
            assert_int_equal(quotes, form == ACCESS_COMBINED ? 6 : 2 * 13 + 2 * 9);
            buffer_free(&out);
        }
    }
}

int test_access_line(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_record_in_both_formats),
        cmocka_unit_test(missing_fields_are_null_or_dashes),
        cmocka_unit_test(addresses),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(no_byte_ends_a_line_or_a_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
