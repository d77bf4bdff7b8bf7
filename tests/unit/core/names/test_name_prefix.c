/* Beginnings of names, in letters of several scripts and of marks of their own. */
#include "core/names/name_prefix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void letters_fold_without_case_and_marks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"Ærøsund", "arosund"},
        {"Bělá", "bela"},
        {"Be\u030cla\u0301", "bela"},
        {"Đông Hồ", "dong ho"},
        {"ΆΘΗΝΑΙ", "αθηναι"},
        {"Αθήναις", "αθηναισ"},
        {"Москва́", "москва"},
        {"Ёлка", "елка"},
        {"Ҡазан", "ҡазан"},
        {"Երևան", "երևան"},
        {"玻璃 森林", "玻璃 森林"},
        {"Ưu", "uu"},
        {"Lake St. O'Hara-2", "lake st. o'hara-2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folded[NAME_FOLDED_TEXT];
        name_fold(cases[i][0], folded);
        assert_string_equal(folded, cases[i][1]);
    }
}

static void prefixes_match_the_beginning(void **state)
{
    (void)state;
    struct name_prefix prefix;
    struct error error;
    assert_true(name_prefix_parse("ÆRO", &prefix, &error));
    assert_true(name_prefix_matches(&prefix, "Ærøsund"));
    assert_true(name_prefix_matches(&prefix, "aro"));
    assert_false(name_prefix_matches(&prefix, "Ær"));
    assert_false(name_prefix_matches(&prefix, "Lake Aro"));
    assert_true(name_prefix_parse("2nd l", &prefix, &error));
    assert_true(name_prefix_matches(&prefix, "2nd Lake"));
}

static void what_is_no_prefix_is_refused(void **state)
{
    (void)state;
    struct name_prefix prefix;
    struct error error;
    char letters[10001];
    const char *const bad[] = {"",     " ",  " a",   "<b>",  "a<script>", "a%", "\x01",
                               "a\tb", "'a", "\xff", "\xc3", "\u0301",    "😀",  letters};
    memset(letters, 'a', sizeof letters - 1);
    letters[sizeof letters - 1] = '\0';
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(name_prefix_parse(bad[i], &prefix, &error));
        assert_int_equal(error.code, ERROR_VALUE);
        assert_memory_equal(error.message, "must be 1 to 64 letters", 23);
    }
    letters[65] = '\0';
    assert_false(name_prefix_parse(letters, &prefix, &error));
    letters[64] = '\0';
    assert_true(name_prefix_parse(letters, &prefix, &error));
}

int test_name_prefix(void);
int test_name_prefix(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_fold_without_case_and_marks),
        cmocka_unit_test(prefixes_match_the_beginning),
        cmocka_unit_test(what_is_no_prefix_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
