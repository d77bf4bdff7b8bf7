/* Errors with places in a text; the places were counted by hand. */
#include "core/worldfile/diagnostics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "{\n"
                           " \"a\": {\"b.c\": [1, {\"d\": \"é\\u00e9\\ud83d\\ude00x\"}]},\n"
                           " \"a.x\": [[], 7]\n"
                           "}\n";

static struct diagnostics begin(struct json_document **document)
{
    *document = json_parse(text, strlen(text), NULL, NULL);
    assert_non_null(*document);
    return (struct diagnostics){
        .file = "f.json", .text = text, .length = strlen(text), .root = json_root(*document)};
}

static bool take(struct diagnostics *diagnostics, const char *path, uint32_t column)
{
    struct error error = {.code = ERROR_VALUE, .column = column};
    error_in_path(&error, "%s", path);
    const bool taken = diagnostics_take(diagnostics, false, &error);
    assert_int_equal(error.code == ERROR_NONE, taken);
    return taken;
}

static void assert_place(const char *path, uint32_t character, uint32_t line, uint32_t column)
{
    struct json_document *document;
    struct diagnostics diagnostics = begin(&document);
    assert_true(take(&diagnostics, path, character));
    assert_int_equal(diagnostics.errors[0].line, line);
    assert_int_equal(diagnostics.errors[0].column, column);
    assert_string_equal(diagnostics.errors[0].file, "f.json");
    json_free(document);
}

static void paths_are_found_in_the_text(void **state)
{
    (void)state;
    assert_place("", 0, 1, 1);
    assert_place("a", 0, 2, 7);
    assert_place("a.b.c", 0, 2, 15);
    assert_place("a.b.c[0]", 0, 2, 16);
    assert_place("a.b.c[1].d", 0, 2, 25);
    assert_place("a.x[1]", 0, 3, 14);     /* the longer key */
    assert_place("a.b.c[1].e", 0, 2, 19); /* what is missing is missing in the object */
    assert_place("nothing.at.all", 0, 1, 1);
}

/* An escape is a character of the string, a surrogate pair, too; é is one of the text. */
static void characters_of_strings_are_found_in_the_text(void **state)
{
    (void)state;
    assert_place("a.b.c[1].d", 1, 2, 26);
    assert_place("a.b.c[1].d", 2, 2, 27);
    assert_place("a.b.c[1].d", 3, 2, 33);
    assert_place("a.b.c[1].d", 4, 2, 45);
    assert_place("a.b.c[1].d", 5, 2, 46);
    assert_place("a.b.c[1].d", 99, 2, 46);
    assert_place("a.b.c[0]", 5, 2, 16); /* a number has no characters */
}

static void errors_are_sorted_by_place(void **state)
{
    (void)state;
    static const char *const paths[] = {"a.x[1]", "a.b.c[0]", "", "a", "a.b.c[0]"};
    static const uint32_t columns[] = {1, 7, 16, 16, 14};
    struct json_document *document;
    struct diagnostics diagnostics = begin(&document);
    for (size_t i = 0; i < 5; i++)
        take(&diagnostics, paths[i], 0);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(diagnostics.errors[i].column, columns[i]);
    json_free(document);
}

static void keys_that_are_not_allowed_are_all_reported(void **state)
{
    (void)state;
    static const char *const allowed[] = {"ab"};
    const struct json_keys keys = {"", allowed, 1};
    struct error error = {0};
    struct json_document *document;
    struct diagnostics diagnostics = begin(&document);
    assert_true(diagnostics_allow(&diagnostics, diagnostics.root, &keys, &error));
    assert_int_equal(diagnostics.count, 2);
    assert_int_equal(diagnostics.errors[0].line, 2);
    assert_int_equal(diagnostics.errors[1].line, 3);
    assert_int_equal(diagnostics.errors[1].column, 2);
    assert_false(diagnostics_allow(NULL, diagnostics.root, &keys, &error));
    assert_string_equal(error.message, "unknown key \"a\" (did you mean \"ab\"?)");
    json_free(document);
}

static void full_diagnostics_end_reading(void **state)
{
    (void)state;
    struct json_document *document;
    struct diagnostics diagnostics = begin(&document);
    for (int i = 0; i < DIAGNOSTICS_MAX; i++)
        assert_true(take(&diagnostics, "a", 0));
    assert_false(diagnostics.more);
    assert_false(take(&diagnostics, "", 0));
    assert_true(diagnostics.more);
    assert_int_equal(diagnostics.count, DIAGNOSTICS_MAX);
    assert_int_equal(diagnostics.errors[0].column, 7);
    json_free(document);
}

static void without_memory_nothing_is_taken(void **state)
{
    (void)state;
    struct json_document *document;
    struct diagnostics diagnostics = begin(&document);
    struct error error = {0};
    error_memory(&error);
    assert_false(diagnostics_take(&diagnostics, false, &error));
    assert_int_equal(diagnostics.count, 0);
    assert_false(diagnostics_take(NULL, false, &error));
    assert_true(diagnostics_take(NULL, true, &error));
    json_free(document);
}

int test_diagnostics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_found_in_the_text),
        cmocka_unit_test(characters_of_strings_are_found_in_the_text),
        cmocka_unit_test(errors_are_sorted_by_place),
        cmocka_unit_test(keys_that_are_not_allowed_are_all_reported),
        cmocka_unit_test(full_diagnostics_end_reading),
        cmocka_unit_test(without_memory_nothing_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
