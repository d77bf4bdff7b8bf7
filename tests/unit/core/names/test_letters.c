/* Folding of letters, the rules of how they follow each other, and what is a letter. Expected
 * values are from Unicode's decompositions, and from reading the words aloud. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/names/letters.h"

static void letters_lose_case_and_marks(void **state)
{
    (void)state;
    static const struct {
        const char *text, *folded;
    } cases[] = {
        {"", ""},
        {"Grimdal-Vik 7", "grimdal-vik 7"},
        {"ÆØÅæøå", "aoaaoa"},
        {"ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ", "aaaaaaceeeeiiiidnooooo"},
        {"ÙÚÛÜÝÞßÿ", "uuuuytsy"},
        {"ĀăĄćČďĐĒęěĝġĤħĨīŁľŃňŌőŘřŚŠşŢťŨūŮŵŶŹžſ", "aaaccddeeegghhiillnnoorrsssttuuuwyzzs"},
        {"ţ×÷", "t×÷"},
        {"山 ʻŌ", "山 ʻo"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folded[256];
        folded[letters_fold(cases[i].text, strlen(cases[i].text), folded)] = '\0';
        assert_string_equal(folded, cases[i].folded);
    }
}

static void letters_flow_or_do_not(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool flows;
    } cases[] = {
        {"grimdal", true},   {"brandstrond", false}, /* n, d, s, t, r */
        {"thornhill", true}, {"balthar", true},      /* h counts with t */
        {"kaeru", true},     {"kaeauri", false},     /* four vowels */
        {"sundsund", false}, {"papa", false},        {"lalalin", false},
        {"dalden", true},    {"serarerino", false}, /* three r in six letters */
        {"barorimer", true}, {"waszar", false},     /* sz clashes */
        {"walll", false},    {"eskken", false},      {"hallvik", true},
        {"fayal", true}, /* y is a consonant beside a vowel */
        {"lynyd", true},     {"aeyel", true},        {"山山山", true},
    };
    const struct letters_limits limits = {3, 3, "sz zs"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (letters_flow(cases[i].word, strlen(cases[i].word), &limits) != cases[i].flows)
            fail_msg("%s should%s flow", cases[i].word, cases[i].flows ? "" : " not");
}

static void letters_are_told_from_other_characters(void **state)
{
    (void)state;
    static const char *const letters[] = {"Grimdal", "Åsgård", "Ōtaka", "Москва", "Αθήνα",
                                          "山川",    "서울",   "गंगा",   "القدس",  "ʻ"};
    static const char *const others[] = {" ",          "7",         "<",      "&",      "\n",
                                         "\x7F",       "\u00A0",    "\u00D7", "\u0301", "\u200B",
                                         "\u202E",     "\u2028",    "\u2192", "\uE000", "\uFEFF",
                                         "\U0001F600", "\U000E0041"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        assert_null(letters_find_other(letters[i], ""));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[32] = "aä";
        strcat(text, others[i]);
        assert_ptr_equal(letters_find_other(text, ""), text + strlen("aä"));
    }
    assert_null(letters_find_other("Lake %-o'er", " %-'"));
}

int test_letters(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_lose_case_and_marks),
        cmocka_unit_test(letters_flow_or_do_not),
        cmocka_unit_test(letters_are_told_from_other_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
