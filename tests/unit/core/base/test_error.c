#include "core/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void setting_fills_and_clears(void **state)
{
    (void)state;
    struct error error;
    memset(&error, 'x', sizeof error);
    assert_false(error_set(&error, ERROR_VALUE, "octaves must be 1 to %d", 24));
    assert_int_equal(error.code, ERROR_VALUE);
    assert_string_equal(error.message, "octaves must be 1 to 24");
    assert_string_equal(error.file, "");
    assert_string_equal(error.path, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    assert_false(error_set(&error, ERROR_SYNTAX, "so: %s", error.message));
    assert_string_equal(error.message, "so: octaves must be 1 to 24");
    assert_false(error_memory(&error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_false(error_set(NULL, ERROR_VALUE, "nobody asks"));
    assert_false(error_in_file(NULL, "a.json"));
    assert_false(error_in_path(NULL, "a"));
}

static void the_innermost_place_wins(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, ERROR_SYNTAX, "no");
    assert_false(error_in_path(&error, "layers.%s", "height"));
    assert_false(error_in_path(&error, "layers"));
    assert_false(error_in_file(&error, "inner.json"));
    assert_false(error_in_file(&error, "outer.json"));
    assert_string_equal(error.path, "layers.height");
    assert_string_equal(error.file, "inner.json");
}

static void empty_parts_are_left_out(void **state)
{
    (void)state;
    struct error error;
    char text[200];
    error_set(&error, ERROR_SYNTAX, "unknown function \"fbmm\"");
    assert_int_equal(error_format(&error, text, sizeof text), 23);
    assert_string_equal(text, "unknown function \"fbmm\"");
    error_in_file(&error, "worlds/alps.json");
    error_in_path(&error, "layers.height");
    error.column = 17;
    error_format(&error, text, sizeof text);
    assert_string_equal(text,
                        "worlds/alps.json: layers.height: column 17: unknown function \"fbmm\"");
    error.line = 3;
    size_t length = error_format(&error, text, sizeof text);
    assert_string_equal(text, "worlds/alps.json:3:17: layers.height: unknown function \"fbmm\"");
    assert_int_equal(length, strlen(text));
    assert_int_equal(error_format(&error, text, 10), length);
    assert_string_equal(text, "worlds/al");
}

/* A euro sign (3 bytes) and a face (4 bytes) at the cut, at every offset. */
static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const char *const signs[] = {"\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xC3\xA9"};
    for (size_t s = 0; s < 3; s++) {
        size_t bytes = strlen(signs[s]);
        for (size_t before = 0; before < 4; before++) {
            char text[800] = "";
            memset(text, 'a', before);
            for (size_t i = 0; i < 120; i++)
                memcpy(text + before + i * bytes, signs[s], bytes + 1);
            memset(text + before + 120 * bytes, 'b', 200 - before);
            struct error error;
            error_set(&error, ERROR_VALUE, "%s", text);
            size_t room = sizeof error.message - 1;
            size_t whole = before + (room - before) / bytes * bytes;
            if (before + 120 * bytes < room)
                whole = room;
            assert_int_equal(strlen(error.message), whole);
            assert_memory_equal(error.message, text, whole);
        }
    }
}

static void control_characters_are_replaced(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, ERROR_UNKNOWN, "unknown key \"%s\"", "a\nb\x1B[31m\x7F\t\xC3\xA9");
    assert_string_equal(error.message, "unknown key \"a?b?[31m??\xC3\xA9\"");
    error_in_path(&error, "layers.%s", "a\r\n");
    assert_string_equal(error.path, "layers.a??");
}

/* As by "%.40s". */
static void quoted_texts_may_be_cut_within_a_character(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, ERROR_UNKNOWN, "unknown path \"%.4s\"", "a\xC3\xA9\xC3\xA9");
    assert_string_equal(error.message, "unknown path \"a\xC3\xA9?\"");
    error_set(&error, ERROR_UNKNOWN, "%.2s; %s", "\xE2\x82\xAC", "\xE2\x82\xAC");
    assert_string_equal(error.message, "??; \xE2\x82\xAC");
}

static void suggests_the_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"fbm", NULL, "ridged", "smoothstep", "perlin", "x"};
    assert_string_equal(error_suggest("fbmm", names, 6), "fbm");
    assert_string_equal(error_suggest("rigded", names, 6), "ridged");
    assert_string_equal(error_suggest("smothstop", names, 6), "smoothstep");
    assert_string_equal(error_suggest("smoothstepping", names, 6), "smoothstep"); /* 4 of 14 */
    assert_string_equal(error_suggest("perlin", names, 6), "perlin");
    assert_null(error_suggest("continent", names, 6));
    assert_null(error_suggest("y", names, 6)); /* one letter replaced is another name */
    assert_null(error_suggest("", names, 6));
    assert_null(error_suggest("fbm", names, 0));
    char name[100];
    memset(name, 'x', 64);
    name[64] = '\0';
    const char *const same[] = {name};
    assert_null(error_suggest(name, same, 1));
    assert_string_equal(error_suggest(name + 1, (const char *const[]){name + 1}, 1), name + 1);
}

int test_error(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_fills_and_clears),
        cmocka_unit_test(the_innermost_place_wins),
        cmocka_unit_test(empty_parts_are_left_out),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(control_characters_are_replaced),
        cmocka_unit_test(quoted_texts_may_be_cut_within_a_character),
        cmocka_unit_test(suggests_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
