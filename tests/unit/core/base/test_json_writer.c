#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/base/json_writer.h"

static void write_sample(struct json_writer *json)
{
    json_object_open(json);
    json_member_string(json, "name", "terra");
    json_write_key(json, "empty");
    json_object_open(json);
    json_object_close(json);
    json_write_key(json, "list");
    json_array_open(json);
    json_write_integer(json, -1);
    json_array_open(json);
    json_array_close(json);
    json_write_null(json);
    json_array_close(json);
    json_member_bool(json, "yes", true);
    json_object_close(json);
    json_finish(json);
}

static void compact_text_has_no_blanks(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    write_sample(&json);
    assert_string_equal(buffer_string(&out),
                        "{\"name\":\"terra\",\"empty\":{},\"list\":[-1,[],null],\"yes\":true}\n");
    buffer_free(&out);
}

static void pretty_text_is_indented_by_two(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, true);
    write_sample(&json);
    assert_string_equal(buffer_string(&out), "{\n"
                                             "  \"name\": \"terra\",\n"
                                             "  \"empty\": {},\n"
                                             "  \"list\": [\n"
                                             "    -1,\n"
                                             "    [],\n"
                                             "    null\n"
                                             "  ],\n"
                                             "  \"yes\": true\n"
                                             "}\n");
    buffer_free(&out);
}

static void strings_are_escaped(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    json_write_string(&json, "a\"b\\c\n\t\r\x01\x7f é");
    assert_string_equal(buffer_string(&out), "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f é\"");
    buffer_free(&out);
}

static void keys_are_escaped(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    json_object_open(&json);
    json_member_string(&json, "a\"", NULL);
    json_object_close(&json);
    assert_string_equal(buffer_string(&out), "{\"a\\\"\":null}");
    buffer_free(&out);
}

static void numbers_have_their_shortest_form(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    json_array_open(&json);
    json_write_float(&json, 0.1f);
    json_write_double(&json, 0.1);
    json_write_double(&json, -2.5);
    json_write_integer(&json, INT64_MIN);
    json_write_place(&json, 3 * PLACE_METRE / 2);
    json_write_place(&json, -1);
    json_array_close(&json);
    /* 2⁻¹⁶ = 0.0000152587890625 */
    assert_string_equal(buffer_string(&out),
                        "[0.1,0.1,-2.5,-9223372036854775808,1.5,-0.0000152587890625]");
    buffer_free(&out);
}

static void siblings_after_a_nested_container_get_commas(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    json_array_open(&json);
    for (int i = 0; i < 2; i++) {
        json_array_open(&json);
        json_write_bool(&json, false);
        json_array_close(&json);
    }
    json_array_close(&json);
    assert_string_equal(buffer_string(&out), "[[false],[false]]");
    buffer_free(&out);
}

static void too_deep_nesting_fails_the_buffer(void **state)
{
    (void)state;
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    for (int i = 0; i < 31; i++)
        json_array_open(&json);
    assert_false(out.failed);
    json_array_open(&json);
    assert_true(out.failed);
    buffer_free(&out);
}

static void a_buffer_is_a_string_and_freed(void **state)
{
    (void)state;
    struct buffer out = {0}, text = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    json_object_open(&json);
    buffer_text(&text, "a\"b");
    json_member_buffer(&json, "text", &text);
    assert_null(text.data);
    json_object_close(&json);
    assert_string_equal(buffer_string(&out), "{\"text\":\"a\\\"b\"}");
    text.failed = true;
    json_member_buffer(&json, "more", &text);
    assert_true(out.failed);
    buffer_free(&out);
}

int test_json_writer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_text_has_no_blanks),
        cmocka_unit_test(pretty_text_is_indented_by_two),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(keys_are_escaped),
        cmocka_unit_test(numbers_have_their_shortest_form),
        cmocka_unit_test(siblings_after_a_nested_container_get_commas),
        cmocka_unit_test(too_deep_nesting_fails_the_buffer),
        cmocka_unit_test(a_buffer_is_a_string_and_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
